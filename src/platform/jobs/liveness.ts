import type { Services } from '../context.ts'
import { Connection } from '../db/connection.ts'

/** Interval of heartbeats, and pause after a failed one. */
const BEAT_MS = 3_000
const RETRY_MS = 1_000
/** Time for an answer of the database. */
const ANSWER_MS = 5_000
/** Time without a heartbeat after which a process aborts its jobs: before other pools may take them. */
const LOST_MS = 20_000

/** Time without a heartbeat, by the clock of the database, after which a pool counts as dead. */
export const DEAD = '30 seconds'
/** A longer pause between two heartbeats interrupts them. Shorter than `DEAD` by several heartbeats. */
const INTERRUPTED = '15 seconds'

const BEAT = `
  INSERT INTO worker_pool AS pool (id, slots) SELECT * FROM unnest($1::text[], $2::int[])
  ON CONFLICT (id) DO UPDATE SET beat_at = now(),
    slots = excluded.slots, alive_since = CASE WHEN pool.beat_at < now() - interval '${INTERRUPTED}' THEN now() ELSE pool.alive_since END
  RETURNING xmax = 0 AS is_new`

/** A subquery of the number of processing slots of all workers. */
export const TOTAL_SLOTS = `(
  SELECT coalesce(sum(slots), 0)::int FROM worker_pool WHERE beat_at > now() - interval '${DEAD}')`

/** Milliseconds. */
export interface HeartbeatTiming {
  beatMs?: number
  retryMs?: number
  answerMs?: number
  lostMs?: number
}

export interface Heartbeat {
  /** Removes the pools, so that they are not taken for dead ones. */
  end: () => Promise<void>
}

/**
 * Writes a heartbeat of these pools every few seconds, on a connection of its own.
 * @param onLost called when other pools may take the jobs of these: the database was out of reach for too long, or
 * another pool has declared them dead. Called once for each loss
 * @param slots processing slots by pool. Defaults to 0
 */
export async function startHeartbeat(
  { direct, log }: Pick<Services, 'direct' | 'log'>,
  pools: readonly string[],
  onLost: (reason: Error) => void,
  { beatMs = BEAT_MS, retryMs = RETRY_MS, answerMs = ANSWER_MS, lostMs = LOST_MS }: HeartbeatTiming = {},
  slots: Readonly<Record<string, number>> = {},
): Promise<Heartbeat> {
  let client: Connection | undefined
  let next: ReturnType<typeof setTimeout> | undefined
  let watch: ReturnType<typeof setTimeout> | undefined
  let beating: Promise<void> = Promise.resolve()
  let hasBeaten = false
  let failures = 0
  let isEnded = false

  async function connect(): Promise<Connection> {
    const timeouts = { connectionTimeoutMillis: answerMs, answerTimeoutMs: answerMs, statement_timeout: answerMs }
    const opened = new Connection({ ...direct.options, ...timeouts, keepAlive: true })
    // The next heartbeat fails and connects again.
    opened.on('error', () => {})
    try {
      await opened.connect()
    } catch (error) {
      opened.end().catch(() => {})
      throw error
    }
    return opened
  }

  async function beat(): Promise<void> {
    const sentAt = performance.now()
    client ??= await connect()
    const { rows } = await client.query<{ is_new: boolean }>(BEAT, [pools, pools.map((pool) => slots[pool] ?? 0)])
    if (hasBeaten && rows.some(({ is_new }) => is_new)) onLost(new Error('another worker declared this one dead'))
    hasBeaten = true
    if (failures > 0) log.info({ failures }, 'the worker reaches the database again')
    failures = 0
    watchFrom(sentAt)
  }

  /** Counts from the moment before a heartbeat was sent, because the database counts from one after it. */
  function watchFrom(sentAt: number): void {
    clearTimeout(watch)
    const lost = () => onLost(new Error('the worker cannot reach the database'))
    watch = setTimeout(lost, Math.max(0, sentAt + lostMs - performance.now()))
  }

  async function beatAgain(): Promise<void> {
    try {
      await beat()
      next = setTimeout(run, beatMs)
    } catch (error) {
      // Not awaited: the database may not answer.
      client?.end().catch(() => {})
      client = undefined
      if (failures === 0) log.warn({ err: error }, 'the worker cannot reach the database')
      failures += 1
      next = setTimeout(run, retryMs)
    }
    if (isEnded) clearTimeout(next)
  }
  function run(): void {
    beating = beatAgain()
  }

  await beat()
  next = setTimeout(run, beatMs)
  return {
    end: async () => {
      isEnded = true
      clearTimeout(next)
      await beating
      clearTimeout(watch)
      await client?.query('DELETE FROM worker_pool WHERE id = ANY($1::text[])', [pools]).catch(() => {})
      client?.end().catch(() => {})
    },
  }
}
