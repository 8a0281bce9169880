import type { ClientBase, Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg'

/**
 * Runs work in a transaction of a connection. Each step has its answer before the next one is sent, COMMIT included: when
 * the connection is silent, nothing that was sent on it takes effect later (decision 0054). After a failure the
 * connection must be closed.
 * @param begin the statements that begin the transaction
 */
export async function runTransaction<T>(client: ClientBase, work: () => Promise<T>, begin = 'BEGIN'): Promise<T> {
  await client.query(begin)
  const result = await work()
  await client.query('COMMIT')
  return result
}

/** Runs a statement that changes rows in a transaction of its own (`runTransaction`). */
export async function commitStatement<Row extends QueryResultRow>(
  pool: Pool,
  statement: QueryConfig,
): Promise<QueryResult<Row>> {
  const client = await pool.connect()
  let isCommitted = false
  try {
    const result = await runTransaction(client, () => client.query<Row>(statement))
    isCommitted = true
    return result
  } finally {
    client.release(!isCommitted)
  }
}
