import type { Progress } from './state.ts'

/** Time whose progress is extrapolated. */
const WINDOW_MS = 30_000
/** A shorter time says too little. */
const MIN_MS = 3000

/**
 * Estimates how long the rest of an upload takes, from the bytes of the last half minute.
 * @param now milliseconds of a clock that only moves forward
 */
export function createPace(now: () => number = () => performance.now()) {
  let samples: { at: number; sentBytes: number }[] = []
  return {
    /** @returns seconds. Null while there is too little progress. */
    estimate({ sentBytes, totalBytes }: Progress): number | null {
      const at = now()
      // A file was removed, so that the bytes before it no longer compare.
      if (sentBytes < (samples.at(-1)?.sentBytes ?? 0)) samples = []
      samples = [...samples.filter((sample) => at - sample.at <= WINDOW_MS), { at, sentBytes }]
      const [first] = samples
      if (!first || at - first.at < MIN_MS || sentBytes === first.sentBytes) return null
      return ((totalBytes - sentBytes) * (at - first.at)) / (sentBytes - first.sentBytes) / 1000
    },
    /** Forgets the progress before a pause. */
    reset() {
      samples = []
    },
  }
}
