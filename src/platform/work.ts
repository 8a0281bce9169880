import { limitStatements } from './db/statement-limits.ts'
import { createTurns, type TakeTurn, type Turns } from './db/turns.ts'
import { nextTurn } from './pieces.ts'

/** Records or bytes beyond which the work of a request is done in pieces. */
const LARGE = { rows: 1000, bytes: 128 << 10 }
/** Bytes that cost as much as a record. */
const BYTES_OF_POINT = 1024

/**
 * Points beyond which a request waits for its turn among the large ones, about 10 ms of the process. By price before it
 * runs, by what it has read afterwards.
 */
export const LARGE_POINTS = 2000
/**
 * Large requests at a time. Eight at once are answered no sooner than one after another, but each other request then waits
 * for the pieces, garbage and statements of all (decision 0052).
 */
const LARGE_REQUESTS = { organization: 1, all: 2 }
/** Creates the turns of large requests. A process has one, for all interfaces. */
export const createLargeTurns = () => createTurns(LARGE_REQUESTS)

/** Turns of the process that the requests of all organizations take. */
export interface WorkTurns {
  statements: Turns
  large: Turns
}

/** Limits of what a request reads. */
export interface ReadLimits {
  rows: number
  bytes: number
  onExcess: (limit: 'rows' | 'bytes') => void
}

export type Work = ReturnType<typeof startWork>

/**
 * Shares the process between organizations: a request runs few statements at a time, and waits for a turn when it is large.
 * @param organization whom its work counts against
 * @param signal ends the request
 * @param limits of what it reads. Defaults to none
 */
export function startWork(turns: WorkTurns, organization: string, signal: AbortSignal, limits?: ReadLimits) {
  let rows = 0
  let bytes = 0
  let largeTurn: Promise<() => void> | null = null
  const takeStatementTurn = turns.statements.ofRequest(organization, signal)
  const pointsSoFar = () => Math.max(rows, Math.ceil(bytes / BYTES_OF_POINT))
  const isLarge = () => rows > LARGE.rows || bytes > LARGE.bytes
  const awaitLargeTurn = (price = 0) => {
    if (Math.max(price, pointsSoFar()) > LARGE_POINTS) largeTurn ??= turns.large.acquire(organization, signal)
    return largeTurn
  }
  const takeTurn: TakeTurn = async (statement) => {
    await awaitLargeTurn()
    if (isLarge()) await nextTurn()
    return takeStatementTurn(statement)
  }
  const statementLimits = {
    run: takeTurn,
    addBytes: (count: number) => {
      bytes += count
      const isWithin = bytes <= (limits?.bytes ?? Number.POSITIVE_INFINITY)
      if (!isWithin) limits?.onExcess('bytes')
      return isWithin
    },
    addRows: (count: number) => {
      rows += count
      if (rows > (limits?.rows ?? Number.POSITIVE_INFINITY)) limits?.onExcess('rows')
      signal.throwIfAborted()
    },
    isLarge,
  }
  // Of statements that are not canceled when the client leaves, such as an insertion.
  const lasting = new AbortController().signal
  limitStatements(signal, statementLimits)
  limitStatements(lasting, statementLimits)
  return {
    takeTurn,
    /** Signal of statements that get none. Never fires. */
    lasting,
    /** Whether so much has been read that the answer is written in pieces. */
    isLarge,
    /** Points of everything that the request has read so far. */
    get points() {
      return pointsSoFar()
    },
    /**
     * Waits until a large request may continue. The turn is that of the whole request, and lasts until `end`.
     * @param price points that it is going to read. Defaults to what it has read
     * @returns null for a small request
     * @throws the reason of the signal when that fires first
     */
    awaitLargeTurn,
    /** The request, or an event of its subscription, has been answered: the next large one may run. */
    end: () => {
      const turn = largeTurn
      largeTurn = null
      rows = 0
      bytes = 0
      turn?.then(
        (release) => release(),
        () => {},
      )
    },
  }
}
