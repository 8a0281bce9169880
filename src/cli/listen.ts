import { type Config, OperatorError } from '../config.ts'
import { answerInvalidHost, isValidHost } from '../platform/http/host.ts'
import { serveStreams } from '../platform/http/stream-server.ts'
import { answerUnread, type RestLimits } from '../platform/http/unread-body.ts'

/** Longest idle time that Bun allows, in seconds, because slow clients must not be disconnected. */
const IDLE_SECONDS = 255
/** Added to every body limit of the service, so that the service itself answers a body that is too large. */
export const SLACK_BYTES = 64 << 20

// Any request: a route's has parameters.
type Handler = (request: Bun.BunRequest, server: Bun.Server<undefined>) => Response | Promise<Response>
/** A handler of all methods, or one for each method. */
type Route = Handler | Record<string, Handler>

export interface Port {
  /** Variable of the port, for error messages. */
  setting: 'PORT' | 'EDGE_PORT' | 'METRICS_PORT'
  port: number
}

/** Returns the ports of a service with these settings. */
export const listPorts = ({ roles, port, edgePort, metricsPort }: Config): Port[] => [
  { setting: 'PORT', port },
  ...(roles.includes('edge') ? [{ setting: 'EDGE_PORT' as const, port: edgePort }] : []),
  ...(metricsPort === null ? [] : [{ setting: 'METRICS_PORT' as const, port: metricsPort }]),
]

interface Listener extends Port {
  hostname: string
  routes?: Record<string, Route>
  fetch: Handler
  maxRequestBodySize?: number
  /** Whether other processes of this service listen on the same port. Defaults to false. */
  isShared?: boolean
  /** For bodies of refused requests. */
  restLimits?: RestLimits
}

/**
 * Listens on an address that no other process uses, other than those that share it. Requests without a valid Host header are answered with 400.
 * @throws OperatorError when the address cannot be used
 */
export function listen({
  setting,
  routes = {},
  fetch,
  maxRequestBodySize = SLACK_BYTES,
  isShared = false,
  restLimits,
  ...rest
}: Listener) {
  const guard = (handle: Handler, isHostOptional = false) => withHost(withUnread(handle, restLimits), isHostOptional)
  try {
    return Bun.serve({
      ...rest,
      routes: Object.fromEntries(Object.entries(routes).map(([path, route]) => [path, guarded(guard, path, route)])),
      fetch: guard(fetch),
      maxRequestBodySize,
      idleTimeout: IDLE_SECONDS,
      development: false,
      // Bun sets SO_REUSEPORT when `development` is false; a second service would share the port without an error.
      reusePort: isShared,
    })
  } catch (error) {
    throw asMistake(error, setting, rest.hostname, rest.port)
  }
}

/**
 * Listens on a port for a moment, to check that a service can.
 * @throws OperatorError when the address cannot be used
 */
export async function checkPort(hostname: string, port: Port): Promise<void> {
  await listen({ hostname, ...port, fetch: () => new Response(null, { status: 503 }) }).stop(true)
}

const guarded = (guard: (handle: Handler, isHostOptional: boolean) => Handler, path: string, route: Route): Route => {
  const isHostOptional = HOSTLESS.test(path)
  return typeof route === 'function'
    ? guard(route, isHostOptional)
    : Object.fromEntries(Object.entries(route).map(([method, handle]) => [method, guard(handle, isHostOptional)]))
}

/** Routes that answer without a Host header: probes of load balancers with HTTP/1.0 send none. Their `url` is a path. */
const HOSTLESS = /^\/(?:health\/|metrics$)/

/** Answers refused requests before their body has arrived. */
const withUnread =
  (handle: Handler, limits?: RestLimits): Handler =>
  (request, server) => {
    const answered = handle(request, server)
    if (request.method === 'GET' || request.method === 'HEAD') return answered
    const keep = (seconds: number) => server.timeout(request, seconds)
    return Promise.resolve(answered).then((response) => answerUnread(request, response, keep, limits))
  }

/** Refuses requests whose URL cannot be parsed because of their Host header. */
const withHost =
  (handle: Handler, isHostOptional = false): Handler =>
  (request, server) => {
    const host = request.headers.get('host')
    if ((isHostOptional && host === null) || isValidHost(host)) return handle(request, server)
    return answerInvalidHost(request.method, host)
  }

/**
 * Listens like `listen`, but keeps the Content-Length of streamed bodies. Shares its port in a process of
 * `node:cluster` only.
 * @throws OperatorError when the address cannot be used
 */
export async function listenForStreams(
  handle: Parameters<typeof serveStreams>[0],
  { setting, ...address }: Pick<Listener, 'hostname' | 'port' | 'setting' | 'restLimits'>,
) {
  try {
    return await serveStreams(handle, address)
  } catch (error) {
    throw asMistake(error, setting, address.hostname, address.port)
  }
}

function asMistake(error: unknown, setting: string, hostname: string, port: number): unknown {
  const mistake = toMistake(error, setting, hostname, port)
  return mistake ? new OperatorError(mistake, { cause: error }) : error
}

function toMistake(error: unknown, setting: string, hostname: string, port: number): string | null {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `${setting}: ${hostname}:${port} is in use by another process`
    case 'EACCES':
      return `${setting}: ${port} is a privileged port; choose 1024 or above, or grant the process CAP_NET_BIND_SERVICE`
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
    case 'ENOTFOUND':
      return `HOST: this machine has no address ${hostname}`
    default:
      return null
  }
}
