import type { Span } from '@opentelemetry/api'
import type { Services } from '../context.ts'
import { currentOrigin, type StoredOrigin, withOrigin } from '../origin.ts'
import type { Counts, Timings } from '../timings.ts'
import type { Exchange } from './exchange.ts'
import { createRequestLog } from './request-log.ts'

export interface Instruments {
  /** By route, method and status. */
  requests: Counts
  /** By route and method. */
  seconds: Timings
  /** Whether only a share of the successful requests is logged (LOG_STREAM_SAMPLE). Defaults to false. */
  isSampled?: boolean
}

/** Methods that are labels. A client can send any word. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

type Needed = Pick<Services, 'config' | 'log' | 'tracing'>

/**
 * Creates a function that counts an answer, records its time and logs a line.
 * @returns the same answer
 */
export function createRequestRecorder(
  { config, log, tracing }: Needed,
  { requests, seconds, isSampled = false }: Instruments,
) {
  const write = createRequestLog(log, isSampled ? config.logStreamSample : 1)
  // By route, method and status: looking them up takes less time than joining them to a key.
  const meters = nested((route: string) =>
    nested((method: string) => {
      const timing = seconds.of(route, method)
      return nested((status: number) => ({ timing, count: requests.of(route, method, String(status)) }))
    }),
  )
  return (request: Request, exchange: Exchange, response: Response, beganMs: number): Response => {
    if (exchange.isRecorded) return response
    const ms = performance.now() - beganMs
    const { route } = exchange
    const { status } = response
    const method = methods.has(request.method) ? request.method : 'other'
    if (tracing.isOn) describe(currentOrigin()?.span, route, method, status)
    const { timing, count } = meters(route)(method)(status)
    count.value += 1
    timing.observe(ms / 1000)
    write(exchange, method, status, ms)
    return response
  }
}

/**
 * Creates a function that answers a request and records the answer. The work of the answer has the request as its
 * origin.
 */
export function createObserver(services: Needed, instruments: Instruments) {
  const record = createRequestRecorder(services, instruments)
  const { tracing } = services
  return <T extends Response | Promise<Response>>(request: Request, exchange: Exchange, answer: () => T): T => {
    const began = performance.now()
    const observed = () => {
      const result = answer()
      return (
        result instanceof Promise
          ? result.then((response) => record(request, exchange, response, began))
          : record(request, exchange, result, began)
      ) as T
    }
    const { requestId } = exchange
    return withOrigin({ requestId, span: null }, () => {
      if (!tracing.isOn) return observed()
      const attributes = { 'tonearm.request_id': requestId }
      return tracing.inSpan(
        request.method,
        { kind: 'server', isRoot: true, remote: readRemoteOrigin(request), attributes },
        observed,
      )
    })
  }
}

/** Returns a function that creates the value of a key once. */
function nested<K, V>(create: (key: K) => V): (key: K) => V {
  const values = new Map<K, V>()
  return (key) => {
    const existingValue = values.get(key)
    if (existingValue !== undefined) return existingValue
    const value = create(key)
    values.set(key, value)
    return value
  }
}

/** Returns the trace that the client continues. */
function readRemoteOrigin({ headers }: Request): StoredOrigin | undefined {
  const traceparent = headers.get('traceparent')
  return traceparent === null ? undefined : { traceparent, tracestate: headers.get('tracestate') ?? undefined }
}

function describe(span: Span | null | undefined, route: string, method: string, status: number): void {
  if (!span?.isRecording()) return
  span.updateName(`${method} ${route}`)
  span.setAttributes({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status })
  if (status >= 500) span.setStatus({ code: 2 })
}
