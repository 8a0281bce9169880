import { extname } from 'node:path'
import type { Context } from '../../platform/context.ts'
import type { Track } from '../../platform/db/generated/client/client.ts'
import { randomBase62 } from '../access/key/key.ts'
import { writeScope } from '../access/viewer.ts'
import { safeFileName, withoutExtension } from '../delivery/name.ts'
import type { ReplaceRecording } from '../track/replacement/record.ts'
import { endReplacements, lockReplaceable } from '../track/replacement/service.ts'
import { INDEX_LENGTH } from '../track/service.ts'
import { UPLOAD_SECONDS, type UploadHandle, uploadHandle } from '../upload-address/handle.ts'
import { fileNameIn, readAddress } from './pull/address.ts'
import { queuePull } from './pull/queue.ts'
import { checkSize } from './resumable/service.ts'

/** A replacement of a track's recording, and the address that takes the new one. */
export interface RecordingUpload {
  /** ID of the track. */
  id: string
  replacement: Track
  trackUpload: UploadHandle<'PUT'>
}

/**
 * Begins to replace the recording of a track (decision 0070). The new recording is uploaded and processed as that of a row
 * of its own, and the track has its own until the new one is ready. Ends a replacement that had begun before.
 * @throws AppError `not_found`, `track_processing`, `too_large`, `invalid_input`
 * @see contract, section 5
 */
export async function replaceRecording(
  ctx: Context,
  trackId: string,
  { fileName, fileSize, sourceUrl }: ReplaceRecording,
): Promise<RecordingUpload> {
  const scope = writeScope(ctx)
  checkSize(ctx, fileSize)
  const source = sourceUrl ? readAddress(sourceUrl, ctx.config.isSourcePrivateAllowed) : null
  const sourceName = fileName ?? (source ? fileNameIn(source) : '')
  const now = ctx.clock()
  const replacement = await ctx.db.$transaction(async (tx) => {
    const track = await lockReplaceable(tx, scope, trackId)
    await endReplacements(tx, trackId, now)
    const { organizationId, collectionId, creatorId, order, chapters, playerColor, basePath } = track
    const index = randomBase62(INDEX_LENGTH)
    const created = await tx.track.create({
      data: {
        organizationId,
        collectionId,
        creatorId,
        order,
        playerColor,
        index,
        sourceName,
        chapters: chapters ?? undefined,
        replacesId: trackId,
        basePath: `${basePath.slice(0, basePath.lastIndexOf('/'))}/${index}`,
        // Files keep the name of the track. The extension is that of the new recording.
        fileName: `${withoutExtension(track.fileName)}${extname(safeFileName(sourceName))}`,
        fileNameOriginal: track.fileNameOriginal,
        announcedBytes: fileSize,
        uploadExpiresAt: new Date(now.getTime() + UPLOAD_SECONDS * 1000),
      },
    })
    if (sourceUrl) await queuePull(ctx, tx, created, { sourceUrl, isFileNameGiven: true })
    return created
  })
  return { id: trackId, replacement, trackUpload: uploadHandle(ctx, 'track', replacement, Boolean(sourceUrl)) }
}
