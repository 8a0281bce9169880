export interface Move {
  id: string
  place: { beforeTrackId: string } | { afterTrackId: string }
}

/** Returns the fewest moves, one after the other, that bring tracks into another order. */
export function planMoves(current: readonly string[], target: readonly string[]): Move[] {
  const places = new Map(current.map((id, at) => [id, at]))
  const unmoved = findLongestRise(target.map((id) => places.get(id) ?? 0))
  return target.flatMap((id, at): Move[] => {
    if (unmoved.has(at)) return []
    const [before, first] = [target[at - 1], current[0] ?? id]
    return [{ id, place: before === undefined ? { beforeTrackId: first } : { afterTrackId: before } }]
  })
}

/** Returns the indexes of a longest rising subsequence of different numbers. */
function findLongestRise(values: readonly number[]): Set<number> {
  /** By length: the index of the least number that ends a rising subsequence of this length. */
  const ends: number[] = []
  const previous: number[] = []
  for (const [at, value] of values.entries()) {
    const longerAt = ends.findIndex((end) => (values[end] ?? 0) > value)
    const length = longerAt === -1 ? ends.length : longerAt
    previous[at] = ends[length - 1] ?? -1
    ends[length] = at
  }
  const rise = new Set<number>()
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) rise.add(at)
  return rise
}
