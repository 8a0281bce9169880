// The chart as Helm renders it.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Json } from '../../support/service.ts'

const deploy = join(import.meta.dir, '../../../.config/deploy')
const helm = Bun.which('helm')

async function run(...args: string[]) {
  const child = Bun.spawn([helm ?? '', ...args], { stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, stdout, stderr }
}

/** Renders the chart. @returns its objects by kind and name */
async function render(...settings: string[]): Promise<Map<string, Json>> {
  const values = ['existingSecret=tonearm', ...settings].flatMap((setting) => ['--set', setting])
  const { stdout } = await run('template', 'tonearm', join(deploy, 'chart'), ...values)
  const objects = Bun.YAML.parse(stdout) as Json[]
  return new Map(objects.filter(Boolean).map((object) => [`${object.kind} ${object.metadata.name}`, object]))
}

describe.skipIf(!helm)('helm', () => {
  test('accepts the chart', async () => {
    const { exitCode, stdout } = await run('lint', '--strict', join(deploy, 'chart'), '--set', 'existingSecret=tonearm')
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')])
  })

  test('refuses an installation without secrets, and names the value', async () => {
    const { exitCode, stderr } = await run('template', 'tonearm', join(deploy, 'chart'))
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('existingSecret')])
  })

  test('renders the roles, and monitoring only on request', async () => {
    const names = [...(await render()).keys()]
    for (const role of ['gateway', 'edge', 'worker']) expect(names).toContain(`Deployment tonearm-${role}`)
    expect(names.filter((name) => /Monitor|Rule|dashboard/.test(name))).toEqual([])
  })

  test('the job of its scrapes is the one that alerts and dashboard select', async () => {
    const objects = await render('serviceMonitor.enabled=true', 'prometheusRule.enabled=true', 'dashboard.enabled=true')
    for (const role of ['gateway', 'edge', 'worker']) {
      const [endpoint] = objects.get(`ServiceMonitor tonearm-${role}`)?.spec.endpoints ?? []
      expect(endpoint).toMatchObject({ interval: '15s', relabelings: [{ targetLabel: 'job', replacement: 'tonearm' }] })
    }
    const rules = Bun.YAML.parse(await Bun.file(join(deploy, 'prometheus/alerts.yaml')).text())
    expect(objects.get('PrometheusRule tonearm')?.spec).toEqual(rules as object)
    const dashboard = await Bun.file(join(deploy, 'grafana/tonearm.json')).json()
    expect(JSON.parse(objects.get('ConfigMap tonearm-dashboard')?.data['tonearm.json'])).toEqual(dashboard)
  })

  test('peers of the API and of the metrics are separate', async () => {
    const prometheus = 'networkPolicy.metricsFrom[0].podSelector.matchLabels.app=prometheus'
    const objects = await render('networkPolicy.ingressFrom[0].podSelector.matchLabels.app=ingress', prometheus)
    const peersOf = (role: string) =>
      objects
        .get(`NetworkPolicy tonearm-${role}`)
        ?.spec.ingress.map(({ ports, from }: Json) => [
          ports.map(({ port }: Json) => port).join(),
          from.map(({ podSelector }: Json) => podSelector.matchLabels.app).join(),
        ])
    const metrics = ['metrics', 'prometheus']
    expect(peersOf('gateway')).toEqual([['http', 'ingress'], metrics])
    expect(peersOf('edge')).toEqual([['edge,http', 'ingress'], metrics])
    expect(peersOf('worker')).toEqual([metrics])
  })
})
