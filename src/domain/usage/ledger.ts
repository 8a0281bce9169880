import type { Pool, PoolClient } from 'pg'
import { exclusively } from '../../platform/db/exclusive.ts'
import { locks } from '../../platform/db/locks.ts'
import { REPEATED_MS } from './roll-up.ts'
import { inTransaction } from './transaction.ts'

/** A month of the ledger with a partition. */
export interface Month {
  /** As in `2026-01`. */
  name: string
  /** Qualified name of its partition. */
  partition: string
  /** Exclusive. */
  end: Date
}

/**
 * Keeps a month before its partition is dropped. Safe to kill at any point, and to repeat.
 * @returns records, in the transaction that drops the partition, that the month is kept. Throws if the partition has
 *   changed since. Null for a month without rows
 */
export type KeepMonth = (month: Month) => Promise<((client: PoolClient) => Promise<void>) | null>

/**
 * Creates the partitions of the current month, of the next two, and of months whose rows are in the default partition.
 * Drops the partitions of months that are older than the kept ones and have sums, one after another from the oldest.
 * Does nothing while another worker or a backup does so.
 * @param months whole months to keep, in addition to the current one
 * @param keepMonth called before a month is dropped. Defaults to dropping its rows
 */
export async function keepLedger(pool: Pool, now: Date, months: number, keepMonth?: KeepMonth): Promise<void> {
  await exclusively(pool, locks.ledgerMonths, async () => {
    await addMonths(pool, now)
    const oldest = monthsAgo(now, months)
    if (!(await hasSums(pool, oldest))) return
    for (const month of await monthsBefore(pool, oldest)) {
      const record = keepMonth ? await keepMonth(month) : null
      await inTransaction(pool, async (client) => {
        await client.query('SELECT pg_advisory_xact_lock($1)', [locks.usageRollUp])
        await record?.(client)
        await client.query('UPDATE play_counted SET ledger_from = $1 WHERE ledger_from IS NULL OR ledger_from < $1', [
          month.end,
        ])
        await client.query(`DROP TABLE ${month.partition}`)
      })
    }
  })
}

/** Returns the start of the month that was a number of whole months before the current one, UTC. */
export const monthsAgo = (now: Date, months: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months))

async function addMonths(pool: Pool, now: Date): Promise<void> {
  await inTransaction(pool, (client) =>
    client.query(
      `SELECT ledger.add_month(month) FROM (
         SELECT ($1::timestamptz AT TIME ZONE 'UTC' + n * interval '1 month') AT TIME ZONE 'UTC'
         FROM generate_series(0, 2) n
         UNION SELECT DISTINCT date_trunc('month', created_at, 'UTC') FROM ledger.play_event_rest
       ) AS needed(month)`,
      [new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))],
    ),
  )
}

/** Whether the roll-up reads no row before a time any more. */
async function hasSums(pool: Pool, time: Date): Promise<boolean> {
  const { rows } = await pool.query('SELECT FROM play_counted WHERE summed_to >= $1', [
    new Date(time.getTime() + REPEATED_MS),
  ])
  return rows.length > 0
}

/** Lists the months that ended at or before a time, oldest first. */
export async function monthsBefore(pool: Pick<Pool, 'query'>, time: Date): Promise<Month[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT replace(right(relname, 7), '_', '-') AS name FROM pg_class
     WHERE relnamespace = 'ledger'::regnamespace AND relkind = 'r' AND relname ~ '^play_event_\\d{4}_\\d{2}$'
     ORDER BY relname`,
  )
  return rows.map(({ name }) => parseMonth(name)).filter(({ end }) => end <= time)
}

/** @param name as in `2026-01` */
export function parseMonth(name: string): Month {
  const [year = 0, month = 0] = name.split('-').map(Number)
  return { name, partition: `ledger.play_event_${name.replace('-', '_')}`, end: new Date(Date.UTC(year, month)) }
}
