import type { Pool, QueryConfig } from 'pg'

interface SharedReading {
  name: string
  now: Date
  /** Age up to which a reading of another process is used. */
  maxAgeMs: number
  timeoutMs: number
}

/** Readings may be older by this, while the process that makes the next one is at it. */
const LATE_MS = 30_000

/**
 * Returns a reading that all processes share: one of them makes it, the others take it from the database. So the cost
 * does not grow with the number of processes. Makes it itself when there is no recent one.
 * @param read its result must survive JSON
 */
export async function readShared<T>(
  pool: Pool,
  { name, now, maxAgeMs, timeoutMs }: SharedReading,
  read: () => Promise<T>,
): Promise<T> {
  const query = (text: string, values: unknown[]) =>
    pool.query<{ value: T }>({ text, values, query_timeout: timeoutMs } as QueryConfig)
  const before = (ms: number) => new Date(now.getTime() - ms)
  const { rowCount } = await query(
    // A claim of the future is of a clock that was set back.
    `INSERT INTO metric_reading (name, claimed_at) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET claimed_at = excluded.claimed_at
       WHERE metric_reading.claimed_at NOT BETWEEN $3 AND $4`,
    [name, now, before(maxAgeMs - 1), before(-maxAgeMs)],
  )
  if (!rowCount) {
    const { rows } = await query(
      'SELECT value FROM metric_reading WHERE name = $1 AND value IS NOT NULL AND read_at BETWEEN $2 AND $3',
      [name, before(maxAgeMs + LATE_MS), before(-maxAgeMs)],
    )
    if (rows[0]) return rows[0].value
  }
  const value = await read()
  await query('UPDATE metric_reading SET value = $2, read_at = $3 WHERE name = $1', [name, JSON.stringify(value), now])
  return value
}
