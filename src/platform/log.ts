import { type Logger, pino } from 'pino'
import { PinoPretty } from 'pino-pretty'
import { currentOrigin } from './origin.ts'

/**
 * Creates the log of a process, on standard output. Keys, tokens and signed addresses are never logged. Lines written by
 * a request or its jobs contain its ID, and that of its trace.
 */
export function createLog(level: string, format: 'pretty' | 'json'): Logger {
  const base = { level, base: {}, mixin: originOfLine, serializers: { err: serializeError } }
  if (format === 'json') {
    return pino({
      ...base,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    })
  }
  return pino(base, PinoPretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' }))
}

function originOfLine(): object {
  const { requestId = null, span = null } = currentOrigin() ?? {}
  return { ...(requestId !== null && { requestId }), ...(span && { traceId: span.spanContext().traceId }) }
}

/** Serializes an error. Driver errors reference whole connections, which are left out. */
function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return { type: name, message, code, stack, ...(cause === undefined ? {} : { cause: serializeError(cause) }) }
}
