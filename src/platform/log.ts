import { type Logger, pino } from 'pino'
import { PinoPretty } from 'pino-pretty'

/** The log of a process, on standard output. Keys, tokens and signed addresses are never handed to it. */
export function createLog(level: string, format: 'pretty' | 'json'): Logger {
  const base = { level, base: {}, serializers: { err: toRestError } }
  if (format === 'json') {
    return pino({
      ...base,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    })
  }
  return pino(base, PinoPretty({ sync: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' }))
}

/** What the log keeps of an error. Errors of drivers carry whole connections with them. */
function toRestError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return { type: name, message, code, stack, ...(cause === undefined ? {} : { cause: toRestError(cause) }) }
}
