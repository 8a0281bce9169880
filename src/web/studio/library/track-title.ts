import type { TrackRowFragment } from '../generated/operations.ts'

/** The display name of a track. */
export const findTitle = (track: Pick<TrackRowFragment, 'title'>) => track.title
