import type { Span } from '@opentelemetry/api'
import type { Counter, Histogram } from 'prom-client'
import type { Services } from '../context.ts'
import { currentOrigin, type StoredOrigin, withOrigin } from '../origin.ts'
import type { Exchange } from './exchange.ts'
import { createRequestLog } from './request-log.ts'

export interface Instruments {
  requests: Counter<'route' | 'method' | 'status'>
  seconds: Histogram<'route' | 'method'>
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
function createRecorder({ config, log }: Needed, { requests, seconds, isSampled = false }: Instruments) {
  const write = createRequestLog(log, isSampled ? config.logStreamSample : 1)
  return (request: Request, exchange: Exchange, response: Response, beganMs: number): Response => {
    if (exchange.isRecorded) return response
    const ms = performance.now() - beganMs
    const { route } = exchange
    const { status } = response
    const method = methods.has(request.method) ? request.method : 'other'
    describe(currentOrigin()?.span, route, method, status)
    requests.inc({ route, method, status })
    seconds.observe({ route, method }, ms / 1000)
    write(exchange, method, status, ms)
    return response
  }
}

/**
 * Creates a function that answers a request and records the answer. The work of the answer has the request as its
 * origin.
 */
export function createObserver(services: Needed, instruments: Instruments) {
  const record = createRecorder(services, instruments)
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
        { kind: 'server', isRoot: true, remote: remoteOf(request), attributes },
        observed,
      )
    })
  }
}

/** Returns the trace that the client continues. */
function remoteOf({ headers }: Request): StoredOrigin | undefined {
  const traceparent = headers.get('traceparent')
  return traceparent === null ? undefined : { traceparent, tracestate: headers.get('tracestate') ?? undefined }
}

function describe(span: Span | null | undefined, route: string, method: string, status: number): void {
  if (!span?.isRecording()) return
  span.updateName(`${method} ${route}`)
  span.setAttributes({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status })
  if (status >= 500) span.setStatus({ code: 2 })
}
