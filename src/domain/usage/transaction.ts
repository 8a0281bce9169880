import type { Pool, PoolClient } from 'pg'

/** Plays queue behind a waiting lock request, so this job gives up early and runs again an hour later. */
const LOCK_TIMEOUT = '3s'
const STATEMENT_TIMEOUT = '10min'
/** The planner overestimates the rows of the roll-up so far that it would compile the statement for seconds. */
const JIT = 'off'

/** Runs work in a transaction with the limits of jobs on the ledger. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let isEnded = false
  try {
    await client.query(`BEGIN; SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`)
    await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'; SET LOCAL jit = ${JIT}`)
    const result = await work(client)
    await client.query('COMMIT')
    isEnded = true
    return result
  } finally {
    client.release(!isEnded)
  }
}
