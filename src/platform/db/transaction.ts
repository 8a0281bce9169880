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

/**
 * Runs a statement that changes rows in a transaction of its own, as `runTransaction` does. BEGIN has no effect that could come
 * late, so it is sent with the statement.
 */
export async function runChange<Row extends QueryResultRow>(
  client: ClientBase,
  statement: QueryConfig,
): Promise<QueryResult<Row>> {
  const first = { ...statement, isFirst: true }
  const result = await client.query<Row>(first)
  await client.query('COMMIT')
  return result
}

/** Runs a statement that changes rows (`runChange`) on a connection of the pool. */
export async function commitStatement<Row extends QueryResultRow>(
  pool: Pool,
  statement: QueryConfig,
): Promise<QueryResult<Row>> {
  const client = await pool.connect()
  let isCommitted = false
  try {
    const result = await runChange<Row>(client, statement)
    isCommitted = true
    return result
  } finally {
    client.release(!isCommitted)
  }
}
