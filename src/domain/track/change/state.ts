import type { TrackStatus } from '../../../platform/db/generated/client/enums.ts'
import type { Notice } from '../../../platform/db/notify.ts'

/** What the database says when a track changes (trigger `track_tell_change`). */
export const CHANNEL = 'track_changed'

/** Where a track was at a moment. */
export interface TrackState {
  trackId: string
  organizationId: string
  collectionId: string
  creatorId: string | null
  status: TrackStatus
  /** Percent of the run that is under way, 0-99. */
  progress: number
  /** When the status last changed, or the track was deleted; by the database's clock. */
  changedAt: Date
  isDeleted: boolean
}

/** States that another follows by itself. */
export const unfinished = ['initialized', 'processing', 'fallback_processing'] as const satisfies TrackStatus[]

export const isProcessing = (status: TrackStatus) => status === 'processing' || status === 'fallback_processing'
const isUnfinished = (status: TrackStatus) => (unfinished as readonly TrackStatus[]).includes(status)
export const isFinal = ({ status, isDeleted }: TrackState) => isDeleted || !isUnfinished(status)

/** 0-100: all of it exactly when nothing follows any more. */
export function percentOf(state: TrackState): number {
  if (isFinal(state)) return 100
  return isProcessing(state.status) ? state.progress : 0
}

/** Whether one state of a track came after another. */
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
