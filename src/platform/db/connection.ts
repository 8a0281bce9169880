import { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { Client, type ClientBase, type ClientConfig, escapeLiteral, type QueryConfig } from 'pg'
import { currentActor, currentOrigin } from '../origin.ts'
import { sendCancelRequest } from './cancel.ts'
import { FirstStatement } from './first-statement.ts'

export interface ConnectionConfig extends ClientConfig {
  /**
   * Time after which a statement without an answer ends its connection, in milliseconds. A statement may name another
   * one as `query_timeout`. Defaults to 0: never.
   */
  answerTimeoutMs?: number
}

/** A statement, with what this connection adds to the driver's settings. */
interface LimitedQuery extends QueryConfig {
  query_timeout?: number
  /** Whether it is sent with the BEGIN of its transaction. */
  isFirst?: boolean
}

type Query = (...args: unknown[]) => unknown
type Callback = (...results: unknown[]) => void

/**
 * A connection to PostgreSQL that limits the time of each statement, whichever path sends it. A server that stands still,
 * or a connection that is lost without a word, never reports a limit of its own, and the kernel gives up after a quarter
 * of an hour. The connection is reset, so that a statement in the buffers of this machine is not sent later.
 *
 * Streams of COPY have no limit: they take as long as their reader or writer.
 */
export class Connection extends Client {
  readonly #socket: Socket
  readonly #defaultMs: number
  #limitMs: number
  #cancelKey: CancelKey | null = null
  #silence: SilentConnection | null = null
  #answeredMs = performance.now()

  constructor(config: ConnectionConfig = {}) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    this.#socket = socket
    this.#defaultMs = config.answerTimeoutMs ?? 0
    this.#limitMs = this.#defaultMs
    const query = super.query.bind(this) as Query
    this.query = ((...args: unknown[]) => this.#send(query, args)) as typeof this.query
    this.connection.on('backendKeyData', (key: CancelKey) => {
      this.#cancelKey = key
    })
  }

  /** Set once a statement had no answer within its time: why the connection has ended. */
  get silence(): SilentConnection | null {
    return this.#silence
  }

  /** Monotonic time of the last answer, in milliseconds. */
  get answeredMs(): number {
    return this.#answeredMs
  }

  /** Sets the time limit of statements in milliseconds; 0: none. Defaults to that of the settings. */
  setLimit(ms: number = this.#defaultMs): void {
    this.#limitMs = ms
  }

  /** Ends the connection at once, without a word to the server. */
  abort(reason: SilentConnection): void {
    this.#silence ??= reason
    // A socket of the file system has no reset.
    if (this.host.startsWith('/')) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  /**
   * Asks the server to cancel the running statement (CancelRequest): a pooler forwards it to the session that runs it.
   * Never fails, because it may come too late anyway.
   */
  async cancelStatement(): Promise<void> {
    if (!this.#cancelKey) return
    const { host, port } = this
    await sendCancelRequest({ host, port, tls: this.ssl as boolean | ConnectionOptions, ...this.#cancelKey })
  }

  #send(query: Query, [statement, ...rest]: unknown[]): unknown {
    if (isStream(statement)) return query(statement, ...rest)
    const {
      query_timeout: ownMs,
      isFirst = false,
      ...config
    }: LimitedQuery = typeof statement === 'string' ? { text: statement } : (statement as LimitedQuery)
    const end = this.#startLimit(ownMs ?? this.#limitMs)
    const callback = rest.at(-1)
    if (typeof callback === 'function') {
      return query(config, ...rest.slice(0, -1), (...results: unknown[]) => {
        end()
        ;(callback as Callback)(...results)
      })
    }
    if (config.text === BEGIN) config.text = beginStatements().join(';')
    const answer = (isFirst ? sendFirst(query, config) : query(config, ...rest)) as Promise<unknown>
    answer.then(end, end)
    return answer
  }

  /** @returns to be called with the answer */
  #startLimit(limitMs: number): () => void {
    const sentMs = performance.now()
    const abort = () => this.abort(new SilentConnection(sentMs, limitMs))
    const timer = limitMs > 0 ? setTimeout(abort, limitMs) : undefined
    return () => {
      clearTimeout(timer)
      this.#answeredMs = performance.now()
    }
  }
}

const BEGIN = 'BEGIN'

/**
 * The statements that begin a transaction: for a request with a viewer also the setting `tonearm.actor`, for the triggers of
 * `record_activity`. It ends with the transaction.
 */
function beginStatements(): string[] {
  const actor = currentActor()
  if (!actor) return [BEGIN]
  const setting = JSON.stringify({ ...actor, requestId: currentOrigin()?.requestId })
  return [BEGIN, `SET LOCAL tonearm.actor = ${escapeLiteral(setting)}`]
}

const sendFirst = (query: Query, config: QueryConfig) =>
  new Promise((resolve, reject) =>
    query(new FirstStatement(config, beginStatements()), (error: unknown, result: unknown) =>
      error ? reject(error) : resolve(result),
    ),
  )

/** A statement had no answer within its time. */
export class SilentConnection extends Error {
  override name = 'SilentConnection'
  /** Monotonic time at which the statement was sent, in milliseconds. */
  readonly sentMs: number

  constructor(sentMs: number, limitMs: number) {
    super(`the database did not answer a statement within ${limitMs} ms`)
    this.sentMs = sentMs
  }
}

/** Sent by the server at the start of a session. */
interface CancelKey {
  processID: number
  secretKey: number
}

/**
 * Sets the time limit of the statements of a connection until it returns to its pool: for work whose transaction sets a
 * longer `statement_timeout`.
 * @param ms 0: none. Defaults to the limit of the pool
 */
export function setAnswerLimit(client: ClientBase, ms?: number): void {
  if (client instanceof Connection) client.setLimit(ms)
}

/** Whether the argument of `query` is a stream of COPY, which sends itself and is returned as it is. */
export const isStream = (statement: unknown): boolean =>
  typeof (statement as { submit?: unknown } | null)?.submit === 'function'
