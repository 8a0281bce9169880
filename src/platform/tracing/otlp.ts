import { DiagLogLevel, diag, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { TracingSettings } from '../../config.ts'
import { currentOrigin, type StoredOrigin, withOrigin } from '../origin.ts'
import { version } from '../version.ts'
import type { Tracing } from './tracing.ts'

/** Spans that wait for the exporter. Further ones are dropped, so that a receiver that is away costs no memory. */
const MAX_WAITING = 4096
const MAX_BATCH = 512
const EXPORT_MS = 10_000
const PARTING_MS = 5_000
/** Interval of log lines about a receiver that cannot be reached. */
const COMPLAINT_MS = 60_000

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
}

/** Sends traces by OTLP over HTTP, in batches. A failure of the receiver is logged and affects nothing else. */
export function createOtlpTracing(settings: TracingSettings, log: Logger): Tracing {
  complainTo(log)
  const { url, headers, attributes, serviceName } = settings
  const Exporter = settings.protocol === 'http/json' ? JsonExporter : ProtobufExporter
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.version': version, ...attributes, 'service.name': serviceName }),
    sampler: createSampler(settings),
    spanLimits: { attributeValueLengthLimit: 2000, attributeCountLimit: 64, eventCountLimit: 16 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new Exporter({ url, headers, timeoutMillis: EXPORT_MS, concurrencyLimit: 2 }),
        maxQueueSize: MAX_WAITING,
        maxExportBatchSize: MAX_BATCH,
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  })
  const tracer = provider.getTracer('tonearm', version)
  return {
    isOn: true,
    inSpan(name, { kind = 'internal', attributes, remote, isRoot = false }, work) {
      const origin = currentOrigin()
      const parent = remote ? toContext(remote) : origin?.span && trace.setSpan(ROOT_CONTEXT, origin.span)
      if (!parent && !isRoot) return work(null)
      // Spans within a trace that is not recorded would only cost time.
      if (!remote && origin?.span?.isRecording() === false) return work(null)
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent ?? ROOT_CONTEXT)
      return withOrigin({ requestId: origin?.requestId ?? null, span }, () => ending(span, work))
    },
    async end() {
      await Promise.race([provider.shutdown().catch(() => {}), Bun.sleep(PARTING_MS)])
    },
  }
}

/** Runs work and ends the span after it. */
function ending<T>(span: Span, work: (span: Span) => T): T {
  const fail = (error: unknown): never => {
    span.recordException(error as Error)
    span.setStatus({ code: SpanStatusCode.ERROR, message: String((error as Error)?.message ?? error) })
    span.end()
    throw error
  }
  let result: T
  try {
    result = work(span)
  } catch (error) {
    return fail(error)
  }
  if (!(result instanceof Promise)) {
    span.end()
    return result
  }
  return result.then((value: unknown) => {
    span.end()
    return value
  }, fail) as T
}

const propagator = new W3CTraceContextPropagator()

/** Returns the context of another process. Null without a valid one. */
function toContext(remote: StoredOrigin) {
  const getter = {
    keys: () => Object.keys(remote),
    get: (_: unknown, key: string) => remote[key as keyof StoredOrigin],
  }
  const context = propagator.extract(ROOT_CONTEXT, remote, getter)
  return trace.getSpanContext(context) ? context : null
}

function createSampler({ sampler, samplerArg }: TracingSettings): Sampler {
  const [, isByParent, kind] = /^(parentbased_)?(.*)$/.exec(sampler) ?? []
  const root =
    kind === 'always_on'
      ? new AlwaysOnSampler()
      : kind === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(samplerArg)
  return isByParent ? new ParentBasedSampler({ root }) : root
}

/** Logs the complaints of the exporter, one in a minute. */
function complainTo(log: Logger): void {
  let loggedMs = Number.NEGATIVE_INFINITY
  const complain = (message: string) => {
    if (performance.now() - loggedMs < COMPLAINT_MS) return
    loggedMs = performance.now()
    log.warn({ reason: message.slice(0, 500) }, 'traces could not be sent')
  }
  const silent = () => {}
  diag.setLogger(
    { error: complain, warn: complain, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}
