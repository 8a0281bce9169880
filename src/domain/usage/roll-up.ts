import type { Pool, PoolClient } from 'pg'
import { locks } from '../../platform/db/locks.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'

/**
 * Delay between the end of an hour and its sums. A row has the time of its request and is committed later, at most by
 * the statement timeout and the difference between the clocks of processes.
 */
const SETTLING_MS = 900_000
/** Age of the sums that are recomputed by each run, for rows that were committed even later. */
const REPEATED_MS = 3 * HOUR_MS

/** Exclusive end of the hours that have sums, or will have with the next run. */
export const settledTo = (now: Date): Date => new Date(floor(now.getTime() - SETTLING_MS, HOUR_MS))

const floor = (ms: number, unit: number) => Math.floor(ms / unit) * unit

/**
 * Sums the ledger by hours, and past days by days. Each day is one transaction, which recomputes the sums of its hours
 * from the ledger. Safe to kill at any point, to repeat and to run concurrently.
 */
export async function rollUpPlays(pool: Pool, now: Date, signal?: AbortSignal): Promise<void> {
  const end = settledTo(now)
  let start: Date | null = null
  do {
    signal?.throwIfAborted()
    start = await inTransaction(pool, (client) => rollUpDay(client, start, end))
  } while (start && start < end)
}

/**
 * @param from start; null for the first hour to sum
 * @returns the exclusive end of the sums; null when nothing is left
 */
async function rollUpDay(client: PoolClient, from: Date | null, end: Date): Promise<Date | null> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [locks.usageRollUp])
  const start = from ?? (await firstHour(client))
  if (!start || start >= end) return null
  const day = new Date(floor(start.getTime(), DAY_MS))
  const next = new Date(day.getTime() + DAY_MS)
  const to = next < end ? next : end
  await client.query(`DELETE FROM play_count WHERE span = 'hour' AND starts_at >= $1 AND starts_at < $2`, [start, to])
  await client.query(
    `INSERT INTO play_count (span, starts_at, organization_id, key_id, track_id, variant_id, collection_id, creator_id,
       requests, listens)
     SELECT 'hour', date_trunc('hour', created_at, 'UTC'), organization_id, key_id, track_id, variant_id, collection_id,
       creator_id, count(*), count(*) FILTER (WHERE exclusion IS NULL)
     FROM play_event WHERE created_at >= $1 AND created_at < $2 GROUP BY 2, 3, 4, 5, 6, 7, 8`,
    [start, to],
  )
  if (to.getTime() === next.getTime()) await rollUpHours(client, day, next)
  await client.query(
    `INSERT INTO play_counted (counted_to) VALUES ($1)
     ON CONFLICT (id) DO UPDATE SET counted_to = greatest(play_counted.counted_to, excluded.counted_to)`,
    [to],
  )
  return to
}

async function rollUpHours(client: PoolClient, day: Date, next: Date): Promise<void> {
  await client.query(`DELETE FROM play_count WHERE span = 'day' AND starts_at = $1`, [day])
  await client.query(
    `INSERT INTO play_count (span, starts_at, organization_id, key_id, track_id, variant_id, collection_id, creator_id,
       requests, listens)
     SELECT 'day', $1, organization_id, key_id, track_id, variant_id, collection_id, creator_id,
       sum(requests), sum(listens)
     FROM play_count WHERE span = 'hour' AND starts_at >= $1 AND starts_at < $2 GROUP BY 3, 4, 5, 6, 7, 8`,
    [day, next],
  )
}

/** The first hour to sum. It never precedes the rows that the ledger still has. */
async function firstHour(client: PoolClient): Promise<Date | null> {
  const { rows } = await client.query<{ counted_to: Date; ledger_from: Date | null }>('SELECT * FROM play_counted')
  const known = rows[0]
  if (!known) {
    const first = await client.query<{ at: Date | null }>('SELECT min(created_at) AS at FROM play_event')
    const at = first.rows[0]?.at
    return at ? new Date(floor(at.getTime(), HOUR_MS)) : null
  }
  const again = known.counted_to.getTime() - REPEATED_MS
  return new Date(Math.max(again, known.ledger_from?.getTime() ?? again))
}

/**
 * Creates the partitions of the current month, of the next two, and of months whose rows are in the default partition.
 * Drops the partitions of months that are older than the kept ones and have sums.
 */
export async function keepLedger(pool: Pool, now: Date, months: number): Promise<void> {
  const oldest = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months))
  await inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [locks.usageRollUp])
    await client.query(
      `UPDATE play_counted SET ledger_from = $1 WHERE counted_to >= $2 AND (ledger_from IS NULL OR ledger_from < $1)`,
      [oldest, new Date(oldest.getTime() + REPEATED_MS)],
    )
    await client.query('SELECT ledger.drop_before(ledger_from) FROM play_counted WHERE ledger_from IS NOT NULL')
  })
  await inTransaction(pool, async (client) => {
    await client.query(
      `SELECT ledger.add_month(month) FROM (
         SELECT ($1::timestamptz AT TIME ZONE 'UTC' + n * interval '1 month') AT TIME ZONE 'UTC'
         FROM generate_series(0, 2) n
         UNION SELECT DISTINCT date_trunc('month', created_at, 'UTC') FROM ledger.play_event_rest
       ) AS needed(month)`,
      [new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))],
    )
  })
}

/** Plays queue behind a waiting lock request, so this job gives up early and runs again an hour later. */
const LOCK_TIMEOUT = '3s'
const STATEMENT_TIMEOUT = '10min'

async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let isEnded = false
  try {
    await client.query(`BEGIN; SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`)
    await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
    const result = await work(client)
    await client.query('COMMIT')
    isEnded = true
    return result
  } finally {
    client.release(!isEnded)
  }
}
