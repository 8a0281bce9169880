import { Gauge, Registry } from 'prom-client'
import { PRIORITY_STEP } from '../domain/processing/queue/tasks.ts'
import { readBacklog } from '../domain/webhook/delivery/backlog.ts'
import type { Services } from '../platform/context.ts'
import { readBackupTimes } from '../platform/db/backup-times.ts'
import { readShared } from '../platform/db/shared-reading.ts'
import { type QueueCount, readQueue } from '../platform/jobs/queue-state.ts'
import { freeScratchBytes } from '../platform/media/ffmpeg/scratch.ts'
import { version } from '../platform/version.ts'
import { readClockSkew } from './clock-skew.ts'

/** Time for which scrapes of a process share a reading. */
const SHARED_MS = 15_000
/** Time for which processes share a reading of the database. */
const BETWEEN_PROCESSES_MS = 10_000
const TIMEOUT_MS = 3_000

interface Reading<T> {
  startedMs: number
  isOpen: boolean
  /** Null if it failed. */
  result: Promise<T | null>
}

/**
 * Metrics that are read when they are scraped: the queue, webhooks, connections, free space, and the clock. A reading is
 * made at most once in 15 seconds, independent of the number of scrapes, and one of whole tables by one process for all.
 * One that fails leaves its metrics out.
 */
export function createGauges(
  {
    pool,
    replica,
    storage,
    clock,
    log,
    config,
  }: Pick<Services, 'pool' | 'replica' | 'storage' | 'clock' | 'log' | 'config'>,
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

  const sharedByAll = <T>(name: string, read: () => Promise<T>) =>
    shared(() => readShared(pool, { name, now: clock(), maxAgeMs: BETWEEN_PROCESSES_MS, timeoutMs }, read))
  const queue = sharedByAll('queue', () => readQueue(pool, PRIORITY_STEP, timeoutMs))
  new Gauge({
    name: 'tonearm_queue_jobs',
    help: 'Jobs in the queue, by task and state: waiting, later, running, exhausted.',
    labelNames: ['task', 'state'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { task, state, jobs } of withoutTurns(await queue())) this.set({ task, state }, jobs)
    },
  })
  new Gauge({
    name: 'tonearm_queue_oldest_seconds',
    help: 'Time for which the oldest waiting job has been due, by task.',
    labelNames: ['task'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { task, seconds } of selectWaiting(withoutTurns(await queue()))) this.set({ task }, seconds)
    },
  })
  new Gauge({
    name: 'tonearm_queue_turn_jobs',
    help: 'Waiting jobs, by task and by jobs of the same organization ahead: next (0), few (to 9), many (to 99), bulk.',
    labelNames: ['task', 'turn'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { task, turn, jobs } of selectWaiting(await queue())) this.set({ task, turn }, jobs)
    },
  })
  new Gauge({
    name: 'tonearm_queue_turn_oldest_seconds',
    help: 'Time for which the oldest waiting job has been due, by task and by jobs of the same organization ahead.',
    labelNames: ['task', 'turn'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { task, turn, seconds } of selectWaiting(await queue())) this.set({ task, turn }, seconds)
    },
  })
  const webhooks = sharedByAll('webhooks', () => readBacklog(pool, clock(), timeoutMs))
  new Gauge({
    name: 'tonearm_webhook_pending_deliveries',
    help: 'Webhook deliveries that are not delivered or given up, by state of their endpoints. At most 100000.',
    labelNames: ['endpoints'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { endpoints, deliveries } of (await webhooks()) ?? []) this.set({ endpoints }, deliveries)
    },
  })
  new Gauge({
    name: 'tonearm_webhook_oldest_seconds',
    help: 'Time for which the oldest attempt of a webhook delivery has been due, by state of their endpoints.',
    labelNames: ['endpoints'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { endpoints, seconds } of (await webhooks()) ?? []) this.set({ endpoints }, seconds)
    },
  })
  new Gauge({
    name: 'tonearm_database_connections',
    help: 'Connections of the pool of this process, by state: in_use, idle.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount)
    },
  })
  new Gauge({
    name: 'tonearm_database_connections_max',
    help: 'Most connections that the pool of this process opens.',
    registers: [registry],
  }).set(pool.options?.max ?? 0)
  new Gauge({
    name: 'tonearm_database_waiting',
    help: 'Requests of this process that wait for a connection of the pool.',
    registers: [registry],
    collect() {
      this.set(pool.waitingCount)
    },
  })
  new Gauge({
    name: 'tonearm_build_info',
    help: 'Always 1. Versions and roles of the process.',
    labelNames: ['version', 'bun', 'roles'],
    registers: [registry],
  }).set({ version, bun: Bun.version, roles: config.roles.join(',') }, 1)
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
  if (config.backup.to !== undefined) {
    const backups = shared(() => readBackupTimes(pool))
    new Gauge({
      name: 'tonearm_backup_last_success_timestamp_seconds',
      help: 'Time of the last complete backup, in seconds since 1970. 0 before the first. With BACKUP_TO.',
      registers: [registry],
      async collect() {
        this.reset()
        const times = await backups()
        if (times) this.set((times.lastBackupAt?.getTime() ?? 0) / 1000)
      },
    })
  }
  if (replica) {
    const lag = shared(() => replica.readLag())
    new Gauge({
      name: 'tonearm_replica_lag_seconds',
      help: 'How many seconds the read replica is behind the database. Absent while it does not answer.',
      registers: [registry],
      async collect() {
        this.reset()
        const seconds = await lag()
        if (seconds !== null) this.set(seconds)
      },
    })
  }
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

const selectWaiting = (counts: QueueCount[] | null) => (counts ?? []).filter(({ state }) => state === 'waiting')

/** Adds up the jobs of a task and state, with the time of the oldest. */
function withoutTurns(counts: QueueCount[] | null): QueueCount[] {
  const sums = new Map<string, QueueCount>()
  for (const count of counts ?? []) {
    const key = `${count.task} ${count.state}`
    const sum = sums.get(key)
    const jobs = count.jobs + (sum?.jobs ?? 0)
    sums.set(key, { ...count, jobs, seconds: Math.max(count.seconds, sum?.seconds ?? 0) })
  }
  return [...sums.values()]
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
