import type { Services } from '../../../platform/context.ts'
import { processingStates } from '../../track/states.ts'

/** The highest percentage before the files are committed. */
const MAX_PERCENT = 99
const INTERVAL_MS = 1_000
/** Weight of the decode with everything that is encoded from it. A file has the weight of its maker. */
const DECODE_WEIGHT = 20

/** Progress of one run. */
export interface Progress {
  /** Sets the weights of the files to make. */
  begin: (weights: readonly number[]) => void
  /** Reports the share of the recording that is decoded, 0 to 1. */
  decoded: (share: number) => void
  /** Reports a file that is made. */
  reportFile: (weight: number) => void
  end: () => void
}

/** Writes the progress of a run to its track. */
export function trackProgress(services: Pick<Services, 'pool' | 'log'>, jobId: string, trackId: string): Progress {
  const { report, end } = progressWriter(services, jobId, trackId)
  return { ...divideProgress(report), end }
}

/** Divides a run into its decode and its files. @param report receives the share that is done, 0 to 1 */
export function divideProgress(report: (share: number) => void): Omit<Progress, 'end'> {
  let total = DECODE_WEIGHT
  let done = 0
  return {
    begin: (weights) => {
      total = weights.reduce((sum, weight) => sum + weight, DECODE_WEIGHT)
    },
    decoded: (share) => report((Math.min(1, share) * DECODE_WEIGHT) / total),
    reportFile: (weight) => {
      done += weight
      report((DECODE_WEIGHT + done) / total)
    },
  }
}

/**
 * Writes a percentage to a track: at most once a second, only upwards, and only while the job runs. A failed write is
 * ignored.
 */
export function progressWriter({ pool, log }: Pick<Services, 'pool' | 'log'>, jobId: string, trackId: string) {
  let percent = 0
  let written = 0
  let lastWrite = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  let isEnded = false

  async function write(): Promise<void> {
    lastWrite = performance.now()
    written = percent
    await pool.query(UPDATE, [trackId, jobId, percent, processingStates]).catch((error) => {
      log.debug({ err: error, trackId }, 'the progress of a run could not be written')
    })
    timer = undefined
    schedule()
  }

  function schedule(): void {
    if (isEnded || timer || percent <= written) return
    timer = setTimeout(write, Math.max(0, lastWrite + INTERVAL_MS - performance.now()))
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

/** A repeated run of the job starts at 0, but the track keeps the highest percentage. */
const UPDATE = `
  UPDATE track SET progress = $3
  WHERE id = $1 AND status = ANY($4::track_status[]) AND deleted_at IS NULL AND progress < $3
    AND EXISTS (SELECT FROM job WHERE id = $2 AND state = 'running')`
