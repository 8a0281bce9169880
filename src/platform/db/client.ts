import { Pool, type PoolClient } from 'pg'
import type { Logger } from 'pino'
import { withoutOrigin } from '../origin.ts'
import { Adapter } from './adapter.ts'
import { type Prisma, PrismaClient } from './generated/client/client.ts'

/** Prisma on the pool or on a transaction. `$transaction` within a transaction creates a savepoint. */
export type Database = Prisma.TransactionClient
export type Transaction = Prisma.TransactionClient

/** Number of connections of GraphQL in a process. */
export const GRAPHQL_CONNECTIONS = 16

interface DatabaseOptions {
  /** Number of connections of the pool. Defaults to 20. */
  max?: number
  /** Time limit of connecting. Defaults to 5,000 ms. */
  connectTimeoutMs?: number
  /**
   * Time after which the database cancels a statement, so that an abandoned one does not occupy a connection. Defaults
   * to 0: never.
   */
  statementTimeoutMs?: number
  /**
   * Whether the address is a pooler that assigns connections of the server by transaction. Nothing then relies on a
   * session: statements have no names, and the pooler sets the timeout of statements.
   */
  isPooled?: boolean
}

/**
 * Opens the connection pool of a process, shared by Prisma and the hand-written queries.
 * @param url PostgreSQL 15 or newer
 */
export function openDatabase(
  url: string,
  log: Logger,
  options: DatabaseOptions = {},
): { db: Database; pool: Pool; close: () => Promise<void> } {
  const { pool, close } = openPool(url, log, options)
  const db = new PrismaClient({
    adapter: new Adapter(pool),
    // Short, because a transaction that times out during its commit can end the process (prisma#29952).
    transactionOptions: { maxWait: 10_000, timeout: 20_000 },
  })
  return {
    db,
    pool,
    close: async () => {
      await Promise.all([db.$disconnect(), close()])
    },
  }
}

/** Idle time after which a connection is probed, so that one of a host that is gone ends. */
const KEEP_ALIVE_MS = 10_000
/** Time for the answer to arrive after the longest statement. */
const ANSWER_MS = 2_000

/** Opens connections without Prisma. They connect when they are used. */
export function openPool(
  url: string,
  log: Logger,
  { max = 20, connectTimeoutMs = 5_000, statementTimeoutMs = 0, isPooled = false }: DatabaseOptions = {},
): { pool: Pool; close: () => Promise<void> } {
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // A parameter of the session, which PgBouncer refuses.
    ...(!isPooled && { statement_timeout: statementTimeoutMs }),
  })
  // Without a listener, a dropped idle connection would end the process.
  let isClosing = false
  const lost = (error: Error) => {
    if (!isClosing) withoutOrigin(() => log.warn({ err: error }, 'a database connection was lost'))
  }
  pool.on('error', lost)
  pool.on('connect', (client) => client.on('error', lost))
  if (isPooled) pool.on('connect', withoutNames)
  if (statementTimeoutMs > 0) limitAnswers(pool, statementTimeoutMs + ANSWER_MS)
  return {
    pool,
    close: async () => {
      isClosing = true
      if (!pool.ended) await pool.end()
    },
  }
}

/**
 * Limits the time of each statement outside of transactions here as well: a server that stands still, or a connection that is
 * lost without a word, never reports its own limit. The pool closes such a connection. Without this, one of them would
 * stop all requests that share its statement (`batched`).
 */
function limitAnswers(pool: Pool, timeoutMs: number): void {
  const query = pool.query.bind(pool) as (...args: unknown[]) => unknown
  const send = (statement: unknown, ...rest: unknown[]) =>
    query(
      isStream(statement)
        ? statement
        : {
            query_timeout: timeoutMs,
            ...(typeof statement === 'string' ? { text: statement } : (statement as object)),
          },
      ...rest,
    )
  pool.query = send as typeof pool.query
}

/** A named statement exists in the session that prepared it, which the next transaction may not get. */
function withoutNames(client: PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const send = (statement: unknown, ...rest: unknown[]) =>
    query(
      typeof statement === 'object' && !isStream(statement) ? { ...statement, name: undefined } : statement,
      ...rest,
    )
  client.query = send as typeof client.query
}

/** Whether the argument of `query` is a stream of COPY, which sends itself and is returned as it is. */
const isStream = (statement: unknown): boolean =>
  typeof (statement as { submit?: unknown } | null)?.submit === 'function'
