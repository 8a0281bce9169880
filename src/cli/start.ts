import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { OperatorError } from '../config.ts'
import { createSignInLink } from '../domain/access/sign-in-link/service.ts'
import type { Services } from '../platform/context.ts'
import { inDataDir } from './data-dir.ts'
import { followAddresses, makeDemo } from './first-start.ts'
import { createMetricsReader } from './health.ts'
import { checkPort, listPorts } from './listen.ts'
import { type Running, serve } from './serve.ts'
import { openServices } from './services.ts'
import { type FirstStart, welcome } from './welcome.ts'

/** Opens all services and starts the roles. Listens only when everything works; closes everything when a part fails. */
export async function start(config: Config, log: Logger, terminal: Terminal): Promise<Running> {
  const began = performance.now()
  // First, so that a mistake creates nothing: only the first start on an empty database creates the demo organization.
  for (const port of listPorts(config)) await checkPort(config.host, port)
  await using opened = new AsyncDisposableStack()
  const { services, close: release } = await openServices(config, log)
  opened.defer(release)
  const demo = await prepare(services, terminal)
  const readMetrics = createMetricsReader(services)
  const running = await serve(services, { listens: true, isShared: false, readMetrics, hasMetricsPort: true })
  announceStart(services, demo, began, terminal)
  opened.move()
  return {
    stop: async () => {
      await running.stop()
      await release()
    },
  }
}

/**
 * Does what a service does once at its start: checks storage, creates the demo organization, logs what its programs lack.
 * @returns the demo organization if this start created it
 */
export async function prepare(services: Services, { isForPeople }: Terminal): Promise<FirstStart | null> {
  const { config } = services
  await checkStorage(services)
  const credentials = await inDataDir(config.dataDir, async () => {
    const created = config.isDemo ? await makeDemo(services) : null
    if (!created) await followAddresses(services)
    return created
  })
  warnOfOutdated(services)
  warnOfMissingBounds(services)
  if (!credentials) return null
  const hasLink = isForPeople && config.roles.includes('gateway')
  const { link = null } = hasLink ? await createSignInLink(services, credentials.admin.email) : {}
  return { credentials, signInLink: link }
}

/** Where the start prints to. */
export interface Terminal {
  /** Prints addresses for a person. @param isFirst whether they contain the commands of a first upload */
  announce: (text: string, isFirst: boolean) => unknown
  /** Whether people alone read it. Everything else may be a log, which gets no credential. */
  isForPeople: boolean
}

/** Logs the start, and announces the addresses of a gateway. */
export function announceStart(
  { config, log, tools }: Services,
  demo: FirstStart | null,
  beganMs: number,
  { announce }: Terminal,
): void {
  const { roles, webConcurrency, publicUrl, edgeUrl } = config
  const addresses = { gateway: publicUrl, edge: roles.includes('edge') ? edgeUrl : undefined }
  const processes = webConcurrency > 1 ? { webConcurrency } : {}
  const ms = Math.round(performance.now() - beganMs)
  const versions = { ffmpeg: tools.version, ffprobe: tools.ffprobeVersion }
  log.info({ roles, ...processes, ...addresses, ...versions, ms }, 'started')
  if (roles.includes('gateway')) announce(welcome(config, demo), demo !== null)
}

/** @throws OperatorError when storage is not writable */
async function checkStorage({ config: { storage: settings, dataDir }, storage }: Services): Promise<void> {
  if (settings.kind === 'file') return inDataDir(dataDir, () => storage.check())
  try {
    await storage.check()
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    throw new OperatorError(
      `S3_BUCKET: ${settings.bucket} at ${settings.endpoint} is not writable (${code ?? message}); check the S3 settings`,
      { cause: error },
    )
  }
}

function warnOfOutdated({ tools, log }: Services): void {
  for (const name of tools.outdated) {
    const version = name === 'ffmpeg' ? tools.version : tools.ffprobeVersion
    log.warn(
      { path: tools[name], version },
      `${name} is older than 5.0: install your distribution's package (Debian, Ubuntu: apt-get install ffmpeg), or set ${name.toUpperCase()}`,
    )
  }
}

/** Only workers start media programs. No setting gives root a limit of processes: /health/ready alone shows that. */
function warnOfMissingBounds({ tools, config, log }: Services): void {
  const missing = tools.missing.filter((bound) => bound !== 'process count')
  if (missing.length === 0 || !config.roles.includes('worker')) return
  const guide = `${config.publicUrl}/docs/guides/run-in-production#sandbox`
  log.warn(
    { missing },
    `media programs run without these bounds: ${missing.join(', ')}. Allow user namespaces (in Docker by security_opt), install util-linux, and run as a user other than root: ${guide}`,
  )
}
