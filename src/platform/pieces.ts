/** Time that pieces of long work may take before other work of the process gets a turn, in milliseconds. */
const PIECE_MS = 2
/** Microtasks in which a piece usually does its work after its turn has begun. */
const TICKS = 4

const waiting: (() => void)[] = []
let isRunning = false
let began = 0

/**
 * Waits for a turn of long work. Between two turns the process answers other requests. All requests with
 * long work share the turns, in the order of their calls.
 */
export function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.push(resolve)
  if (!isRunning) void giveTurns()
  return promise
}

async function giveTurns(): Promise<void> {
  isRunning = true
  while (waiting.length > 0) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    began = performance.now()
    while (waiting.length > 0 && !isTurnOver()) {
      waiting.shift()?.()
      for (let tick = 0; tick < TICKS; tick++) await null
    }
  }
  isRunning = false
}

/** Whether the turn of long work is over, or none has begun. */
export const isTurnOver = (): boolean => performance.now() - began > PIECE_MS

/** Maps a list of any length, and lets other work of the process run in between. */
export async function mapInPieces<T, R>(list: readonly T[], convert: (item: T) => R): Promise<R[]> {
  const converted: R[] = []
  await nextTurn()
  for (const item of list) {
    if (isTurnOver()) await nextTurn()
    converted.push(convert(item))
  }
  return converted
}
