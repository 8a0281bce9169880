import { task } from '../../platform/jobs/task.ts'
import { album } from './album.ts'
import { drawCover } from './cover/cover.ts'
import { makeAlbum } from './make-album.ts'
import { recordPiece } from './music/record.ts'
import { uploadAlbum } from './upload-album.ts'

/** All files are made before the first record, so that people see no album without recordings. */
export const makeAlbumTask = task(makeAlbum, async (services, owner, { signal }) => {
  const cover = await drawCover(signal)
  const recordings: Uint8Array[] = []
  for (const { piece } of album.tracks) recordings.push(await recordPiece(piece, signal))
  await uploadAlbum(services, owner, { cover, recordings })
  services.log.info({ tracks: recordings.length }, 'the demo album was made')
})
