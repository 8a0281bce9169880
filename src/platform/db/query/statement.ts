import { LRUCache } from 'lru-cache'
import { type Pool, type PoolClient, type QueryArrayConfig, types } from 'pg'
import { Connection } from '../connection.ts'
import { findLimits, type StatementLimits } from '../statement-limits.ts'
import { runChange } from '../transaction.ts'

export interface Statement {
  text: string
  values: unknown[]
  /**
   * Whether the best plan depends on the values, such as how frequent a search term is. PostgreSQL plans it in every run
   * then. A prepared statement gets one plan for all values after a few runs.
   */
  isPlannedByValues?: boolean
  /** Whether values of the type json are returned as their text, so that large ones are parsed in pieces. */
  isJsonText?: boolean
  /** Whether it changes rows. It is then committed in a step of its own, after its answer. */
  isWrite?: boolean
}

/** Parameters of a statement, in order. */
export class Values {
  readonly list: unknown[] = []
  #hasPattern = false

  /** @returns the placeholder of the value */
  add(value: unknown): string {
    this.list.push(value)
    return `$${this.list.length}`
  }

  /** Adds a value of LIKE. @returns its placeholder */
  addPattern(pattern: string): string {
    this.#hasPattern = true
    return this.add(pattern)
  }

  /** @param text with the placeholders of all values */
  statement(text: string): Statement {
    return { text, values: this.list, isPlannedByValues: this.#hasPattern }
  }
}

const { INT8, JSON: JSON_TYPE, TIMESTAMPTZ } = types.builtins
const plainTime = types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date

/** Parses `2026-11-21 12:21:58.362+00`, the format of a server in UTC. The driver's parser takes ten times as long. */
const readTime = (text: string): Date =>
  text.endsWith('+00') && text.charAt(10) === ' ' && text.charAt(4) === '-'
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
    : plainTime(text)

/** Parses values to the types that Prisma returns. */
const parsers = {
  getTypeParser: ((oid: number, format?: 'text') => {
    if (oid === TIMESTAMPTZ) return readTime
    if (oid === INT8) return BigInt
    return types.getTypeParser(oid, format)
  }) as typeof types.getTypeParser,
}

/** The same, with the text of JSON. */
const textParsers = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === JSON_TYPE ? String : parsers.getTypeParser(oid, format)) as typeof types.getTypeParser,
}

/**
 * Maximum number of texts with the name of a prepared statement: a client with ever new statements must not fill the
 * memory of the database. The least recently used text loses its name.
 */
const MAX_PREPARED = 500
/**
 * Names that a connection may have prepared, those of texts that lost theirs included. It is replaced then, because the
 * driver knows a statement by its name and text for as long as the connection lives.
 */
const MAX_PREPARED_ON_CONNECTION = 2 * MAX_PREPARED

/**
 * Runs statements, prepared for reuse unless planned by values. When the signal fires, the statement is also canceled in
 * the database. Those that change rows run in a transaction (`runChange`). Statements of a request with limits wait
 * for their turn, and stop when they return too much.
 */
export function statementRunner(pool: Pool) {
  const names = new LRUCache<string, string>({ max: MAX_PREPARED })
  let namesGiven = 0
  /** A name is never given to a second text. */
  const findName = (text: string): string => {
    const preparedName = names.get(text)
    if (preparedName !== undefined) return preparedName
    namesGiven += 1
    const name = `read_${namesGiven}`
    names.set(text, name)
    return name
  }
  const preparedOn = new WeakMap<PoolClient, Set<string>>()
  /** Notes that a connection prepares a statement. @returns whether the connection has to be replaced after it */
  const prepare = (client: PoolClient, name: string): boolean => {
    const prepared = preparedOn.get(client) ?? new Set()
    preparedOn.set(client, prepared.add(name))
    return prepared.size >= MAX_PREPARED_ON_CONNECTION
  }

  const run = async (
    { text, values, isPlannedByValues, isJsonText = false, isWrite = false }: Statement,
    signal?: AbortSignal,
  ): Promise<unknown[][]> => {
    signal?.throwIfAborted()
    const client = await pool.connect()
    const name = isPlannedByValues ? undefined : findName(text)
    const isFull = name !== undefined && prepare(client, name)
    let isCancelled = false
    let isFailed = false
    const cancel = () => {
      isCancelled = true
      if (client instanceof Connection) void client.cancelStatement()
    }
    signal?.addEventListener('abort', cancel, { once: true })
    const unwatch = watchBytes(client, findLimits(signal))
    try {
      signal?.throwIfAborted()
      const valueTypes = isJsonText ? textParsers : parsers
      const query: QueryArrayConfig = { name, text, values, types: valueTypes, rowMode: 'array' }
      const { rows } = await (isWrite ? runChange(client, query) : client.query<unknown[]>(query))
      return rows as unknown[][]
    } catch (error) {
      isFailed = true
      throw isCancelled ? signal?.reason : error
    } finally {
      signal?.removeEventListener('abort', cancel)
      unwatch()
      // A late cancellation must not hit the next statement of this connection, which must not be in a transaction.
      client.release(isCancelled || isFull || (isWrite && isFailed))
    }
  }

  return (statement: Statement, signal?: AbortSignal): Promise<unknown[][]> => {
    const limits = findLimits(signal)
    return limits ? limits.run(() => run(statement, signal)) : run(statement, signal)
  }
}

/** A field of node-postgres that its types do not declare. */
interface Connected {
  connection: { stream: NodeJS.ReadableStream }
}

/**
 * Counts the bytes of an answer as they arrive. Beyond the limit the connection is closed: the driver would collect the
 * whole answer, and a server that is sending a row does not look for cancellations.
 */
function watchBytes(client: PoolClient, limits: StatementLimits | undefined): () => void {
  if (!limits) return () => {}
  const { stream } = (client as unknown as Connected).connection
  const count = (bytes: Uint8Array) => {
    if (limits.addBytes(bytes.length)) return
    stream.removeListener('data', count)
    void (client as unknown as { end: () => Promise<void> }).end()
  }
  stream.on('data', count)
  return () => void stream.removeListener('data', count)
}
