import type { Services } from '../../../platform/context.ts'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'
import { AppError, invalidInput, notFound } from '../../../platform/errors.ts'
import type { UploadGrant } from '../../../platform/identity/signing.ts'
import { DAY_MS } from '../../../platform/time.ts'
import { changeStatus } from '../../track/status.ts'
import { findUploadableTrack } from '../open.ts'
import { finishIfWhole } from './finish.ts'

/** An upload must be completed within 24 hours after its first request. */
const RESUMABLE_MS = DAY_MS

/** Progress of an upload. */
export interface UploadProgress {
  /** Number of stored bytes: the position of the next byte to send. */
  offset: number
  /** Size of the recording in bytes. Null until announced. */
  size: number | null
  /** Time before which it must be continued. Null when complete. */
  expiresAt: Date | null
  /** SHA-256 of the recording, in lower-case hex. Null until complete. */
  sha256: string | null
  /** Upload-Metadata, as the client sent it. Only `getProgress` returns it. */
  metadata?: string | null
}

/**
 * Returns the progress of the upload of a track, also when complete.
 * @throws AppError `not_found`, `source_url_given`, `expired`; `upload_in_use` while the upload is being completed
 */
export async function getProgress(services: Services, grant: UploadGrant): Promise<UploadProgress> {
  const done = await completedProgress(services, grant.id)
  if (done) return done
  let track = await findUploadableTrack(services, grant, true)
  for (let tries = 1; tries < SETTLE_TRIES && track.resumableUpload?.leaseId; tries++) {
    await Bun.sleep(SETTLE_MS)
    const ended = await completedProgress(services, grant.id)
    if (ended) return ended
    track = await findUploadableTrack(services, grant, true)
  }
  const { announcedBytes, resumableUpload } = track
  const size = toNumber(announcedBytes)
  const expiresAt = resumableUpload?.expiresAt ?? new Date(grant.expiresMs)
  const stored = resumableUpload ? ((await services.storage.pieces?.size(grant.id)) ?? 0) : 0
  const offset = Math.min(Number(resumableUpload?.received ?? 0), stored)
  // The process ended after the last byte and before it completed the upload.
  if (offset === size) {
    return { ...(await finishIfWhole(services, grant.id, { size, expiresAt })), metadata: track.uploadMetadata }
  }
  return { offset, size, expiresAt, sha256: null, metadata: track.uploadMetadata }
}

/**
 * A client whose connection was interrupted asks before the previous request has recorded its last bytes. Waiting up to
 * a second for the end of that request saves sending these bytes again.
 */
const SETTLE_TRIES = 10
const SETTLE_MS = 100

/** The progress of a completed upload; null for any other. */
export async function completedProgress({ db }: Services, id: string): Promise<UploadProgress | null> {
  const track = await db.track.findFirst({ where: { id, deletedAt: null } })
  if (!track?.uploadCompletedAt) return null
  const bytes = Number(track.sourceBytes)
  return { offset: bytes, size: bytes, expiresAt: null, sha256: track.sourceSha256, metadata: track.uploadMetadata }
}

/**
 * Records the announced size of a track's recording. The same size may be announced again.
 * @param sizeBytes null if this request announces no size
 * @returns the known size or null, and the time before which the upload must be continued
 * @throws AppError `invalid_input` for a size that differs from the previous one; `too_large`; those of `findUploadableTrack`
 */
export async function announceUpload(services: Services, grant: UploadGrant, sizeBytes: number | null) {
  const { announcedBytes, resumableUpload } = await findUploadableTrack(services, grant, true)
  const knownSize = toNumber(announcedBytes)
  const now = services.clock().getTime()
  const expiresAt = resumableUpload?.expiresAt ?? new Date(now + RESUMABLE_MS)
  if (sizeBytes === null || sizeBytes === knownSize) return { size: knownSize, expiresAt }
  checkSize(services, sizeBytes)
  const where = { id: grant.id, announcedBytes: null }
  const { count } = await services.db.track.updateMany({ where, data: { announcedBytes: sizeBytes } })
  if (count > 0) return { size: sizeBytes, expiresAt }
  // Also by a request at the same time.
  const announced = toNumber((await findUploadableTrack(services, grant, true)).announcedBytes)
  if (announced !== sizeBytes) throw invalidInput('Upload-Length', `must be ${announced}, as announced before`)
  return { size: announced, expiresAt }
}

/** Records Upload-Metadata, in place of that of an earlier request, until the upload is complete. */
export async function recordMetadata({ db }: Services, { id }: UploadGrant, uploadMetadata: string): Promise<void> {
  await db.track.updateMany({ where: { id, uploadCompletedAt: null }, data: { uploadMetadata } })
}

/** @throws AppError `too_large` */
export function checkSize({ config }: Services, sizeBytes: number | null | undefined): void {
  if ((sizeBytes ?? 0) <= config.maxUploadBytes) return
  throw new AppError('too_large', `A recording must be at most ${config.maxUploadBytes} bytes.`)
}

/**
 * Cancels an upload permanently: deletes its bytes and makes the track `init_error`.
 * @throws AppError those of `findUploadableTrack`
 */
export async function cancelUpload(services: Services, grant: UploadGrant): Promise<void> {
  await findUploadableTrack(services, grant, true)
  const where: Prisma.TrackWhereInput = { uploadCompletedAt: null }
  const data = { statusCode: 'upload_cancelled', statusText: 'The upload was cancelled before it was complete.' }
  const change = { from: ['initialized'], to: 'init_error', where, data } as const
  const isCancelled = await services.db.$transaction(async (tx) => {
    await tx.resumableUpload.deleteMany({ where: { trackId: grant.id } })
    return changeStatus(services, tx, grant.id, change)
  })
  if (!isCancelled) throw notFound('uploadUrl')
  await services.storage.pieces?.discard(grant.id)
}

const toNumber = (value: bigint | null) => (value === null ? null : Number(value))
