// The chart as Helm renders it.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Json } from '../../support/service.ts'
import { FOLDER, findCommand, run, succeed } from '../clients/packages.ts'
import { hasHelm, helm, installHelm } from './helm.ts'

setDefaultTimeout(120_000)

const deploy = join(import.meta.dir, '../../../.config/deploy')

/** Renders the chart. @returns its objects by kind and name */
async function render(...settings: string[]): Promise<Map<string, Json>> {
  const values = ['existingSecret=tonearm', ...settings].flatMap((setting) => ['--set', setting])
  const { stdout } = await helm('template', 'tonearm', join(deploy, 'chart'), ...values)
  const objects = Bun.YAML.parse(stdout) as Json[]
  return new Map(objects.filter(Boolean).map((object) => [`${object.kind} ${object.metadata.name}`, object]))
}

describe.skipIf(!hasHelm)('helm (needs Linux, x64)', () => {
  beforeAll(installHelm, 300_000)

  test('accepts the chart', async () => {
    const { exitCode, stdout } = await helm(
      'lint',
      '--strict',
      join(deploy, 'chart'),
      '--set',
      'existingSecret=tonearm',
    )
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')])
  })

  test('refuses an installation without secrets, and names the value', async () => {
    const { exitCode, stderr } = await helm('template', 'tonearm', join(deploy, 'chart'))
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

  const everything = [
    'ingress.enabled=true',
    'ingress.className=nginx',
    'serviceMonitor.enabled=true',
    'prometheusRule.enabled=true',
    'dashboard.enabled=true',
    'imagePullSecrets[0].name=registry',
    'worker.hostUsers=false',
    'worker.procMount=Unmasked',
    'worker.seccompProfile.type=Unconfined',
    'worker.tolerations[0].operator=Exists',
    'edge.nodeSelector.disk=fast',
    ...['gateway', 'edge', 'worker'].map((role) => `${role}.autoscaling.enabled=true`),
    'networkPolicy.ingressFrom[0].podSelector.matchLabels.app=ingress',
    'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.app=prometheus',
    'worker.backupClaim=backups',
  ]

  test.each([
    ['the defaults', [], 12],
    ['everything', everything, 21],
  ] as const)('%s fit the schemas of the API versions that they name', async (_, settings, count) => {
    const manifests = [...(await render(...settings)).values()]
    expect(manifests.length).toBeGreaterThanOrEqual(count)
    await expectValid(manifests)
  })

  test('the Pod of the guide that restores a backup fits the schema and the volumes of the chart', async () => {
    const guide = await Bun.file(join(deploy, '../../src/web/docs/guides/backup-and-upgrade.md')).text()
    const [, text = ''] = /^```yaml\n(apiVersion: v1\nkind: Pod\n[\s\S]*?)^```$/m.exec(guide) ?? []
    const pod = (lines: string) => Bun.YAML.parse(lines.replaceAll(/<(\w+)>/g, '$1')) as Json
    // As it is, and with the lines of a claim.
    const [bucket, claim] = [pod(text), pod(text.replaceAll(/^( +)# - \{/gm, '$1- {'))]
    expect([bucket, claim].map(({ spec }) => spec.volumes.length)).toEqual([1, 2])
    await expectValid([bucket, claim])
    const objects = await render('worker.backupClaim=backupClaim')
    const names = [...objects.keys()]
    const [container] = claim.spec.containers
    const sources = container.envFrom.map((source: Json) => Object.values<Json>(source)[0].name)
    expect(names).toContain(`ConfigMap ${sources[0]}`)
    const worker = objects.get('Deployment tonearm-worker')?.spec.template.spec
    const isBackups = ({ name }: Json) => name === 'backups'
    expect(worker.volumes.find(isBackups)).toEqual(claim.spec.volumes.find(isBackups))
    expect(worker.containers[0].volumeMounts.find(isBackups)).toEqual(container.volumeMounts.find(isBackups))
    for (const role of ['gateway', 'edge']) {
      expect(objects.get(`Deployment tonearm-${role}`)?.spec.template.spec.volumes.filter(isBackups)).toEqual([])
    }
  })

  /** Checks manifests against the schemas and types of their kinds. */
  async function expectValid(manifests: Json[]): Promise<void> {
    const file = join(FOLDER, 'manifests.json')
    await Bun.write(file, JSON.stringify(manifests))
    const lines = (await succeed(['sh', '-c', `${process.execPath} programs/manifests.ts < ${file}`]))
      .trim()
      .split('\n')
    expect(lines).toEqual(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))
    // The schemas accept fields that they do not have, as types of literals do not.
    const { exitCode, stdout } = await checkTypes(manifests)
    expect([exitCode, stdout]).toEqual([0, ''])
  }

  test('a field that no schema has is found', async () => {
    const [service] = [...(await render()).values()].filter(({ kind }) => kind === 'Service')
    const { exitCode, stdout } = await checkTypes([{ ...service, spec: { ...service.spec, sessionAffinitty: 'None' } }])
    expect([exitCode, stdout]).toEqual([2, expect.stringContaining('sessionAffinitty')])
  })

  /** Compiles manifests as literals of their types. */
  function checkTypes(manifests: Json[]) {
    const literals = manifests.map((manifest, at) => {
      const { apiVersion, kind } = manifest
      const isOperator = apiVersion.startsWith('monitoring.coreos.com/')
      const library = isOperator ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models'
      const type = `import('${library}/${apiVersion}/${kind}').I${kind}`
      return `export const manifest${at}: ${type} = ${JSON.stringify(manifest, null, 2)}\n`
    })
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'ESNext', '--moduleResolution', 'bundler']
    const check = async () => {
      await Bun.write(join(FOLDER, 'manifests.ts'), literals.join('\n'))
      return run([findCommand('tsc'), ...options, '--target', 'ES2023', 'manifests.ts'])
    }
    return check()
  }

  test('an upgrade may keep the workers until gateways and edges are replaced', async () => {
    const objects = await render('image.tag=2.0.0', 'worker.tag=1.0.0')
    const images = ['gateway', 'edge', 'worker'].map(
      (role) => objects.get(`Deployment tonearm-${role}`)?.spec.template.spec.containers[0].image,
    )
    expect(images).toEqual(['tonearm:2.0.0', 'tonearm:2.0.0', 'tonearm:1.0.0'])
    for (const role of ['gateway', 'edge', 'worker']) {
      const { strategy } = objects.get(`Deployment tonearm-${role}`)?.spec ?? {}
      expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } })
    }
  })

  test('the Ingress shows no details of health', async () => {
    const { rules } = (await render('ingress.enabled=true')).get('Ingress tonearm')?.spec ?? {}
    const paths = rules[0].http.paths.map(({ path, pathType, backend }: Json) => [
      path,
      pathType,
      backend.service.port.name,
    ])
    expect(paths).toEqual([
      ['/health/live', 'Exact', 'http'],
      ['/health', 'Prefix', 'metrics'],
      ['/', 'Prefix', 'http'],
    ])
  })
})
