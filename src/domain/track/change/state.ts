import type { TrackStatus } from '../../../platform/db/generated/client/enums.ts'
import type { Notice } from '../../../platform/db/notify.ts'
import { isProcessing, isUnfinished } from '../states.ts'

/** PostgreSQL channel that the trigger `track_changed` notifies when a track changes. */
export const CHANNEL = 'track_changed'

/** State of a track at a point in time. */
export interface TrackState {
  trackId: string
  organizationId: string
  collectionId: string
  creatorId: string | null
  status: TrackStatus
  /** Percent of the current processing run. 0 to 99. */
  progress: number
  /** Time of the last change of status, or of the deletion, by the database's clock. */
  changedAt: Date
  isDeleted: boolean
}

export const isFinal = ({ status, isDeleted }: TrackState) => isDeleted || !isUnfinished(status)

/** Returns the progress in percent. 0 to 100; 100 exactly when the state is final. */
export function computePercent(state: TrackState): number {
  if (isFinal(state)) return 100
  return isProcessing(state.status) ? state.progress : 0
}

/** Whether one state of a track is later than another. */
export const isNewer = (one: TrackState, other: TrackState) =>
  one.changedAt > other.changedAt ||
  (one.changedAt.getTime() === other.changedAt.getTime() && one.progress > other.progress)

export const stateOfNotice = (notice: Notice): TrackState => ({
  trackId: String(notice.track),
  organizationId: String(notice.organization),
  collectionId: String(notice.collection),
  creatorId: typeof notice.creator === 'string' ? notice.creator : null,
  status: notice.status as TrackStatus,
  progress: Number(notice.progress),
  changedAt: new Date(String(notice.changedAt)),
  isDeleted: notice.isDeleted === true,
})
