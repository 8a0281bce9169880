import type { Services } from '../../platform/context.ts'
import { incomingKey } from '../access/upload-handle.ts'
import { queueTrackProcessing } from '../processing/queue.ts'
import { sourceKey } from '../track/service.ts'
import { changeStatus } from '../track/status.ts'

/**
 * Completes the upload of a track whose bytes went straight into the bucket, if they are there: whoever says so is
 * not believed but checked. Any number of calls complete it once.
 * @returns whether it was completed now
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
  // Moved to where no address that a client holds can change it.
  await storage.copy(incoming, sourceKey(track.organizationId, trackId))
  const isOurs = await db.$transaction(async (tx) => {
    const { count } = await tx.track.updateMany({
      where: waiting,
      data: { uploadCompletedAt: clock(), sourceBytes: bytes },
    })
    if (count > 0) await queueTrackProcessing(tx, track.organizationId, trackId)
    return count > 0
  })
  await storage.remove([incoming])
  return isOurs
}
