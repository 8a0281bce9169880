import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { noTracing, type Tracing } from './tracing.ts'

/** Creates the traces of a process. Loads no code of OpenTelemetry unless an endpoint is configured. */
export async function createTracing(settings: Config['tracing'], log: Logger): Promise<Tracing> {
  if (!settings) return noTracing
  const { createOtlpTracing } = await import('./otlp.ts')
  return createOtlpTracing(settings, log)
}
