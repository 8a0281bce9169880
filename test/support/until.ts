import type { Pool } from 'pg'

/** Pause between two checks: a twentieth of the time so far, because most of them open a connection. */
const MIN_POLL_MS = 10
const MAX_POLL_MS = 200
/** Ample for a machine that runs other tests, short of the timeout of a test. */
const LOCK_TIMEOUT_MS = 20_000

type Falsy = false | null | undefined

/**
 * Checks until the result is true, and returns it.
 * @param ms time limit
 * @throws when the time is over
 */
export async function until<T>(what: string, ms: number, check: () => T | Falsy | Promise<T | Falsy>): Promise<T> {
  const began = Date.now()
  for (;;) {
    const value = await check()
    if (value) return value
    const waited = Date.now() - began
    if (waited > ms) throw new Error(`waited ${ms} ms in vain for ${what}`)
    await Bun.sleep(Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, waited / 20)))
  }
}

/**
 * Waits until connections to the database of this pool wait for a lock, and returns their process ids. Other databases
 * of the server, which other tests use, do not count.
 * @param count the least number of connections
 * @param by process id of the connection that they wait for. Defaults to any.
 */
export function untilBlocked(pool: Pool, { count = 1, by = null as number | null } = {}): Promise<number[]> {
  const text = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    AND ($1::int IS NULL OR $1 = ANY (pg_blocking_pids(pid)))`
  return until(`${count} connections to wait for a lock`, LOCK_TIMEOUT_MS, async () => {
    const { rows } = await pool.query<{ pid: number }>(text, [by])
    return rows.length >= count ? rows.map(({ pid }) => pid) : false
  })
}
