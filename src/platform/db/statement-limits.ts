import { isTurnOver, nextTurn } from '../pieces.ts'

/** Limits that the statements of one request share. */
export interface StatementLimits {
  /**
   * Runs a statement when the request and its organization may have one more at a time.
   * @throws the reason of the request's signal when that fires first
   */
  run: <T>(statement: () => Promise<T>) => Promise<T>
  /** Counts bytes as they arrive from the database. @returns whether the request may read more */
  addBytes: (bytes: number) => boolean
  /** Counts rows, those of inlined lists included. @throws AppError `limit_reached` */
  addRows: (rows: number) => void
  /** Whether the request has read so much that its work is done in pieces. */
  isLarge: () => boolean
}

const bySignal = new WeakMap<AbortSignal, StatementLimits>()

/** Limits every statement that gets this signal. */
export function limitStatements(signal: AbortSignal, limits: StatementLimits): void {
  bySignal.set(signal, limits)
}

/** Returns the limits of the statements with this signal. */
export const findLimits = (signal: AbortSignal | undefined): StatementLimits | undefined =>
  signal && bySignal.get(signal)

/** Returns a result now; of a request that has read much, in a turn of long work, so that what follows is done in pieces. */
export const inTurn = <T>(signal: AbortSignal | undefined, result: () => T): T | Promise<T> =>
  findLimits(signal)?.isLarge() && isTurnOver() ? nextTurn().then(result) : result()
