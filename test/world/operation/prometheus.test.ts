// Prometheus with its example file and all rules, on processes that run: nothing fires with nothing wrong, and TonearmDown when a
// process has ended.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../../.config/once.ts'
import {
  cleanUp,
  createPlace,
  type Place,
  type ServiceProcess,
  startProcess,
  untilStatus,
  uploadTo,
} from '../../faults/process.ts'
import { tone } from '../../support/audio.ts'
import { lastingPort } from '../../support/ports.ts'
import type { Json } from '../../support/service.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(120_000)

const deploy = join(root, '.config/deploy/prometheus')
const hasPrometheus = Bun.which('prometheus') !== null

interface PanelQuery {
  title: string
  expr: string
}

const dashboard: Json = JSON.parse(readFileSync(join(root, '.config/deploy/grafana/tonearm.json'), 'utf8'))
const panelQueries: PanelQuery[] = dashboard.panels.flatMap(({ title, targets = [] }: Json) =>
  targets.map(({ expr }: Json) => ({ title, expr })),
)
/** Panels that are empty without failures, waiting jobs, webhooks and a replica. `test/cli/alerts.test.ts` has their metrics. */
const withoutSeries = [
  'Failed requests by route',
  'Waiting jobs',
  'Oldest waiting job, by jobs of its organization ahead',
  'Waiting uploads, by uploads of their organization ahead',
  'Time of an attempt, 95 %',
  'Reads by target',
]

describe.skipIf(!hasPrometheus)('prometheus (Debian: prometheus)', () => {
  let folder: string
  let places: Place[]
  let services: ServiceProcess[]
  let program: Bun.Subprocess
  let url: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tonearm-prometheus-'))
    places = await Promise.all([createPlace({ BACKUP_TO: join(folder, 'backups') }), createPlace(), createPlace()])
    services = []
    for (const place of places) services.push(await startProcess(place))
    const targets = services.map((service) => new URL(service.url).host)
    const settings = Bun.YAML.parse(readFileSync(join(deploy, 'prometheus.yaml'), 'utf8')) as Json
    const [
      {
        static_configs: [example],
      },
    ] = settings.scrape_configs
    expect(example.targets).toHaveLength(targets.length)
    example.targets = targets
    // Seconds in the place of a quarter of a minute, and of the minute of the alert that this test causes.
    settings.global = { scrape_interval: '1s', evaluation_interval: '1s' }
    await Bun.write(join(folder, 'prometheus.yaml'), JSON.stringify(settings))
    const rules = Bun.YAML.parse(readFileSync(join(deploy, 'alerts.yaml'), 'utf8')) as Json
    rules.groups = rules.groups.map((group: Json) => ({ ...group, interval: '1s' }))
    const [down] = rules.groups.flatMap((group: Json) => group.rules)
    expect(down).toMatchObject({ alert: 'TonearmDown', for: '1m' })
    down.for = '3s'
    await Bun.write(join(folder, 'alerts.yaml'), JSON.stringify(rules))
    const port = await lastingPort()
    url = `http://127.0.0.1:${port}`
    const log = Bun.file(join(folder, 'prometheus.log'))
    program = Bun.spawn(
      [
        'prometheus',
        ...['--config.file', join(folder, 'prometheus.yaml'), '--storage.tsdb.path', join(folder, 'data')],
        ...['--web.listen-address', `127.0.0.1:${port}`],
      ],
      { stdio: ['ignore', log, log] },
    )
    await until('Prometheus to be ready', 30_000, async () => {
      if (program.exitCode !== null) throw new Error(await log.text())
      return (await fetch(`${url}/-/ready`).catch(() => null))?.ok
    })
  })
  afterAll(async () => {
    program?.kill()
    await program?.exited
    await cleanUp(...places)
    await rm(folder, { recursive: true, force: true })
  })

  const read = async (path: string): Promise<Json> => (await (await fetch(`${url}/api/v1/${path}`)).json()).data
  const query = async (text: string) => (await read(`query?query=${encodeURIComponent(text)}`)).result
  const firing = async () => (await query('ALERTS{alertstate="firing"}')).map(({ metric }: Json) => metric.alertname)

  test('scrapes all processes and evaluates all rules', async () => {
    await until('all to be scraped', 30_000, async () => (await query('up{job="tonearm"} == 1')).length === 3)
    const { groups } = await read('rules')
    const text = readFileSync(join(deploy, 'alerts.yaml'), 'utf8')
    const rules = groups.flatMap((group: Json) => group.rules)
    expect(rules).toHaveLength(text.match(/^ +- alert:/gm)?.length ?? 0)
    await until('an evaluation', 30_000, async () => {
      const health = (await read('rules')).groups.flatMap((group: Json) => group.rules).map((rule: Json) => rule.health)
      return health.every((state: string) => state === 'ok')
    })
  })

  test('no alert fires while the processes receive, process and deliver', async () => {
    const [service] = services
    if (!service) throw new Error('no service')
    for (let recording = 0; recording < 3; recording++) {
      const trackId = await uploadTo(service, await tone(5))
      await untilStatus(service, trackId, ['ready'])
      const link = `/stream/${trackId}/${service.credentials.share_key}`
      expect((await service.v1('GET', link)).status).toBe(302)
    }
    const isCounted = async () => (await query('sum(tonearm_tracks_total{status="ready"}) >= 3')).length === 1
    await until('the tracks to be counted', 30_000, isCounted)
    expect(await query('max_over_time(ALERTS{alertstate="firing"}[10m])')).toEqual([])
  })

  test('every panel of the dashboard shows series', async () => {
    const [service] = services
    if (!service) throw new Error('no service')
    const { api_key, graphql_url } = service.credentials
    const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
    const operation = {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: '{ tracks(first: 1) { totalCount } }' }),
    }
    expect((await fetch(graphql_url, operation)).status).toBe(200)
    const isEmpty = async ({ expr }: PanelQuery) => {
      const text = expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')
      return (await query(text)).length === 0
    }
    expect(withoutSeries.filter((title) => !panelQueries.some((panelQuery) => panelQuery.title === title))).toEqual([])
    for (const panelQuery of panelQueries.filter(({ title }) => !withoutSeries.includes(title))) {
      await until(`series in ${panelQuery.title}`, 30_000, async () => !(await isEmpty(panelQuery)))
    }
  })

  test('TonearmDown fires when a process has ended, and resolves when it is back', async () => {
    const [service] = services
    const [place] = places
    if (!service || !place) throw new Error('no service')
    service.kill('SIGTERM')
    await service.exited
    await until('the alert', 30_000, async () => (await firing()).includes('TonearmDown'))
    const [alert] = await query('ALERTS{alertname="TonearmDown"}')
    expect(alert.metric).toMatchObject({ severity: 'critical', instance: new URL(service.url).host })
    await startProcess(place)
    await until('its end', 30_000, async () => !(await firing()).includes('TonearmDown'))
  })
})
