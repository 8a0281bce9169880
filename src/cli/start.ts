import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { OperatorError } from '../config.ts'
import { startDispatcher } from '../domain/webhook/delivery/dispatch.ts'
import type { Services } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'
import { errorResponse } from '../platform/http/rest.ts'
import { createEdge, edgeRoutes } from '../roles/edge/app.ts'
import { createGateway, type Gateway } from '../roles/gateway/app.ts'
import { isForBrowser, notFoundPage } from '../roles/gateway/site.ts'
import { createStream, STREAM_PATH, type Stream } from '../roles/gateway/stream.ts'
import { startWorker } from '../roles/worker/run.ts'
import { tasks } from '../roles/worker/tasks.ts'
import { watchClock } from './clock-skew.ts'
import { inDataDir } from './data-dir.ts'
import { followAddresses, makeDemo } from './first-start.ts'
import { healthRoutes, metricsRoute } from './health.ts'
import { listen, listenForStreams, SLACK_BYTES } from './listen.ts'
import { openServices } from './services.ts'
import { welcome } from './welcome.ts'

const GRACE_MS = 30_000

/** A running process with its roles. */
export interface Running {
  stop: () => Promise<void>
}

/** Opens all services and starts the roles. Listens only when everything works; closes everything when a part fails. */
export async function start(config: Config, log: Logger, print: (text: string) => void): Promise<Running> {
  const began = performance.now()
  await using opened = new AsyncDisposableStack()
  const { services, close: release } = await openServices(config, log)
  opened.defer(release)
  await checkStorage(services)
  const demo = await inDataDir(config.dataDir, async () => {
    const made = config.isDemo ? await makeDemo(services) : null
    if (!made) await followAddresses(services)
    return made
  })

  warnOfOutdated(services)
  warnOfMissingBounds(services)
  const clockWatch = watchClock(services)
  opened.defer(() => clockWatch.stop())

  let isStopping = false
  const hasRole = (role: (typeof config.roles)[number]) => config.roles.includes(role)
  const stream = hasRole('gateway') ? createStream(services) : null
  const gateway = stream && createGateway(services, stream)
  const main = listen({
    hostname: config.host,
    port: config.port,
    setting: 'PORT',
    routes: {
      ...healthRoutes(services, () => isStopping),
      ...(config.metricsPort === null && metricsRoute(services)),
      ...(stream && streamRoute(stream)),
    },
    fetch: gateway ? serve(gateway, config) : unknownPath(log),
  })
  opened.defer(() => main.stop(true))
  const edge = hasRole('edge') ? await listenEdge(services) : null
  opened.defer(() => edge?.stop(true))
  const metrics =
    config.metricsPort === null
      ? null
      : listen({
          hostname: config.host,
          port: config.metricsPort,
          setting: 'METRICS_PORT',
          routes: metricsRoute(services),
          fetch: unknownPath(log),
        })
  opened.defer(() => metrics?.stop(true))
  const worker = hasRole('worker') ? await startWorker(services, tasks) : null
  opened.defer(() => worker?.stop(0))
  const dispatcher = hasRole('worker') ? await startDispatcher(services) : null

  const ms = Math.round(performance.now() - began)
  const { version: ffmpeg, ffprobeVersion: ffprobe } = services.tools
  const addresses = { gateway: config.publicUrl, edge: edge ? config.edgeUrl : undefined }
  log.info({ roles: config.roles, ...addresses, ffmpeg, ffprobe, ms }, 'started')
  if (hasRole('gateway')) print(welcome(config, demo))
  opened.move()

  return {
    stop: async () => {
      isStopping = true
      clockWatch.stop()
      // Event streams do not end by themselves. Clients reconnect to another process.
      await services.notifications.end()
      await Promise.all([
        close(main),
        edge && close(edge),
        metrics?.stop(true),
        worker?.stop(GRACE_MS),
        dispatcher?.stop(GRACE_MS),
      ])
      await release()
    },
  }
}

/** Files of a folder are sent by `Bun.serve`, those of a bucket are streamed with their length. */
function listenEdge(services: Services) {
  const { config } = services
  const edge = createEdge(services)
  const address = { hostname: config.host, port: config.edgePort, setting: 'EDGE_PORT' } as const
  if (config.storage.kind === 's3') {
    return listenForStreams((request, sentPath, peer) => edge(request, { peer: () => peer }, sentPath), address)
  }
  const maxRequestBodySize = config.maxUploadBytes + SLACK_BYTES
  return listen({ ...address, ...edgeRoutes(edge), maxRequestBodySize })
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

/** Answers on a port without the gateway, except for health and metrics (operating.md, Pages). */
const unknownPath = (log: Logger) => (request: Request) =>
  isForBrowser(request)
    ? notFoundPage({ hasStartPage: false })
    : errorResponse(new AppError('not_found', 'path: does not exist'), {
        accept: request.headers.get('accept'),
        requestId: Bun.randomUUIDv7(),
        log,
      })

/** Looking up the client's address takes time, so only requests that need it do: GraphQL counts sign-ins by address. */
const serve =
  (gateway: Gateway, { isRateLimited }: Config) =>
  (request: Request, server: Bun.Server<undefined>): Response | Promise<Response> =>
    gateway(request, isRateLimited || GRAPHQL_URL.test(request.url) ? server.requestIP(request)?.address : undefined)

const GRAPHQL_URL = /^https?:\/\/[^/]+\/graphql(?:\?|$)/

/** The busiest path, which bypasses the router. */
export const streamRoute = (stream: Stream) => ({
  [STREAM_PATH]: {
    GET: (request: Bun.BunRequest, server: Bun.Server<undefined>) =>
      stream(request.params.trackId ?? '', request.params.apiKey ?? '', request, server.requestIP(request)?.address),
  },
})

/** Stops listening at once and waits for requests in flight, but not for idle connections. */
async function close(server: { stop: (isForced?: boolean) => Promise<void> }): Promise<void> {
  await Promise.race([server.stop(), Bun.sleep(GRACE_MS)])
  await server.stop(true)
}
