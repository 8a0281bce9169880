import type { Services } from '../../platform/context.ts'
import { incomingKey } from '../access/upload-handle.ts'
import { queueTrackProcessing } from '../processing/queue.ts'
import { sourceKey } from '../track/service.ts'
import { changeStatus } from '../track/status.ts'

/**
 * Completes the upload of a track whose recording was uploaded to the bucket, if the object exists. A notification is
 * not trusted. Repeated calls complete the upload once.
 * @returns whether this call completed it
 * @see contract, section 5
 */
export async function noticeDirectUpload(services: Services, trackId: string): Promise<boolean> {
  const { db, storage, config, clock } = services
  const waiting = {
    id: trackId,
    status: 'initialized' as const,
    uploadCompletedAt: null,
    deletedAt: null,
    sourcePull: null,
  }
  const track = await db.track.findFirst({ where: waiting, select: { organizationId: true } })
  const incoming = incomingKey(trackId)
  const bytes = track && (await storage.size(incoming))
  if (!track || !bytes) return false
  if (bytes > config.maxUploadBytes) {
    const data = { statusCode: 'too_large', statusText: `The recording is larger than ${config.maxUploadBytes} bytes.` }
    const change = { from: ['initialized'], to: 'init_error', where: waiting, data } as const
    await db.$transaction((tx) => changeStatus(services, tx, trackId, change))
    await storage.remove([incoming])
    return false
  }
  // Copied to a key that no presigned URL of a client can overwrite.
  await storage.copy(incoming, sourceKey(track.organizationId, trackId))
  const isCompleted = await db.$transaction(async (tx) => {
    const { count } = await tx.track.updateMany({
      where: waiting,
      data: { uploadCompletedAt: clock(), sourceBytes: bytes },
    })
    if (count > 0) await queueTrackProcessing(tx, track.organizationId, trackId)
    return count > 0
  })
  await storage.remove([incoming])
  return isCompleted
}
