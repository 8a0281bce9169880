import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../.config/once.ts'
import { until } from '../../support/until.ts'
import { podman, succeed } from './podman.ts'

/** A service of docker-compose.yml, as far as the file uses it. */
interface Service {
  image: string
  command?: string[]
  environment?: Record<string, string>
  env_file?: { path: string }[]
  ports?: string[]
  volumes?: string[]
  tmpfs?: string
  init?: boolean
  read_only?: boolean
  pids_limit?: number
  security_opt?: string[]
  cap_drop?: string[]
  cap_add?: string[]
  shm_size?: string
  profiles?: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
}

type Variables = Record<string, string>

const START_MS = 90_000

/** Replaces `\${NAME:-preset}` and `\${NAME:?message}`, the innermost first. */
function expand(text: string, variables: Variables): string {
  const expanded = text.replace(/\$\{(\w+)(?::([-?])([^{}]*))?\}/g, (_, name, kind, preset) => {
    if (kind === '?' && !variables[name]) throw new Error(`${name}: ${preset}`)
    return variables[name] || (kind === '-' ? preset : '')
  })
  return expanded === text ? text : expand(expanded, variables)
}

const parseEnv = (text: string): Variables =>
  Object.fromEntries([...text.matchAll(/^([A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))

/**
 * Runs the services of docker-compose.yml by podman, in a network with their names.
 * @param project prefix of containers, volumes and the network
 * @param dotEnv the content of `.env`
 */
export function createProject(project: string, dotEnv: Variables) {
  const text = expand(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), dotEnv)
  const { services } = Bun.YAML.parse(text) as { services: Record<string, Service> }
  const nameOf = (service: string) => `${project}-${service}`

  /** Variables of a container: the files, then those of the service itself. */
  function variablesOf({ env_file: files = [], environment = {} }: Service): Variables {
    const settings = files.some(({ path }) => path === '.env') ? dotEnv : {}
    const defaults = files
      .filter(({ path }) => path !== '.env')
      .map(({ path }) => parseEnv(expand(readFileSync(join(root, path), 'utf8'), dotEnv)))
    return Object.assign({}, ...defaults, settings, environment)
  }

  function toArguments(name: string, service: Service, extra: Variables): string[] {
    const flag = (option: string, values: readonly string[] = []) => values.flatMap((value) => [option, value])
    const variables = { ...variablesOf(service), ...extra }
    return [
      ...['--name', nameOf(name), '--network', project, '--network-alias', name, '--no-healthcheck'],
      // The machine of this test may allow less than podman asks for.
      ...['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=16384:16384'],
      ...flag(
        '--env',
        Object.entries(variables).map(([key, value]) => `${key}=${value}`),
      ),
      ...flag('--publish', service.ports),
      ...flag(
        '--volume',
        (service.volumes ?? []).map((volume) =>
          volume.startsWith('./') ? join(root, volume) : `${project}-${volume}`,
        ),
      ),
      ...flag('--tmpfs', service.tmpfs ? [service.tmpfs] : []),
      ...flag(
        '--security-opt',
        service.security_opt?.map((option) => option.replace(':true', '')),
      ),
      ...flag('--cap-drop', service.cap_drop),
      ...flag('--cap-add', service.cap_add),
      ...flag('--pids-limit', service.pids_limit ? [String(service.pids_limit)] : []),
      ...flag('--shm-size', service.shm_size ? [service.shm_size] : []),
      ...(service.init ? ['--init'] : []),
      ...(service.read_only ? ['--read-only'] : []),
      service.image === 'tonearm' ? 'localhost/tonearm:latest' : service.image,
      ...(service.command ?? []),
    ]
  }

  const exec = (service: string, ...command: string[]) => podman('exec', nameOf(service), ...command)

  /** Removes containers, network and volumes. */
  async function remove(): Promise<void> {
    for (const name of Object.keys(services)) await podman('rm', '--force', '--volumes', nameOf(name)).catch(() => {})
    await podman('network', 'rm', '--force', project).catch(() => {})
    const volumes = (await podman('volume', 'ls', '--quiet'))
      .split('\n')
      .filter((name) => name.startsWith(`${project}-`))
    if (volumes.length > 0) await podman('volume', 'rm', '--force', ...volumes)
  }

  return {
    exec,
    remove,
    createNetwork: () => podman('network', 'create', project),
    /** Standard output and standard error of a service. */
    logs: (service: string) => succeed(['sh', '-c', 'exec podman logs "$0" 2>&1', nameOf(service)]),
    /** Starts a service and waits until the command of its health check succeeds. @param extra more variables */
    async start(name: string, extra: Variables = {}): Promise<void> {
      const service = services[name]
      if (!service) throw new Error(`docker-compose.yml has no service ${name}`)
      await podman('run', '--detach', ...toArguments(name, service, extra))
      const [kind, ...command] = service.healthcheck?.test ?? []
      if (kind !== 'CMD' || service.image.startsWith('chrislusf')) return
      await until(`${name} to be healthy`, START_MS, () =>
        exec(name, ...command).then(
          () => true,
          () => false,
        ),
      )
    },
    /** Stops a service as Compose does. @returns its exit status */
    async stop(name: string): Promise<number> {
      await podman('stop', '--time', '45', nameOf(name))
      return Number(await podman('inspect', '--format', '{{.State.ExitCode}}', nameOf(name)))
    },
  }
}
