import type { Pool, PoolClient } from 'pg'
import { locks } from '../../platform/db/locks.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import { type Grain, grains, trackGrain } from './grains.ts'
import { inTransaction } from './transaction.ts'

/**
 * Delay between the end of an hour and its sums. A row has the time of its request and is committed later, at most by
 * the statement timeout and the difference between the clocks of processes.
 */
const SETTLING_MS = 900_000
/** Age of the sums that are recomputed by each run, for rows that were committed even later. */
export const REPEATED_MS = 3 * HOUR_MS

/** Exclusive end of the hours that have sums, or will have with the next run. */
export const settledTo = (now: Date): Date => new Date(floor(now.getTime() - SETTLING_MS, HOUR_MS))

const floor = (ms: number, unit: number) => Math.floor(ms / unit) * unit

/**
 * Sums the ledger by days, with the hours that have passed. Each day is one transaction, which adds what its sums lack.
 * Safe to kill at any point, to repeat and to run concurrently.
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
  await client.query(ADD_SUMS, [start, to, day.toISOString().slice(0, 10)])
  await client.query(
    `INSERT INTO play_counted (summed_to) VALUES ($1)
     ON CONFLICT (id) DO UPDATE SET summed_to = greatest(play_counted.summed_to, excluded.summed_to)`,
    [to],
  )
  return to
}

const HOUR_OF_PLAY = `extract(hour FROM created_at AT TIME ZONE 'UTC')::smallint`
const PLAY_COLUMNS = 'organization_id, creator_id, collection_id, track_id, key_id, variant_id'

/** Adds plays to the sums of a grain. A row's new parts are appended. */
function addTo({ table, columns }: Grain): string {
  const names = ['organization_id', ...columns].join(', ')
  const key = ['organization_id', 'day', ...columns].join(', ')
  return `INSERT INTO ${table} AS sums (${key}, requests, listens, parts)
    SELECT organization_id, ${['$3::date', ...columns].join(', ')}, sum(requests), sum(listens),
      array_agg(ROW(hour, key_id, variant_id, requests, listens)::play_part)
    FROM (
      SELECT ${names}, hour, key_id, variant_id, sum(requests) AS requests, sum(listens) AS listens
      FROM played GROUP BY ${names}, hour, key_id, variant_id
    ) AS part GROUP BY ${names} ORDER BY ${names}
    ON CONFLICT (${key}) DO UPDATE SET requests = sums.requests + excluded.requests,
      listens = sums.listens + excluded.listens, parts = sums.parts || excluded.parts`
}

/**
 * Adds the plays that the sums of a day lack. $1 and $2: full hours of the day, from inclusive to exclusive. $3: the day.
 *
 * Rows of the ledger are never changed, so an hour of an organization lacks plays if its number of requests differs.
 * Usually such an hour has no sums. If it has, plays were committed late: what the sums have is subtracted.
 */
const ADD_SUMS = `
  WITH lacking AS MATERIALIZED (
    SELECT organization_id, hour, sums.requests IS NOT NULL AS has_sums FROM (
      SELECT organization_id, ${HOUR_OF_PLAY} AS hour, count(*) AS requests
      FROM play_event WHERE created_at >= $1 AND created_at < $2 GROUP BY 1, 2
    ) AS ledger CROSS JOIN LATERAL (
      SELECT sum(part.requests) AS requests FROM play_day CROSS JOIN unnest(parts) AS part
      WHERE play_day.organization_id = ledger.organization_id AND day = $3::date AND part.hour = ledger.hour
    ) AS sums
    WHERE ledger.requests IS DISTINCT FROM sums.requests
  ), played AS MATERIALIZED (
    SELECT ${PLAY_COLUMNS}, hour, sum(requests) AS requests, sum(listens) AS listens FROM (
      SELECT ${PLAY_COLUMNS}, ${HOUR_OF_PLAY} AS hour, 1 AS requests, (exclusion IS NULL)::int AS listens
      FROM play_event WHERE created_at >= $1 AND created_at < $2
        AND (organization_id, ${HOUR_OF_PLAY}) IN (SELECT organization_id, hour FROM lacking)
      UNION ALL
      SELECT ${PLAY_COLUMNS}, lacking.hour, -part.requests, -part.listens FROM lacking CROSS JOIN LATERAL (
        -- Without OFFSET, all rows of the day are read even if no hour has sums.
        SELECT creator_id, collection_id, track_id, parts FROM ${trackGrain.table} AS sums
        WHERE sums.organization_id = lacking.organization_id AND day = $3::date OFFSET 0
      ) AS sums CROSS JOIN unnest(parts) AS part
      WHERE has_sums AND part.hour = lacking.hour
    ) AS play GROUP BY ${PLAY_COLUMNS}, hour HAVING sum(requests) <> 0
  ),
  ${grains.map((grain, place) => `added_${place} AS (${addTo(grain)})`).join(', ')}
  SELECT 1`

/** The first hour to sum. It never precedes the rows that the ledger still has. */
async function firstHour(client: PoolClient): Promise<Date | null> {
  const { rows } = await client.query<{ summed_to: Date; ledger_from: Date | null }>(
    'SELECT summed_to, ledger_from FROM play_counted',
  )
  const latestRow = rows[0]
  if (!latestRow) {
    const first = await client.query<{ at: Date | null }>('SELECT min(created_at) AS at FROM play_event')
    const at = first.rows[0]?.at
    return at ? new Date(floor(at.getTime(), HOUR_MS)) : null
  }
  const again = latestRow.summed_to.getTime() - REPEATED_MS
  return new Date(Math.max(again, latestRow.ledger_from?.getTime() ?? again))
}
