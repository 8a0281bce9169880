/** Time that pieces of long work may take before other work of the process gets a turn, in milliseconds. */
const PIECE_MS = 2
/** Microtasks in which a piece usually does its work after its turn has begun. */
const TICKS = 4

/** Time that long work waits for urgent work at most before each piece, in milliseconds. */
const MAX_PAUSE_MS = 10

const waiting: (() => void)[] = []
let isRunning = false
let began = 0
let urgent = 0
let resume: (() => void) | null = null

/** Begins work that listeners wait for: long work pauses until `endUrgent`, between two of its pieces. */
export function beginUrgent(): void {
  urgent += 1
}

/** Ends urgent work. */
export function endUrgent(): void {
  urgent -= 1
  if (urgent === 0) resume?.()
}

/** Waits for the end of urgent work, which the database may be doing, for a limited time. */
async function awaitUrgent(): Promise<void> {
  if (urgent === 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, MAX_PAUSE_MS)
  resume = resolve
  await promise
  clearTimeout(timer)
  resume = null
}

const loopTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
let lastEntry = Promise.resolve()

/**
 * Waits for a turn of the event loop that no other caller gets: for work of about a millisecond. That of many requests at once
 * would otherwise be one long stretch.
 */
export function nextEntry(): Promise<void> {
  lastEntry = lastEntry.then(loopTurn)
  return lastEntry
}

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
    await loopTurn()
    await awaitUrgent()
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
