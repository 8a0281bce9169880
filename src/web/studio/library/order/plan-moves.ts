import type { MoveTrackInput } from '../../generated/operations.ts'

export interface Move {
  id: string
  input: MoveTrackInput
}

/** Returns the fewest moves, one after the other, that bring tracks into another order. */
export function planMoves(current: readonly string[], target: readonly string[]): Move[] {
  const places = new Map(current.map((id, at) => [id, at]))
  const unmoved = findLongestRise(target.map((id) => places.get(id) ?? 0))
  return target.flatMap((id, at): Move[] => {
    if (unmoved.has(at)) return []
    const before = target[at - 1]
    return [{ id, input: before === undefined ? { beforeTrackId: current[0] } : { afterTrackId: before } }]
  })
}

/** Returns the indexes of a longest rising subsequence of different numbers. */
function findLongestRise(values: readonly number[]): Set<number> {
  /** By length: the index of the least number that ends a rising subsequence of this length. */
  const ends: number[] = []
  const previous: number[] = []
  for (const [at, value] of values.entries()) {
    const found = ends.findIndex((end) => (values[end] ?? 0) > value)
    const length = found === -1 ? ends.length : found
    previous[at] = ends[length - 1] ?? -1
    ends[length] = at
  }
  const rise = new Set<number>()
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) rise.add(at)
  return rise
}
