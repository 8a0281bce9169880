import { Gauge, Registry } from 'prom-client'
import type { Services } from '../platform/context.ts'
import { readQueue } from '../platform/jobs/queue-state.ts'
import { freeScratchBytes } from '../platform/media/ffmpeg/scratch.ts'
import { readClockSkew } from './clock-skew.ts'

/** Time for which scrapes share a reading. */
const SHARED_MS = 15_000
const TIMEOUT_MS = 3_000

interface Reading<T> {
  startedMs: number
  isOpen: boolean
  /** Null if it failed. */
  result: Promise<T | null>
}

/**
 * Metrics that are read when they are scraped: the queue, free space, and the clock. A reading is made at most once in 15 seconds,
 * independent of the number of scrapes. One that fails leaves its metrics out.
 */
export function createGauges(
  { pool, storage, clock, log }: Pick<Services, 'pool' | 'storage' | 'clock' | 'log'>,
  { freeScratch = freeScratchBytes, timeoutMs = TIMEOUT_MS } = {},
): Registry {
  const registry = new Registry()

  /** @returns null while the reading fails or hangs. A hanging one is awaited again, not started a second time */
  function shared<T>(read: () => Promise<T>): () => Promise<T | null> {
    let latest: Reading<T> | undefined
    return () => {
      const now = clock().getTime()
      // Absolute difference, because a clock that was set back must not keep an old result.
      if (!latest || (!latest.isOpen && Math.abs(now - latest.startedMs) >= SHARED_MS)) {
        const next: Reading<T> = { startedMs: now, isOpen: true, result: read() }
        next.result = next.result
          .catch((error) => {
            log.debug({ err: error }, 'a metric could not be read')
            return null
          })
          .finally(() => {
            next.isOpen = false
          })
        latest = next
      }
      return withTimeout(latest.result, timeoutMs)
    }
  }

  const queue = shared(() => readQueue(pool, timeoutMs))
  new Gauge({
    name: 'tonearm_queue_jobs',
    help: 'Jobs in the queue, by task and state: waiting, later, running, exhausted.',
    labelNames: ['task', 'state'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { task, state, jobs } of (await queue()) ?? []) this.set({ task, state }, jobs)
    },
  })
  new Gauge({
    name: 'tonearm_queue_oldest_seconds',
    help: 'Time for which the oldest waiting job has been due, by task.',
    labelNames: ['task'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { task, state, seconds } of (await queue()) ?? []) if (state === 'waiting') this.set({ task }, seconds)
    },
  })
  const skew = shared(() => readClockSkew({ pool, clock }))
  new Gauge({
    name: 'tonearm_clock_skew_seconds',
    help: 'How many seconds the clock of this process is ahead of the clock of the database.',
    registers: [registry],
    async collect() {
      this.reset()
      const seconds = await skew()
      if (seconds !== null) this.set(seconds)
    },
  })
  const places = { storage: shared(() => storage.freeBytes()), scratch: shared(freeScratch) }
  new Gauge({
    name: 'tonearm_free_bytes',
    help: 'Free space of storage and scratch. Absent without a known limit, as for a bucket.',
    labelNames: ['place'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const [place, free] of Object.entries(places)) {
        const bytes = await free()
        if (bytes !== null) this.set({ place }, bytes)
      }
    },
  })
  return registry
}

async function withTimeout<T>(work: Promise<T | null>, ms: number): Promise<T | null> {
  const timer = Promise.withResolvers<null>()
  const timeout = setTimeout(() => timer.resolve(null), ms)
  try {
    return await Promise.race([work, timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}
