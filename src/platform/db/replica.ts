import type { Pool, QueryConfig } from 'pg'
import type { Logger } from 'pino'
import type { Counter } from 'prom-client'
import { batched } from './batched.ts'
import { openPool } from './client.ts'
import { createReader, type Reader } from './query/reader.ts'
import type { Statement } from './query/statement.ts'

/** Reads of lists, counts, usage and exports, which a replica may answer. */
export interface Replica {
  /** Reads from the replica, or from a reader of the primary while the replica is not current. */
  readerOver: (primary: Reader) => Reader
  /** Returns the pool for a long read: the replica's if that is current, else the primary's. */
  currentPool: () => Promise<Pool>
  /** Returns how many seconds the replica is behind. 0 when it has replayed everything; rejects while it does not answer. */
  readLag: () => Promise<number>
  close: () => Promise<void>
}

export interface ReplicaOptions {
  /** Time that a read waits for the replica to have replayed what was committed before it, in milliseconds. */
  maxLagMs: number
  statementTimeoutMs?: number
  /** Interval at which the replica is examined, and timeout of an answer, in milliseconds. */
  watchMs?: number
  answerMs?: number
}

type Primary = { pool: Pool }
type Reads = Pick<Counter<'target'>, 'inc'>

const WATCH_MS = 2_000
const ANSWER_MS = 1_000
const POLL_MS = 5

/** With `synchronous_commit = off` a commit is acknowledged before its log is flushed. */
const PRIMARY_POSITION = `
  SELECT (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
    ELSE pg_current_wal_flush_lsn() END - '0/0')::float8 AS position`
/** Null on a server that replays nothing, such as a replica that was promoted. */
const REPLICA_POSITION = `
  SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END - '0/0')::float8 AS position,
    extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float8 AS seconds`

interface Position {
  position: number | null
  seconds: number | null
}

/**
 * Opens a streaming replica for reads. A read uses it when it has replayed everything that was committed before the read
 * began, so that no client misses its own writes, whichever process made them. Otherwise, and while the replica does not
 * answer, reads use the primary.
 *
 * The first read that finds the replica late or unreachable waits for one timeout. From then on it is not used until a
 * check in the background finds it current. Reads in progress on a replica that stops answering run again on the primary.
 * @param url one replica, not an address that several share
 * @see decision 0036
 */
export function openReplica(
  url: string,
  primary: Primary,
  log: Logger,
  reads: Reads,
  { maxLagMs, statementTimeoutMs, watchMs = WATCH_MS, answerMs = ANSWER_MS }: ReplicaOptions,
): Replica {
  const { pool, close } = openPool(url, log, { statementTimeoutMs, connectTimeoutMs: answerMs })
  const ownReader = createReader(pool)
  const inProgress = new Set<(error: Error) => void>()
  /** False until the first look at it. */
  let isUsed = false
  let isClosed = false
  /** The greatest replayed position that is known. */
  let seen = 0

  const readPosition = async (of: Pool, text: string): Promise<Position> => {
    const { rows } = await of.query<Position>({ text, query_timeout: answerMs } as QueryConfig)
    return rows[0] as Position
  }
  const shared = (of: Pool, text: string) =>
    batched(async (calls: readonly null[]) => {
      const position = await readPosition(of, text)
      return calls.map(() => position)
    })
  const committed = shared(primary.pool, PRIMARY_POSITION)
  const replayed = shared(pool, REPLICA_POSITION)

  async function look(): Promise<void> {
    const { position } = await replayed(null)
    if (position === null) throw new Error('the server is not a replica')
    seen = Math.max(seen, position)
  }

  /** @throws an error when the replica does not answer, is not a replica, or is late */
  async function catchUp(position: number): Promise<void> {
    const deadline = performance.now() + maxLagMs
    while (seen < position) {
      await look()
      if (seen >= position) return
      if (performance.now() >= deadline) throw new Late(`the replica is more than ${maxLagMs} ms late`)
      await Bun.sleep(POLL_MS)
    }
  }

  function stopUsing(error: unknown): void {
    if (!isUsed || isClosed) return
    isUsed = false
    seen = 0
    log.warn({ err: error }, 'the read replica is not used: reads are sent to the primary')
    if (error instanceof Late) return
    for (const reject of inProgress) reject(new Error('the read replica was lost'))
  }

  /** One after another: a replica may be waited for longer than the interval. */
  async function watch(): Promise<void> {
    if (watching || isClosed) return
    watching = true
    try {
      await look()
      if (isUsed) return
      await catchUp((await committed(null)).position ?? 0)
      isUsed = true
      log.info('the read replica is used')
    } catch (error) {
      stopUsing(error)
    } finally {
      watching = false
    }
  }
  let watching = false
  const timer = setInterval(watch, watchMs)
  timer.unref()
  void watch()

  /** @param isAsked whether the replica has to answer even if it is known to have replayed everything */
  async function isCurrent({ isAsked = false } = {}): Promise<boolean> {
    if (!isUsed) return false
    const committedPosition = await committed(null).catch(() => null)
    // A fault of the primary says nothing about the replica.
    if (!committedPosition) return false
    try {
      if (isAsked) await look()
      await catchUp(committedPosition.position ?? 0)
      return isUsed
    } catch (error) {
      stopUsing(error)
      return false
    }
  }

  /** Rejects when the replica is lost, because its answer may not arrive for as long as the connection is open. */
  async function unlessLost<T>(read: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    inProgress.add(reject)
    read.then(resolve, reject)
    try {
      return await promise
    } finally {
      inProgress.delete(reject)
    }
  }

  async function read<T>(
    requestReader: Reader,
    signal: AbortSignal | undefined,
    use: (reader: Reader) => Promise<T>,
  ): Promise<T> {
    if (await isCurrent()) {
      try {
        const readResult = await unlessLost(use(ownReader))
        reads.inc({ target: 'replica' })
        return readResult
      } catch (error) {
        if (signal?.aborted || isOfStatement(error)) throw error
        if (!isConflict(error)) stopUsing(error)
      }
    }
    reads.inc({ target: 'primary' })
    return use(requestReader)
  }

  const readerOver = (requestReader: Reader) => ({
    readMany: (name: never, args: never, signal?: AbortSignal) =>
      read(requestReader, signal, (from) => from.readMany(name, args, signal)),
    readFirst: (name: never, args: never, signal?: AbortSignal) =>
      read(requestReader, signal, (from) => from.readFirst(name, args, signal)),
    count: (name: never, where: object | undefined, signal?: AbortSignal) =>
      read(requestReader, signal, (from) => from.count(name, where, signal)),
    sum: (name: never, field: string, where: never, signal?: AbortSignal) =>
      read(requestReader, signal, (from) => from.sum(name, field, where, signal)),
    query: (statement: Statement, signal?: AbortSignal) =>
      read(requestReader, signal, (from) => from.query(statement, signal)),
  })
  return {
    readerOver: (requestReader) => readerOver(requestReader) as unknown as Reader,
    currentPool: async () => {
      // Its failure could not be repaired after the first rows.
      const isReplica = await isCurrent({ isAsked: true })
      reads.inc({ target: isReplica ? 'replica' : 'primary' })
      return isReplica ? pool : primary.pool
    },
    readLag: async () => {
      const { position: targetPosition } = await committed(null)
      const { position, seconds } = await replayed(null)
      if (position === null) throw new Error('the server is not a replica')
      // An idle primary commits nothing, so the time of its last commit says nothing about the replica.
      return position >= (targetPosition ?? 0) ? 0 : (seconds ?? 0)
    },
    close: async () => {
      isClosed = true
      clearInterval(timer)
      await close()
    },
  }
}

/** The replica works, and has not replayed everything yet. */
class Late extends Error {
  override name = 'Late'
}

const readErrorCode = (error: unknown) => String((error as { code?: unknown }).code ?? '')

/** Invalid data, an invalid statement, or its time limit: the primary would answer the same. */
const isOfStatement = (error: unknown) => /^(22|42)...$|^57014$/.test(readErrorCode(error))

/** Replay had to remove rows that the statement needed. */
const isConflict = (error: unknown) => /^40...$/.test(readErrorCode(error))
