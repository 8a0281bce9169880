import { type ClientBase, Pool, type PoolClient, type PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { withoutOrigin } from '../origin.ts'
import { Adapter } from './adapter.ts'
import { Connection, type ConnectionConfig, isStream, setAnswerLimit } from './connection.ts'
import { type Prisma, PrismaClient } from './generated/client/client.ts'

/** Prisma on the pool or on a transaction. `$transaction` within a transaction creates a savepoint. */
export type Database = Prisma.TransactionClient
export type Transaction = Prisma.TransactionClient

/** Number of connections of GraphQL in a process. */
export const GRAPHQL_CONNECTIONS = 16

export interface DatabaseOptions {
  /** Number of connections of the pool. Defaults to 20. */
  max?: number
  /** Time limit of connecting. Defaults to 5,000 ms. */
  connectTimeoutMs?: number
  /**
   * Time after which the database cancels a statement, so that an abandoned one does not occupy a connection. Defaults
   * to 0: never.
   */
  statementTimeoutMs?: number
  /** Time for an answer to arrive after `statementTimeoutMs`. Defaults to 2,000 ms. */
  answerMs?: number
  /**
   * Whether the address is a pooler that assigns connections of the server by transaction. Nothing then relies on a
   * session: statements have no names, and the pooler sets the timeout of statements.
   */
  isPooled?: boolean
  /**
   * Idle connections, shared by the pools of a process to one server: when a connection of one pool is silent, those of all
   * are closed. Defaults to a set for this pool alone.
   */
  idle?: Set<Connection>
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
/**
 * Time after which the server ends a transaction that sends nothing, and releases its locks: its client may be gone
 * without a word. Longer than the time limit of Prisma's transactions.
 */
const IDLE_TRANSACTION_MS = 30_000

/**
 * Opens connections without Prisma. They connect when they are used. A statement without an answer ends its connection
 * shortly after `statementTimeoutMs`, on every path (`Connection`).
 */
export function openPool(
  url: string,
  log: Logger,
  {
    max = 20,
    connectTimeoutMs = 5_000,
    statementTimeoutMs = 0,
    answerMs = ANSWER_MS,
    isPooled = false,
    idle = new Set(),
  }: DatabaseOptions = {},
): { pool: Pool; close: () => Promise<void> } {
  const options: PoolConfig & ConnectionConfig = {
    connectionString: url,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    answerTimeoutMs: statementTimeoutMs > 0 ? statementTimeoutMs + answerMs : 0,
    // Parameters of the session, which PgBouncer refuses.
    ...(!isPooled && {
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    }),
    Client: Connection,
  }
  const pool = new Pool(options)
  let isClosing = false
  const lost = (error: Error, client: ClientBase) => {
    const reason = client instanceof Connection ? (client.silence ?? error) : error
    if (!isClosing) withoutOrigin(() => log.warn({ err: reason }, 'a database connection was lost'))
  }
  // Without listeners, a dropped idle connection would end the process. The driver reports some losses twice.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    client.once('error', (error) => lost(error, client))
  })
  pool.on('release', (_error, client) => setAnswerLimit(client))
  if (isPooled) pool.on('connect', withoutNames)
  closeSilent(pool, idle)
  return {
    pool,
    close: async () => {
      isClosing = true
      if (!pool.ended) await pool.end()
    },
  }
}

/**
 * Closes idle connections when one of a pool is silent, because the same network has probably lost them too: each would
 * cost a request the whole time limit. Those that have answered since are kept.
 */
function closeSilent(pool: Pool, idle: Set<Connection>): void {
  pool.on('connect', (client) => {
    if (!(client instanceof Connection)) return
    client.on('error', () => {
      const { silence } = client
      if (!silence) return
      const suspects = [...idle].filter(({ answeredMs }) => answeredMs <= silence.sentMs)
      for (const suspect of suspects) {
        idle.delete(suspect)
        suspect.abort(silence)
        // The pool removes it now, not when its socket has closed.
        suspect.emit('error', silence)
      }
    })
  })
  pool.on('acquire', (client) => idle.delete(client as unknown as Connection))
  pool.on('remove', (client) => idle.delete(client as unknown as Connection))
  pool.on('release', (error, client) => {
    if (!error && client instanceof Connection) idle.add(client)
  })
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
