import { type Logger, pino } from 'pino'
import { PinoPretty } from 'pino-pretty'

/** The log of a process, on standard output. Keys, tokens and signed addresses are never handed to it. */
export function createLog(level: string, format: 'pretty' | 'json'): Logger {
  const base = { level, base: {} }
  if (format === 'json') {
    return pino({
      ...base,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    })
  }
  return pino(base, PinoPretty({ sync: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' }))
}
