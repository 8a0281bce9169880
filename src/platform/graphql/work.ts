import { limitStatements } from '../db/statement-limits.ts'
import type { TakeTurn, Turns } from '../db/turns.ts'
import { AppError } from '../errors.ts'
import type { Deadline } from './deadline.ts'

/** Maximum number of records that the statements of a request return. */
export const MAX_ROWS = 25_000
/** Maximum number of bytes that they return, and that an answer has. */
export const MAX_BYTES = 8 << 20

/** Records or bytes beyond which the work of a request is done in pieces. */
const LARGE = { rows: 1000, bytes: 128 << 10 }

/**
 * Points beyond which an operation waits for its turn among the large ones, about 10 ms of the process. By price before
 * it runs, by what it has read afterwards.
 */
const LARGE_POINTS = 2000
/**
 * Large operations at a time. Eight at once answer no sooner than one after another, but each other request then waits
 * for the pieces, garbage and statements of all (decision 0052).
 */
export const LARGE_OPERATIONS = { organization: 1, all: 2 }

/** Bytes that cost as much as a record. */
const BYTES_OF_POINT = 1024

export type Work = ReturnType<typeof startWork>

export const tooManyBytes = () =>
  new AppError(
    'limit_reached',
    `query: the answer exceeds ${MAX_BYTES / (1 << 20)} MiB; select fewer fields, or smaller pages`,
  )
const tooManyRows = () =>
  new AppError('limit_reached', `query: the answer exceeds ${MAX_ROWS} records; select smaller pages`)

/** Turns of the process that the requests of all organizations take. */
interface WorkTurns {
  statements: Turns
  large: Turns
}

/**
 * Limits what a request reads, independent of its price: statements at a time, and the records and bytes that they return.
 * Beyond a limit the request ends with `limit_reached`.
 * @param organization whom its work counts against
 */
export function startWork(turns: WorkTurns, organization: string, deadline: Deadline) {
  let rows = 0
  let bytes = 0
  let answerBytes = 0
  let largeTurn: Promise<() => void> | null = null
  const { signal } = deadline
  const takeStatementTurn = turns.statements.ofRequest(organization, signal)
  const pointsSoFar = () => Math.max(rows, Math.ceil(bytes / BYTES_OF_POINT))
  const awaitLargeTurn = (price: number) => {
    if (Math.max(price, pointsSoFar()) > LARGE_POINTS) largeTurn ??= turns.large.acquire(organization, signal)
    return largeTurn
  }
  const takeTurn: TakeTurn = (statement) =>
    awaitLargeTurn(0)?.then(() => takeStatementTurn(statement)) ?? takeStatementTurn(statement)
  const limits = {
    run: takeTurn,
    addBytes: (count: number) => {
      bytes += count
      if (bytes > MAX_BYTES) deadline.stop(tooManyBytes())
      return bytes <= MAX_BYTES
    },
    addRows: (count: number) => {
      rows += count
      if (rows > MAX_ROWS) deadline.stop(tooManyRows())
      signal.throwIfAborted()
    },
    isLarge: () => rows > LARGE.rows || bytes > LARGE.bytes,
  }
  // Of statements that are not canceled when the client leaves, such as an insertion.
  const lasting = new AbortController().signal
  limitStatements(signal, limits)
  limitStatements(lasting, limits)
  return {
    takeTurn,
    /** Signal of statements that get none. Never fires. */
    lasting,
    /** The body of the answer, when it was written in pieces. */
    body: null as Buffer<ArrayBuffer> | null,
    /** Whether so much has been read that the answer is written in pieces. */
    isLarge: limits.isLarge,
    /** Counts bytes of the answer. @returns whether it may have more */
    addAnswer: (count: number) => {
      answerBytes += count
      return answerBytes <= MAX_BYTES
    },
    /** Points of everything that the request has read so far. */
    get points() {
      return pointsSoFar()
    },
    /**
     * Waits until a large operation may run. The turn is that of the whole request, and lasts until `end`.
     * @param price points of its operations
     * @returns null for a small request
     * @throws the reason of the deadline when that passes first
     */
    awaitLargeTurn,
    /** The request, or an event of its subscription, has been answered: the next large operation may run. */
    end: () => {
      const turn = largeTurn
      largeTurn = null
      rows = 0
      bytes = 0
      answerBytes = 0
      turn?.then(
        (release) => release(),
        () => {},
      )
    },
  }
}
