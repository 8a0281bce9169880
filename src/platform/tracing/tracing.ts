import type { Attributes, Span } from '@opentelemetry/api'
import type { StoredOrigin } from '../origin.ts'

export interface SpanOptions {
  /** Defaults to `internal`. */
  kind?: 'server' | 'client' | 'consumer' | 'internal'
  attributes?: Attributes
  /** Continues the trace of another process. Without a valid `traceparent`, only `isRoot` begins a trace. */
  remote?: StoredOrigin
  /** Whether it begins a trace if it has none to continue. Defaults to false. */
  isRoot?: boolean
}

/** Traces of a process, for OTLP. */
export interface Tracing {
  isOn: boolean
  /**
   * Runs work in a span that ends with it. A rejection is recorded and thrown unchanged. Outside of a recorded trace,
   * the work runs without a span.
   */
  inSpan: <T>(name: string, options: SpanOptions, work: (span: Span | null) => T) => T
  /** Sends the remaining spans, for a few seconds at most. */
  end: () => Promise<void>
}

export const noTracing: Tracing = { isOn: false, inSpan: (_name, _options, work) => work(null), end: async () => {} }
