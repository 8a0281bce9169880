import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

/** Creates the metrics of a process, for `GET /metrics`. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new Counter({
      name: 'tonearm_http_requests_total',
      help: 'Answers sent by the gateway, by method and status.',
      labelNames: ['method', 'status'],
      registers: [registry],
    }),
    streams: new Counter({
      name: 'tonearm_stream_requests_total',
      help: 'Stream links opened, by outcome.',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    uploadedBytes: new Counter({
      name: 'tonearm_uploaded_bytes_total',
      help: 'Bytes of accepted uploads.',
      registers: [registry],
    }),
    deliveredBytes: new Counter({
      name: 'tonearm_delivered_bytes_total',
      help: 'Bytes of delivery answers.',
      registers: [registry],
    }),
    tracks: new Counter({
      name: 'tonearm_tracks_total',
      help: 'Tracks whose processing ended, by the state that they have then.',
      labelNames: ['status'],
      registers: [registry],
    }),
    storageErrors: new Counter({
      name: 'tonearm_storage_errors_total',
      help: 'Failed operations of storage, by operation.',
      labelNames: ['operation'],
      registers: [registry],
    }),
    jobs: new Counter({
      name: 'tonearm_jobs_total',
      help: 'Attempts of jobs that ended, by task and outcome.',
      labelNames: ['task', 'outcome'],
      registers: [registry],
    }),
    webhookAttempts: new Counter({
      name: 'tonearm_webhook_attempts_total',
      help: 'Attempts to deliver an event to an endpoint, by outcome.',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    processingSeconds: new Histogram({
      name: 'tonearm_processing_seconds',
      help: 'Time from the start of a processing job to its end.',
      buckets: [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600],
      registers: [registry],
    }),
  }
}
