import type { Pool } from 'pg'
import type { locks } from './locks.ts'

/**
 * The server probes a connection without statements, so that a lock whose process is gone without a word ends within
 * two minutes. Its own default are two hours.
 */
const PROBES = `set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false),
  set_config('tcp_keepalives_count', '6', false)`

/**
 * Runs a function unless another process, or another call, is running one with the same lock. The lock belongs to a
 * connection that is used for nothing else, so PostgreSQL releases it when the process dies.
 * @param direct connections to the server itself
 * @returns false if the function did not run
 */
export async function exclusively(
  direct: Pool,
  lock: (typeof locks)[keyof typeof locks],
  run: () => Promise<void>,
): Promise<boolean> {
  const client = await direct.connect()
  let isUnlocked = false
  try {
    const { rows } = await client.query<{ locked: boolean }>(`SELECT pg_try_advisory_lock($1) AS locked, ${PROBES}`, [
      lock,
    ])
    if (!rows[0]?.locked) {
      isUnlocked = true
      return false
    }
    try {
      await run()
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [lock])
      isUnlocked = true
    }
    return true
  } finally {
    // A connection that may still have the lock must not return to the pool.
    client.release(!isUnlocked)
  }
}
