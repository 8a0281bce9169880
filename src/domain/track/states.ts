import type { TrackStatus } from '../../platform/db/generated/client/enums.ts'

/** States of a track that a job is working on. The function `track_stamp_change` names them too. */
export const processingStates: TrackStatus[] = ['processing', 'fallback_processing']
/** States that change without further requests. Also the condition of the index `track_under_way`. */
export const unfinishedStates: TrackStatus[] = ['initialized', ...processingStates]

export const isProcessing = (status: TrackStatus) => processingStates.includes(status)
export const isUnfinished = (status: TrackStatus) => unfinishedStates.includes(status)
