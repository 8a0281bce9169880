import type { TrackRowFragment } from '../generated/operations.ts'

/** The title of a track, or the name of its file. */
export const findTitle = (track: Pick<TrackRowFragment, 'playerTitle' | 'fileName' | 'fileNameOriginal'>) =>
  track.playerTitle || track.fileNameOriginal || track.fileName
