import type { Pool, PoolClient } from 'pg'
import { setAnswerLimit } from '../../platform/db/connection.ts'
import { runTransaction } from '../../platform/db/transaction.ts'

/** Plays queue behind a waiting lock request, so this job gives up early and runs again an hour later. */
const LOCK_TIMEOUT = '3s'
const STATEMENT_TIMEOUT_MS = 600_000
/** Time for an answer to arrive after the longest statement. */
const ANSWER_MS = 2_000
/** The planner overestimates the rows of the roll-up so far that it would compile the statement for seconds. */
const JIT = 'off'

/** Runs work in a transaction with the limits of jobs on the ledger. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let isEnded = false
  try {
    const result = await runTransaction(
      client,
      () => {
        setAnswerLimit(client, STATEMENT_TIMEOUT_MS + ANSWER_MS)
        return work(client)
      },
      `BEGIN; SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS};
       SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'; SET LOCAL jit = ${JIT}`,
    )
    isEnded = true
    return result
  } finally {
    client.release(!isEnded)
  }
}
