// Files for deployments against the settings. By hand: schemas, `docker-compose config`, `caddy validate`, the rendered chart.
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Glob, YAML } from 'bun'
import manifest from '../package.json'
import clientManifest from '../src/client/package.json'
import { readSettings } from '../src/config.ts'
import type { Json } from './support/service.ts'

const root = join(import.meta.dir, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Service {
  image?: string
  environment: Record<string, string>
  env_file?: { path: string }[]
  read_only?: boolean
  cap_drop?: string[]
  stop_grace_period?: string
  ports?: string[]
  deploy?: { resources?: { limits?: { memory?: string } } }
  profiles?: string[]
  command?: string[]
  volumes?: string[]
  depends_on?: Record<string, { condition: string }>
}

/** Names that are set, or shown as comments, in the form of an env file. */
const namesIn = (text: string) => [...text.matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name)
/** Replaces variables of the host by their values or defaults, as Compose does. The innermost first. */
function expand(text: string, host: Record<string, string> = {}): string {
  const expanded = text.replace(/\$\{(\w+):-([^{}]*)\}/g, (_, name, preset) => host[name] || preset)
  return expanded === text ? text : expand(expanded, host)
}

const settings = namesIn(read('.env.example'))
const { services } = YAML.parse(read('docker-compose.yml')) as { services: Record<string, Service> }
const roles = ['gateway', 'edge', 'worker']
const monitors = ['prometheus', 'grafana', 'collector', 'jaeger']

test('.env.example has every setting', () => {
  const { names } = readSettings(Object.fromEntries(settings.map((name) => [name, 'x'])))
  expect(new Set(settings)).toEqual(new Set(names))
  expect(settings.length).toBeGreaterThan(30)
})

describe('docker-compose.yml', () => {
  test.each(roles)('the container %s gets every setting of .env, except those of containers', (role) => {
    const { environment, env_file: files } = services[role] as Service
    // The last file takes precedence.
    expect(files?.map(({ path }) => path)).toEqual(['.config/deploy/compose.env', '.env'])
    const fixed = ['HOST', 'PORT', 'EDGE_PORT', 'DATA_DIR', 'ROLES', 'SECRET']
    expect(Object.keys(environment).sort()).toEqual([...fixed].sort())
    expect(environment.SECRET).toStartWith('${SECRET:?')
    expect(environment.ROLES).toBe(role)
    expect(fixed.filter((name) => !settings.includes(name))).toEqual([])
  })

  /** Settings of compose.env with these variables of the host. */
  function defaultsFor(host: Record<string, string>): Record<string, string> {
    const lines = expand(read('.config/deploy/compose.env'), host).matchAll(/^([A-Z0-9_]+)=(.*)$/gm)
    return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]))
  }

  test.each([
    [{}, 'http://localhost:3000', 'http://localhost:3001'],
    [{ PORT: '4000', EDGE_PORT: '5001' }, 'http://localhost:4000', 'http://localhost:5001'],
  ])('its addresses are those of the published ports: %j', (host, PUBLIC_URL, EDGE_URL) => {
    expect(defaultsFor(host)).toMatchObject({ PUBLIC_URL, EDGE_URL })
    const published = ['gateway', 'edge'].map((role) => expand(services[role]?.ports?.[0] ?? '', host))
    expect(published).toEqual([
      `127.0.0.1:${new URL(PUBLIC_URL).port}:3000`,
      `127.0.0.1:${new URL(EDGE_URL).port}:3001`,
    ])
  })

  test('containers reach the bucket by the name of its container, and clients by its published port', () => {
    const { S3_ENDPOINT = '', S3_PUBLIC_ENDPOINT = '' } = defaultsFor({ S3_PORT: '9333' })
    // Bun takes every *.localhost for its own container.
    expect(Object.keys(services)).toContain(new URL(S3_ENDPOINT).hostname)
    expect(S3_PUBLIC_ENDPOINT).toBe('http://localhost:9333')
    expect(expand(services.s3?.ports?.[0] ?? '', { S3_PORT: '9333' })).toBe('127.0.0.1:9333:8333')
  })

  test('LISTEN publishes its ports in the network', () => {
    const published = ['gateway', 'edge', 's3'].map((name) =>
      expand(services[name]?.ports?.[0] ?? '', { LISTEN: '0.0.0.0' }),
    )
    expect(published).toEqual(['0.0.0.0:3000:3000', '0.0.0.0:3001:3001', '0.0.0.0:8333:8333'])
  })

  test('addresses that are set take precedence over its ports', () => {
    const addresses = { PUBLIC_URL: 'https://api.example.com', EDGE_URL: 'https://upload.example.com' }
    expect(defaultsFor({ ...addresses, PORT: '4000', EDGE_PORT: '4001' })).toMatchObject(addresses)
  })

  test('a worker has 2 GB for each of its recordings at once', () => {
    const memory = expand(services.worker?.deploy?.resources?.limits?.memory ?? '')
    expect(memory).toBe(`${2 * Number(defaultsFor({}).WORKERS)}g`)
  })

  test('its defaults are valid settings', () => {
    const defaults = defaultsFor({})
    expect(Object.keys(defaults).filter((name) => !settings.includes(name))).toEqual([])
    const { mistakes } = readSettings({ ...defaults, SECRET: 's'.repeat(32), ROLES: 'gateway' })
    expect(mistakes).toEqual([])
  })

  test.each(roles)('the container %s is read-only, without capabilities, and has time to stop', (role) => {
    const service = services[role] as Service
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(35)
    expect(Object.values(service.depends_on ?? {}).map(({ condition }) => condition)).toEqual(
      Array(2).fill('service_healthy'),
    )
  })

  test('names exact versions of the images of others, and starts proxy, monitoring and speech on request only', () => {
    const images = Object.values(services).map(({ image }) => image ?? '')
    const others = images.filter((image) => image !== 'tonearm')
    expect(others.length).toBe(8)
    expect(others.filter((image) => !/:(v?\d+(\.\d+)+|main-[0-9a-f]{40})$/.test(image))).toEqual([])
    expect(services.proxy?.profiles).toEqual(['tls'])
    expect(services.speech?.profiles).toEqual(['speech'])
    for (const name of monitors) expect(services[name]?.profiles).toEqual(['monitoring'])
  })
})

describe('monitoring of docker-compose.yml', () => {
  const parse = (path: string) => YAML.parse(read(`.config/deploy/${path}`)) as Json
  const volumesOf = (name: string) => (services[name]?.volumes ?? []).map((volume) => volume.split(':'))
  /** Host and port of an address that must be those of a service. */
  const place = (address: string) => {
    const { hostname, port } = new URL(address)
    expect(Object.keys(services)).toContain(hostname)
    return `${hostname}:${port}`
  }

  test.each(monitors)('%s cannot write its file system, and its pages are for this machine only', (name) => {
    expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    for (const port of services[name]?.ports ?? []) expect(port).toStartWith('127.0.0.1:${')
  })

  test('every file that it mounts exists', () => {
    const paths = monitors.flatMap((name) => volumesOf(name).map(([path = '']) => path))
    const files = paths.filter((path) => path.startsWith('./'))
    expect(files.length).toBe(5)
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('Prometheus scrapes every role with its alerts', () => {
    const [scrape] = parse('prometheus/prometheus.yaml').scrape_configs
    expect(scrape.static_configs[0].targets).toEqual(roles.map((role) => `${role}:3000`))
    const [folder = '', target = ''] = volumesOf('prometheus')[0] ?? []
    const file = /^--config\.file=(.+)$/.exec(services.prometheus?.command?.[0] ?? '')?.[1] ?? ''
    expect(existsSync(join(root, folder, file.replace(target, '')))).toBe(true)
  })

  test('Grafana finds its sources of data and the dashboard', () => {
    const mounts = Object.fromEntries(volumesOf('grafana').map(([path = '', target = '']) => [target, path]))
    const { datasources } = parse('grafana/datasources.yaml')
    expect(mounts['/etc/grafana/provisioning/datasources/tonearm.yaml']).toEndWith('grafana/datasources.yaml')
    expect(datasources.map(({ type, url }: Json) => [type, place(url)])).toEqual([
      ['prometheus', 'prometheus:9090'],
      ['jaeger', 'jaeger:16686'],
    ])
    // The dashboard's variable selects the default.
    expect(datasources.map(({ isDefault = false }: Json) => isDefault)).toEqual([true, false])
    const [provider] = parse('grafana/dashboards.yaml').providers
    expect(mounts['/etc/grafana/provisioning/dashboards/tonearm.yaml']).toEndWith('grafana/dashboards.yaml')
    expect(mounts[`${provider.options.path}/tonearm.json`]).toEndWith('grafana/tonearm.json')
  })

  test('the collector passes traces on from the address of the guide to Jaeger', () => {
    const { receivers, processors, exporters, service } = parse('collector/collector.yaml')
    const { traces } = service.pipelines
    expect(Object.keys(service.pipelines)).toEqual(['traces'])
    for (const [names, declared] of [
      [traces.receivers, receivers],
      [traces.processors, processors],
      [traces.exporters, exporters],
    ]) {
      expect(names).toEqual(Object.keys(declared))
    }
    expect(place(exporters.otlphttp.endpoint)).toBe('jaeger:4318')
    const [, endpoint = ''] = /OTEL_EXPORTER_OTLP_ENDPOINT=(.+)/.exec(read('src/web/docs/guides/observe.md')) ?? []
    expect(place(endpoint).replace('collector', '0.0.0.0')).toBe(receivers.otlp.protocols.http.endpoint)
    const [, target] = volumesOf('collector')[0] ?? []
    expect(services.collector?.command).toEqual([`--config=${target}`])
  })
})

describe('a release', () => {
  test('has one version', () => {
    const chart = YAML.parse(read('.config/deploy/chart/Chart.yaml')) as { version: string; appVersion: string }
    const versions = [manifest.version, clientManifest.version, chart.version, chart.appVersion]
    expect(new Set(versions)).toEqual(new Set([manifest.version]))
    const sections = [...read('.github/CHANGELOG.md').matchAll(/^## \[(\S+)\] - \d{4}-\d\d-\d\d$/gm)]
    expect(sections.map(([, version]) => version)[0]).toBe(manifest.version)
  })
})

interface Job {
  'runs-on'?: string
  uses?: string
  needs?: string | string[]
  permissions?: Record<string, string>
  steps?: { uses?: string; run?: string; with?: Record<string, string | boolean> }[]
  strategy?: { matrix: { include: { architecture: string }[] } }
}
interface Workflow {
  on: Record<string, unknown>
  permissions: Record<string, string>
  jobs: Record<string, Job>
}

describe('workflows', () => {
  const workflow = (name: string) => YAML.parse(read(`.github/workflows/${name}.yml`)) as Workflow
  const [check, release] = [workflow('check'), workflow('release')]
  const jobs = [...Object.values(check.jobs), ...Object.values(release.jobs)]

  test('every action has a version, and the default rights are to read', () => {
    const actions = jobs.flatMap(({ steps = [] }) => steps.flatMap(({ uses }) => uses ?? []))
    expect(actions.length).toBeGreaterThan(8)
    expect(actions.filter((uses) => !/^[\w-]+\/[\w-]+@v\d+\.\d+\.\d+$/.test(uses))).toEqual([])
    expect([check.permissions, release.permissions]).toEqual(Array(2).fill({ contents: 'read' }))
  })

  test('pushes and pull requests run .ci/run', () => {
    expect(Object.keys(check.on)).toEqual(expect.arrayContaining(['push', 'pull_request']))
    expect(check.jobs.check?.steps?.map(({ run }) => run)).toContain('.ci/run')
  })

  test('a tag publishes image, chart and package after the checks, with provenance', () => {
    const { check: checks, image, manifest: joined, chart, package: npm } = release.jobs
    expect(checks?.uses).toBe('./.github/workflows/check.yml')
    for (const job of [image, npm]) expect(job?.needs).toContain('check')
    expect(joined?.needs).toContain('image')
    expect(chart?.needs).toContain('manifest')
    expect(image?.strategy?.matrix.include.map(({ architecture }) => architecture)).toEqual(['amd64', 'arm64'])
    expect(image?.steps?.find(({ uses }) => uses?.startsWith('docker/build-push-action'))?.with).toMatchObject({
      push: true,
      provenance: 'mode=max',
    })
    expect(chart?.steps?.some(({ uses }) => uses?.startsWith('actions/attest-build-provenance'))).toBe(true)
    expect(npm?.steps?.some(({ run }) => run?.includes('npm publish --provenance'))).toBe(true)
    for (const job of [chart, npm]) expect(job?.permissions).toMatchObject({ 'id-token': 'write' })
  })

  test('a job needs only jobs that exist', () => {
    const needs = Object.values(release.jobs).flatMap(({ needs = [] }) => needs)
    expect(needs.length).toBeGreaterThan(5)
    expect(needs.filter((name) => !(name in release.jobs))).toEqual([])
  })

  test.each(jobs.flatMap(({ steps = [] }) => steps.flatMap(({ run }) => (run ? [run] : []))))(
    'a shell can read: %s',
    (script) => {
      expect(Bun.spawnSync(['bash', '-n', '-c', script]).exitCode).toBe(0)
    },
  )
})

test('.gitattributes marks the committed generated files', () => {
  const patterns = [...read('.gitattributes').matchAll(/^(\S+) linguist-generated$/gm)].map(
    ([, pattern = '']) => pattern,
  )
  const files = ['*', 'src/**/*', 'test/**/*']
    .flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root })])
    .filter((path) => !/(^|\/)(node_modules|generated|\.tmp)\//.test(path))
  const isMatch = (pattern: string, path: string) =>
    new Glob(pattern.includes('/') ? pattern : `**/${pattern}`).match(path)
  expect(patterns.filter((pattern) => !files.some((path) => isMatch(pattern, path)))).toEqual([])
  const generated = files.filter((path) => /(\.gen\.ts|bun\.lock|schema\.graphql|results\.json)$/.test(path))
  expect(generated.filter((path) => !patterns.some((pattern) => isMatch(pattern, path)))).toEqual([])
})

describe('the Helm chart', () => {
  const values = YAML.parse(read('.config/deploy/chart/values.yaml')) as Record<string, unknown> & {
    settings: Record<string, string>
  }
  const templates = read('.config/deploy/chart/templates/roles.yaml')

  test('has valid settings', () => {
    const secret = { SECRET: 's'.repeat(32), DATABASE_URL: 'postgres://a:b@c/d', S3_ACCESS_KEY_ID: 'a' }
    const overrides = { ...secret, S3_SECRET_ACCESS_KEY: 'b', METRICS_PORT: '9100', ROLES: 'gateway' }
    expect(readSettings({ ...values.settings, ...overrides }).mistakes).toEqual([])
    const named = [...templates.matchAll(/\{ name: ([A-Z_]+), value/g)].map(([, name = '']) => name)
    const all = [...named, ...Object.keys(values.settings)]
    expect(all.length).toBeGreaterThan(10)
    expect(all.filter((name) => !settings.includes(name))).toEqual([])
  })

  test('has values for every role', () => {
    for (const role of roles) expect(values).toHaveProperty(role)
  })
})

describe('the systemd unit', () => {
  const unit = read('.config/deploy/tonearm@.service')

  test('names settings that exist, and leaves time for a stop', () => {
    const named = [...(/^Environment=(.*)$/m.exec(unit)?.[1] ?? '').matchAll(/(\w+)=/g)].map(([, name = '']) => name)
    expect(named.filter((name) => name !== 'NODE_ENV' && !settings.includes(name))).toEqual([])
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(35)
  })

  test('leaves the namespaces of the sandbox allowed', () => {
    const options = [...unit.matchAll(/^(\w+)=/gm)].map(([, name]) => name)
    for (const name of ['RestrictNamespaces', 'ProtectProc', 'ProtectKernelTunables', 'ProtectKernelLogs']) {
      expect(options).not.toContain(name)
    }
  })

  test.skipIf(Bun.which('systemd-analyze') === null)('is valid for systemd', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tonearm-unit-'))
    const file = join(folder, 'tonearm@worker.service')
    await Bun.write(file, unit.replace('/usr/local/bin/bun', process.execPath))
    const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', 'verify', '--man=no', file])
    await rm(folder, { recursive: true })
    expect([exitCode, stderr.toString()]).toEqual([0, ''])
  })
})
