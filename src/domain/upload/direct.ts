import type { Services } from '../../platform/context.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import { incomingKey } from '../access/upload-handle.ts'
import { queueTrackProcessing } from '../processing/queue.ts'
import { sourceKey } from '../track/service.ts'
import { changeStatus } from '../track/status.ts'

/** Tracks that wait for an upload by a client. */
export const waiting = {
  status: 'initialized',
  uploadCompletedAt: null,
  deletedAt: null,
  sourcePull: null,
} satisfies Prisma.TrackWhereInput

/**
 * Completes the upload of a track whose recording was uploaded to the bucket, if the object exists. A notification is
 * not trusted. Repeated calls complete the upload once.
 * @returns whether this call completed it
 * @see contract, section 5
 */
export async function noticeDirectUpload(services: Services, trackId: string, signal?: AbortSignal): Promise<boolean> {
  const { db, storage, config, clock } = services
  const where = { ...waiting, id: trackId }
  const track = await db.track.findFirst({ where, select: { organizationId: true } })
  const incoming = incomingKey(trackId)
  const bytes = track && (await storage.presign?.find(incoming, signal))?.bytes
  if (!track || !bytes) return false
  if (bytes > config.maxUploadBytes) {
    const data = { statusCode: 'too_large', statusText: `The recording is larger than ${config.maxUploadBytes} bytes.` }
    const change = { from: ['initialized'], to: 'init_error', where, data } as const
    await db.$transaction((tx) => changeStatus(services, tx, trackId, change))
    await storage.remove([incoming])
    return false
  }
  // Copied to a key that no presigned URL of a client can overwrite.
  await storage.copy(incoming, sourceKey(track.organizationId, trackId))
  const isCompleted = await db.$transaction(async (tx) => {
    const { count } = await tx.track.updateMany({
      where,
      data: { uploadCompletedAt: clock(), sourceBytes: bytes },
    })
    if (count > 0) await queueTrackProcessing(tx, track.organizationId, trackId)
    return count > 0
  })
  await storage.remove([incoming])
  return isCompleted
}
