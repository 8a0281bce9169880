/** Equal parts of a track, whose listenings are counted. */
export const HUNDREDTHS = 100

/** A part of a recording that was heard, in seconds. */
export type HeardRange = readonly [from: number, to: number]

/**
 * Marks the hundredths of a recording that were heard, at least half of each. Ranges may overlap, and end after the recording.
 * @returns a text of 100 digits. 1: heard
 */
export function markHundredths(ranges: readonly HeardRange[], durationSeconds: number): string {
  const joined = joinRanges(ranges)
  const length = durationSeconds / HUNDREDTHS
  return Array.from({ length: HUNDREDTHS }, (_, place) => {
    const [start, end] = [place * length, (place + 1) * length]
    const seconds = joined.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, end) - Math.max(from, start)), 0)
    return seconds >= length / 2 ? '1' : '0'
  }).join('')
}

/** Joins ranges that overlap. */
function joinRanges(ranges: readonly HeardRange[]): HeardRange[] {
  const joined: [number, number][] = []
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}
