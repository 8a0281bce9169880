import type { TextName } from '../../strings.ts'
import { formatNumber, t } from '../../strings.ts'
import type { TrackStatus } from '../generated/operations.ts'

/** Texts of the states, in the order of a track's life. */
export const statuses: Record<TrackStatus, TextName> = {
  INITIALIZED: 'library.initialized',
  PROCESSING: 'library.processing',
  FALLBACK_PROCESSING: 'library.fallbackProcessing',
  READY: 'library.ready',
  INCOMPLETE: 'library.incomplete',
  ERROR: 'library.error',
  INIT_ERROR: 'library.initError',
}

/** States of tracks that need a person. */
export const failedStatuses: readonly TrackStatus[] = ['INCOMPLETE', 'ERROR', 'INIT_ERROR']

interface Props {
  status: TrackStatus
  progressPercent: number | null
}

export function Status({ status, progressPercent }: Props) {
  const kind = status === 'READY' ? 'good' : failedStatuses.includes(status) ? 'bad' : 'busy'
  return (
    <span className={`status ${kind}`}>
      {t(statuses[status])}
      {progressPercent !== null && ` ${formatNumber(progressPercent / 100, { style: 'percent' })}`}
    </span>
  )
}
