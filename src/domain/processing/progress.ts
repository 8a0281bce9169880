import type { Services } from '../../platform/context.ts'
import type { FilePlan } from '../variant/types/type.ts'

/** Takes how much of a run is done, 0-1. */
export type Report = (share: number) => void

/** The most that is said before the end: all of it is done when the files are committed, not before. */
const MAX_PERCENT = 99
const STEP_MS = 1_000

/**
 * Writes how far a run is, for all who watch the track: once a second at most, only upwards, and only while the run is
 * the track's. It is news and no result, so a failure to write it harms nobody.
 */
export function reportProgress({ pool, log }: Pick<Services, 'pool' | 'log'>, jobId: string, trackId: string) {
  let percent = 0
  let written = 0
  let lastWrite = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  let isEnded = false

  async function write(): Promise<void> {
    lastWrite = performance.now()
    written = percent
    await pool.query(UPDATE, [trackId, jobId, percent]).catch((error) => {
      log.debug({ err: error, trackId }, 'the progress of a run could not be written')
    })
    timer = undefined
    schedule()
  }

  function schedule(): void {
    if (isEnded || timer || percent <= written) return
    timer = setTimeout(write, Math.max(0, lastWrite + STEP_MS - performance.now()))
  }

  return {
    report: (share: number) => {
      percent = Math.max(percent, Math.min(MAX_PERCENT, Math.floor(100 * share)))
      schedule()
    },
    end: () => {
      isEnded = true
      clearTimeout(timer)
    },
  }
}

/** A second run of the same job begins at nothing, but says so to nobody who has seen the first. */
const UPDATE = `
  UPDATE track SET progress = $3
  WHERE id = $1 AND status IN ('processing', 'fallback_processing') AND deleted_at IS NULL AND progress < $3
    AND EXISTS (SELECT FROM job WHERE id = $2 AND state = 'running')`

/** How long things take, against each other: the decode with all that is encoded from it, and each file by itself. */
const PASS_WEIGHT = 20
const weights: Record<FilePlan['kind'], number> = {
  audio: 1,
  levels: 1,
  waveform_image: 1,
  waveform_video: 20,
  cover: 2,
  original: 1,
}

/** Divides a run into its one pass over the recording and the files behind it. */
export function stepsOf(kinds: readonly FilePlan['kind'][], report: Report) {
  const total = kinds.reduce((sum, kind) => sum + weights[kind], PASS_WEIGHT)
  let done = 0
  return {
    /** Of the pass, 0-1. */
    pass: (share: number) => report((Math.min(1, share) * PASS_WEIGHT) / total),
    /** One file more. */
    made: (kind: FilePlan['kind']) => {
      done += weights[kind]
      report((PASS_WEIGHT + done) / total)
    },
  }
}
