import type { Pool } from 'pg'
import { AppError } from '../../errors.ts'
import { setAnswerLimit } from '../connection.ts'
import type { Statement } from './statement.ts'

const ROWS_AT_ONCE = 1000
/** Maximum number of concurrent exports, in all and of an organization. Each occupies a connection until its reader has finished. */
const [MAX_AT_ONCE, MAX_OF_ORGANIZATION] = [4, 2]
/** Idle time after which the database closes a reader's transaction. */
const IDLE = '30s'
/**
 * Time limit of each statement, longer than that of other requests, because the first chunk waits for all groups of the
 * result. Shorter than the time after which the server closes a connection without bytes (IDLE_SECONDS, 255 s).
 */
const STATEMENT_MS = 240_000
/** Time for an answer to arrive after the longest statement. */
const ANSWER_MS = 2_000

/** Lower than the default of 4, so that an index in the order of the rows is preferred to a sort of all rows. */
const RANDOM_PAGE_COST = 1.1

/** Organizations of the running exports. */
const activeExports = new WeakMap<Pool, string[]>()

/**
 * Reads a result of any length in chunks, with a cursor, so that it is never in memory as a whole. All chunks are from
 * one snapshot.
 * @throws AppError `unavailable` when too many exports are running
 */
export async function* readInChunks(
  pool: Pool,
  { text, values }: Statement,
  organizationId: string,
): AsyncGenerator<unknown[][]> {
  const running = activeExports.get(pool) ?? []
  activeExports.set(pool, running)
  const isShareFull = running.filter((id) => id === organizationId).length >= MAX_OF_ORGANIZATION
  if (running.length >= MAX_AT_ONCE || isShareFull) {
    throw new AppError('unavailable', 'Too many exports are running. Try again shortly.', { retryAfterSeconds: 10 })
  }
  running.push(organizationId)
  try {
    const client = await pool.connect()
    let isEnded = false
    try {
      await client.query(
        `BEGIN READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '${IDLE}'; SET LOCAL statement_timeout = ${STATEMENT_MS}`,
      )
      await client.query(`SET LOCAL random_page_cost = ${RANDOM_PAGE_COST}`)
      setAnswerLimit(client, STATEMENT_MS + ANSWER_MS)
      await client.query(`DECLARE chunk NO SCROLL CURSOR FOR ${text}`, values)
      for (;;) {
        const { rows } = await client.query({ text: `FETCH ${ROWS_AT_ONCE} FROM chunk`, rowMode: 'array' })
        yield rows
        if (rows.length < ROWS_AT_ONCE) break
      }
      await client.query('COMMIT')
      isEnded = true
    } finally {
      // Destroys a connection with an unfinished transaction instead of returning it to the pool.
      client.release(!isEnded)
    }
  } finally {
    running.splice(running.indexOf(organizationId), 1)
  }
}
