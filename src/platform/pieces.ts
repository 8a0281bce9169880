/** Time that a piece of work may take before other work of the process gets a turn, in milliseconds. */
export const PIECE_MS = 8
/** Items between two looks at the clock. */
const ITEMS = 64

/** Lets other work of the process run: requests, timers, answers of the database. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Maps a list, and lets other work of the process run in between. A short list is mapped at once. */
export async function mapInPieces<T, R>(list: readonly T[], convert: (item: T) => R): Promise<R[]> {
  if (list.length <= ITEMS) return list.map(convert)
  const converted: R[] = []
  let began = performance.now()
  for (let at = 0; at < list.length; at++) {
    converted.push(convert(list[at] as T))
    if (at % ITEMS === 0 && performance.now() - began > PIECE_MS) {
      await nextTurn()
      began = performance.now()
    }
  }
  return converted
}
