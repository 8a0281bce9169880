import type { Services } from '../../platform/context.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import { forEach } from '../../platform/for-each.ts'
import { reserveKeys } from '../processing/run/store.ts'
import { newSourceKey } from '../track/service.ts'
import { changeStatus } from '../track/status.ts'
import { incomingKey } from '../upload-address/incoming.ts'
import { nameRecording } from './complete.ts'
import { isRefusal } from './open.ts'
import { discardParts, toUpload } from './resumable/parts.ts'

/** Tracks that wait for an upload by a client. */
export const waiting = {
  status: 'initialized',
  uploadCompletedAt: null,
  deletedAt: null,
  sourcePull: null,
} satisfies Prisma.TrackWhereInput

/**
 * Completes the upload of a track whose recording was uploaded to the bucket, if the object exists. A notification is
 * not trusted. Repeated calls complete the upload once. An object of a wrong size ends the track with a reason: its
 * client had the bucket's answer 200, so only the track can report it.
 * @returns whether this call completed it
 * @throws StorageError
 * @see contract, section 5
 */
export async function noticeDirectUpload(services: Services, trackId: string, signal?: AbortSignal): Promise<boolean> {
  const { db, storage, log } = services
  const where = { ...waiting, id: trackId }
  const select = { id: true, organizationId: true, announcedBytes: true, resumableUpload: true } as const
  const track = await db.track.findFirst({ where, select })
  const incoming = incomingKey(trackId)
  const object = track && (await storage.presign?.find(incoming, signal))
  if (!track || !object) return false
  const { bytes } = object
  const refusal = findRefusal(services, bytes, track.announcedBytes)
  if (refusal) {
    log.info({ trackId, bytes, code: refusal.statusCode }, 'an upload in the bucket was refused')
    const change = { from: ['initialized'], to: 'init_error', where, data: refusal } as const
    await db.$transaction((tx) => changeStatus(services, tx, trackId, change))
    await removeIncoming(services, incoming)
    return false
  }
  // A key that no presigned URL of a client can overwrite.
  const key = newSourceKey(track)
  await reserveKeys(services, [key])
  // Replaced since it was examined: the next call examines the new one.
  if (!(await storage.presign?.copyVersion(incoming, key, object, signal))) return false
  try {
    await nameRecording(services, trackId, { key, bytes, sha256: null }, { where: waiting })
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
  await removeIncoming(services, incoming)
  await discardParts(services, toUpload(track.resumableUpload))
  return true
}

/** Uploads that one notification completes at once. */
const PARALLEL = 8

/**
 * Completes the uploads of several tracks. A failure of one is logged and does not keep the others: the next round of
 * `notice_uploads` tries it again.
 * @returns number of uploads that this call completed
 */
export async function noticeDirectUploads(services: Services, trackIds: readonly string[]): Promise<number> {
  let completed = 0
  await forEach(trackIds, PARALLEL, async (trackId) => {
    try {
      if (await noticeDirectUpload(services, trackId)) completed += 1
    } catch (error) {
      services.log.error({ err: error, trackId }, 'an upload in the bucket could not be examined; it is tried again')
    }
  })
  return completed
}

/** Returns why an object cannot be the recording of its track. Null if it can. */
function findRefusal({ config }: Services, bytes: number, announcedBytes: bigint | null) {
  if (bytes === 0) return { statusCode: 'empty', statusText: 'The uploaded file has no bytes.' }
  if (bytes > config.maxUploadBytes) {
    return { statusCode: 'too_large', statusText: `The recording is larger than ${config.maxUploadBytes} bytes.` }
  }
  if (announcedBytes === null || BigInt(bytes) === announcedBytes) return null
  const statusText = `The recording has ${bytes} bytes, but ${announcedBytes} were announced.`
  return { statusCode: 'upload_size_mismatch', statusText }
}

/** Removes the object that a client uploaded. What cannot be removed now is removed by `notice_uploads`. */
async function removeIncoming({ storage, log }: Services, key: string): Promise<void> {
  for (const { error } of await storage.remove([key])) log.warn({ err: error, key }, 'an object could not be removed')
}
