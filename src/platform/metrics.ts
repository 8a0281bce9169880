import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { Counts, Timings } from './timings.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** Seconds of requests, statements and short jobs. */
const SHORT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15]
/** Seconds of jobs and steps of processing. */
const LONG = [0.05, 0.25, 1, 2.5, 5, 15, 30, 60, 300, 900, 3600]

/** Options of the metrics of any process. The delay of the event loop is sampled each 50 ms: 10 ms, the default, wakes an idle process 100 times a second. */
export const processMetrics = { eventLoopMonitoringPrecision: 50 }

/**
 * Creates the metrics of a process, for `GET /metrics`. Names, labels and HELP texts are an interface: dashboards and
 * alerts in `.config/deploy` use them, and labels have a small fixed set of values.
 */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ ...processMetrics, register: registry })
  const registers = [registry]
  /** @param series known values of its label. Each begins at 0, because a rate does not see the jump of a series that is new */
  const counter = <L extends string = never>(
    name: string,
    help: string,
    labelNames: L[] = [],
    series: string[] = [],
  ) => {
    const created = new Counter<L>({ name, help, labelNames, registers })
    for (const value of series) created.inc({ [labelNames[0] as L]: value } as Record<L, string>, 0)
    return created
  }
  const histogram = <L extends string = never>(name: string, help: string, buckets: number[], labelNames: L[] = []) =>
    new Histogram<L>({ name, help, labelNames, buckets, registers })
  /** For measurements of every request. */
  const timings = (name: string, help: string, labelNames: string[] = []) =>
    new Timings(registry, { name, help, labelNames, buckets: SHORT })
  const counts = (name: string, help: string, labelNames: string[]) => new Counts(registry, { name, help, labelNames })
  return {
    registry,
    requests: counts('tonearm_http_requests_total', 'Answers sent by the gateway, by route, method and status.', [
      'route',
      'method',
      'status',
    ]),
    requestSeconds: timings(
      'tonearm_http_request_duration_seconds',
      'Time until the gateway has an answer, by route and method. An event stream counts until it begins.',
      ['route', 'method'],
    ),
    edgeRequests: counts('tonearm_edge_requests_total', 'Answers sent by the edge, by route, method and status.', [
      'route',
      'method',
      'status',
    ]),
    edgeSeconds: timings(
      'tonearm_edge_request_duration_seconds',
      'Time until the first byte of an answer of the edge, by route and method. An upload counts until its last byte.',
      ['route', 'method'],
    ),
    reads: counter(
      'tonearm_database_reads_total',
      'Reads of lists, counts, usage and exports with a read replica, by target: replica, primary.',
      ['target'],
    ),
    streams: counter(
      'tonearm_stream_requests_total',
      'Stream links opened, by outcome: redirect, refused, failed.',
      ['outcome'],
      ['redirect', 'refused', 'failed'],
    ),
    operationSeconds: timings(
      'tonearm_graphql_operation_duration_seconds',
      'Time of a GraphQL operation, by type and outcome. A subscription counts until it begins.',
      ['type', 'outcome'],
    ),
    subscriptions: new Gauge({
      name: 'tonearm_subscriptions',
      help: 'Open event streams of GraphQL subscriptions.',
      registers,
    }),
    operationErrors: counter(
      'tonearm_graphql_errors_total',
      'Errors in answers of GraphQL, by code.',
      ['code'],
      ['internal', 'unavailable', 'timeout'],
    ),
    uploadedBytes: counter('tonearm_uploaded_bytes_total', 'Bytes of accepted uploads.'),
    deliveredBytes: counter('tonearm_delivered_bytes_total', 'Bytes of delivery answers.'),
    tracks: counter(
      'tonearm_tracks_total',
      'Tracks whose processing ended, by the state that they have then.',
      ['status'],
      ['ready', 'error', 'init_error'],
    ),
    storageErrors: counter(
      'tonearm_storage_errors_total',
      'Failed operations of storage, by operation.',
      ['operation'],
      ['check', 'put', 'receive', 'commit', 'fetch', 'read', 'remove'],
    ),
    storageSeconds: timings(
      'tonearm_storage_operation_duration_seconds',
      'Time of an operation of storage, by operation and outcome. Reading counts until the first byte.',
      ['operation', 'outcome'],
    ),
    jobs: counter('tonearm_jobs_total', 'Attempts of jobs that ended, by task and outcome.', ['task', 'outcome']),
    jobSeconds: histogram('tonearm_job_duration_seconds', 'Time of an attempt of a job, by task.', LONG, ['task']),
    webhookAttempts: counter(
      'tonearm_webhook_attempts_total',
      'Attempts to deliver an event to an endpoint, by outcome.',
      ['outcome'],
      ['delivered', 'failed'],
    ),
    webhookSeconds: histogram(
      'tonearm_webhook_attempt_duration_seconds',
      'Time of an attempt to deliver an event to an endpoint, by outcome.',
      SHORT,
      ['outcome'],
    ),
    processingSeconds: histogram(
      'tonearm_processing_seconds',
      'Time from the start of a processing job to its end.',
      [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600],
    ),
    stepSeconds: histogram('tonearm_processing_step_duration_seconds', 'Time of a step of processing, by step.', LONG, [
      'step',
    ]),
    encodeSpeed: histogram(
      'tonearm_encode_speed_ratio',
      'Seconds of a recording that are encoded in a second, by codec. Files encoded in one pass have the speed of the pass.',
      [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500],
      ['codec'],
    ),
    acquireSeconds: timings(
      'tonearm_database_acquire_duration_seconds',
      'Time until the pool of database connections provides one.',
    ),
    acquireErrors: counter('tonearm_database_acquire_errors_total', 'Connections that the pool could not provide.'),
    signInFailures: counter(
      'tonearm_sign_in_failures_total',
      'Refused sign-ins of administrators, by reason: wrong, code, passkey, limited, issuer.',
      ['reason'],
      ['wrong', 'code', 'passkey', 'limited', 'issuer'],
    ),
    rateLimited: counter(
      'tonearm_rate_limited_requests_total',
      'Requests refused by a rate limit, by limit.',
      ['limit'],
      ['key', 'organization', 'address'],
    ),
  }
}
