import type { Pool } from 'pg'
import { AppError } from '../../errors.ts'
import type { Statement } from './statement.ts'

const ROWS_AT_ONCE = 1000
/** Each holds a connection for as long as its reader takes. */
const MAX_AT_ONCE = 4
/** A reader who takes nothing for so long is given up by the database. */
const IDLE = '30s'

const underWay = new WeakMap<Pool, number>()

/**
 * Reads a result of any length in parts, by a cursor: neither side ever holds all of it. All of it is as of one moment.
 * @throws AppError `unavailable` where too many are being read already
 */
export async function* readInChunks(pool: Pool, { text, values }: Statement): AsyncGenerator<unknown[][]> {
  const others = underWay.get(pool) ?? 0
  if (others >= MAX_AT_ONCE) {
    throw new AppError('unavailable', 'Too many exports are under way.', { retryAfterSeconds: 10 })
  }
  underWay.set(pool, others + 1)
  try {
    const client = await pool.connect()
    let isEnded = false
    try {
      await client.query(`BEGIN READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '${IDLE}'`)
      await client.query(`DECLARE chunk NO SCROLL CURSOR FOR ${text}`, values)
      for (;;) {
        const { rows } = await client.query({ text: `FETCH ${ROWS_AT_ONCE} FROM chunk`, rowMode: 'array' })
        yield rows
        if (rows.length < ROWS_AT_ONCE) break
      }
      await client.query('COMMIT')
      isEnded = true
    } finally {
      // Whatever state it was left in, nobody else is to find it so.
      client.release(!isEnded)
    }
  } finally {
    underWay.set(pool, (underWay.get(pool) ?? 1) - 1)
  }
}
