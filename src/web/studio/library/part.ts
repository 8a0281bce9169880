import type { FileSoundFragment as File, TrackRowFragment as Track } from '../generated/operations.ts'

/** Part of a recording, in seconds. */
interface Part {
  start: number
  end: number
}

interface Captured {
  __typename?: string
  captureStart?: number | null
  captureEnd?: number | null
}

/** Returns the part of the recording that a preview, or a transcode without silence, contains. Null for all of it. */
export function findPart({ props, data }: Pick<File, 'props' | 'data'>): Part | null {
  const { captureStart: start, captureEnd: end }: Captured = { ...props, ...data }
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : null
}

/** Returns the levels of a part of a recording, at least one. Null for a track without levels. */
export function cutLevels({ levels, duration }: Pick<Track, 'levels' | 'duration'>, part: Part | null) {
  if (!levels || !part || !duration) return levels?.levels ?? null
  const toPlace = (seconds: number) => (levels.levels.length * seconds) / duration
  const from = Math.floor(toPlace(part.start))
  return levels.levels.slice(from, Math.max(from + 1, Math.ceil(toPlace(part.end))))
}
