import type { Logger } from 'pino'
import type { Config, Role } from '../config.ts'
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
import { startBackups } from './backup/schedule.ts'
import { watchClock } from './clock-skew.ts'
import { deliveryDomainRoute, healthRoutes, metricsRoute } from './health.ts'
import { listen, listenForStreams, SLACK_BYTES } from './listen.ts'

/** Time that requests in flight and running jobs have at a stop, in milliseconds. */
export const GRACE_MS = 30_000

/** A running process with its roles. */
export interface Running {
  stop: () => Promise<void>
}

/** How a process takes part in the service. */
export interface Membership {
  /** Whether this process listens. A worker that another process supervises does not. */
  listens: boolean
  /** Whether other processes of this service listen on the same ports. */
  isShared: boolean
  readMetrics: () => Promise<string>
  /** Whether METRICS_PORT is this process's. */
  hasMetricsPort: boolean
}

/**
 * Starts the roles of a process. Stops all when a part fails.
 * @throws OperatorError when an address cannot be used
 */
export async function serve(services: Services, membership: Membership): Promise<Running> {
  const { config } = services
  await using opened = new AsyncDisposableStack()
  const clockWatch = watchClock(services)
  opened.defer(() => clockWatch.stop())
  let isStopping = false
  const hasRole = (role: Role) => config.roles.includes(role)
  const main = membership.listens ? listenMain(services, membership, () => isStopping) : null
  opened.defer(() => main?.stop(true))
  const edge = membership.listens && hasRole('edge') ? await listenEdge(services, membership) : null
  opened.defer(() => edge?.stop(true))
  const metrics = membership.hasMetricsPort ? listenMetrics(config, services.log, membership.readMetrics) : null
  opened.defer(() => metrics?.stop(true))
  const worker = hasRole('worker') ? await startWorker(services, tasks) : null
  opened.defer(() => worker?.stop(0))
  const dispatcher = hasRole('worker') ? await startDispatcher(services) : null
  const backups = hasRole('worker') ? startBackups(services) : null
  opened.move()

  return {
    stop: async () => {
      isStopping = true
      backups?.stop()
      clockWatch.stop()
      // Event streams do not end by themselves. Clients reconnect to another process.
      await services.notifications.end()
      await Promise.all([
        main && close(main),
        edge && close(edge),
        metrics?.stop(true),
        worker?.stop(GRACE_MS),
        dispatcher?.stop(GRACE_MS),
      ])
    },
  }
}

/** Every process that listens serves health on PORT, independent of its roles. */
function listenMain(services: Services, { isShared, readMetrics }: Membership, isStopping: () => boolean) {
  const { config, log } = services
  const stream = config.roles.includes('gateway') ? createStream(services) : null
  const gateway = stream && createGateway(services, stream)
  return listen({
    hostname: config.host,
    port: config.port,
    setting: 'PORT',
    isShared,
    routes: {
      ...healthRoutes(services, isStopping),
      ...(config.roles.includes('edge') && deliveryDomainRoute(services)),
      ...(config.metricsPort === null && metricsRoute(readMetrics)),
      ...(stream && streamRoute(stream)),
    },
    fetch: gateway ? answerGateway(gateway, config) : unknownPath(log),
  })
}

/** Listens on METRICS_PORT, or returns null if it is not set. */
export function listenMetrics({ host, metricsPort }: Config, log: Logger, readMetrics: () => Promise<string>) {
  if (metricsPort === null) return null
  return listen({
    hostname: host,
    port: metricsPort,
    setting: 'METRICS_PORT',
    routes: metricsRoute(readMetrics),
    fetch: unknownPath(log),
  })
}

/** Files of a folder are sent by `Bun.serve`, those of a bucket are streamed with their length. */
function listenEdge(services: Services, { isShared }: Membership) {
  const { config } = services
  const edge = createEdge(services)
  const address = { hostname: config.host, port: config.edgePort, setting: 'EDGE_PORT' } as const
  if (config.storage.kind === 's3') {
    return listenForStreams(async (request, sentPath, peer) => edge(request, { peer: () => peer }, sentPath), address)
  }
  const maxRequestBodySize = config.maxUploadBytes + SLACK_BYTES
  return listen({ ...address, ...edgeRoutes(edge), maxRequestBodySize, isShared })
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
const answerGateway =
  (gateway: Gateway, { isRateLimited }: Config) =>
  (request: Request, server: Bun.Server<undefined>): Response | Promise<Response> =>
    gateway(request, isRateLimited || GRAPHQL_URL.test(request.url) ? server.requestIP(request)?.address : undefined)

const GRAPHQL_URL = /^https?:\/\/[^/]+\/graphql(?:\?|$)/

/** The busiest path, which bypasses the router. */
export const streamRoute = (stream: Stream) => ({
  [STREAM_PATH]: {
    GET: (request: Bun.BunRequest, server: Bun.Server<undefined>) =>
      stream(
        request.params.trackId ?? '',
        request.params.apiKey ?? '',
        request,
        () => server.requestIP(request)?.address,
      ),
  },
})

/** Stops listening at once and waits for requests in flight, but not for idle connections. */
async function close(server: { stop: (isForced?: boolean) => Promise<void> }): Promise<void> {
  await Promise.race([server.stop(), Bun.sleep(GRACE_MS)])
  await server.stop(true)
}
