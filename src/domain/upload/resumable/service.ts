import type { Services } from '../../../platform/context.ts'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'
import { AppError, invalidInput, notFound } from '../../../platform/errors.ts'
import type { UploadGrant } from '../../../platform/identity/signing.ts'
import { DAY_MS } from '../../../platform/time.ts'
import { changeStatus } from '../../track/status.ts'
import { findOpenTrack } from '../open.ts'
import { finishIfWhole } from './finish.ts'

/** An upload that has begun may go on for so long. */
const RESUMABLE_MS = DAY_MS

/** How far an upload has come. */
export interface UploadProgress {
  /** Bytes that are safe: the next one to send. */
  offset: number
  /** Of the whole; null as long as nobody has said. */
  size: number | null
  /** Until when it can go on; null once it is complete. */
  expiresAt: Date | null
  /** Of the whole, lower-case hex, once it is complete. */
  sha256: string | null
}

/**
 * How far the upload of a track has come, whoever asks by its address; also of one that is complete.
 * @throws AppError `not_found`, `source_url_given`, `expired`; `upload_in_use` while the whole is being accepted
 */
export async function getProgress(services: Services, grant: UploadGrant): Promise<UploadProgress> {
  const done = await completedProgress(services, grant.id)
  if (done) return done
  let track = await findOpenTrack(services, grant, true)
  for (let tries = 1; tries < SETTLE_TRIES && track.resumableUpload?.holder; tries++) {
    await Bun.sleep(SETTLE_MS)
    const ended = await completedProgress(services, grant.id)
    if (ended) return ended
    track = await findOpenTrack(services, grant, true)
  }
  const { announcedBytes, resumableUpload } = track
  const size = numberOf(announcedBytes)
  const expiresAt = resumableUpload?.expiresAt ?? new Date(grant.expiresMs)
  const stored = resumableUpload ? ((await services.storage.pieces?.size(grant.id)) ?? 0) : 0
  const offset = Math.min(Number(resumableUpload?.received ?? 0), stored)
  // All of it came, and then the process that was to accept it ended.
  if (offset === size) return finishIfWhole(services, grant.id, { size, expiresAt })
  return { offset, size, expiresAt, sha256: null }
}

/**
 * A client whose connection broke asks at once, before the request that wrote has noted how far it came; it would send
 * again what is safe. After a second it is told what is known.
 */
const SETTLE_TRIES = 10
const SETTLE_MS = 100

/** The progress of an upload that is complete, and null of any other. */
async function completedProgress({ db }: Services, id: string): Promise<UploadProgress | null> {
  const track = await db.track.findFirst({ where: { id, deletedAt: null } })
  if (!track?.uploadCompletedAt) return null
  const bytes = Number(track.sourceBytes)
  return { offset: bytes, size: bytes, expiresAt: null, sha256: track.sourceSha256 }
}

/**
 * Notes the size that was announced for a track's recording; the same one may be announced again.
 * @param sizeBytes null where none is announced now
 * @returns the size as far as it is known, and until when the upload can go on
 * @throws AppError `invalid_input` for another size than the one before, `too_large`; also those of `findOpenTrack`
 */
export async function announce(services: Services, grant: UploadGrant, sizeBytes: number | null) {
  const { announcedBytes, resumableUpload } = await findOpenTrack(services, grant, true)
  const known = numberOf(announcedBytes)
  const now = services.clock().getTime()
  const expiresAt = resumableUpload?.expiresAt ?? new Date(now + RESUMABLE_MS)
  if (sizeBytes === null || sizeBytes === known) return { size: known, expiresAt }
  checkSize(services, sizeBytes)
  const where = { id: grant.id, announcedBytes: null }
  const { count } = await services.db.track.updateMany({ where, data: { announcedBytes: sizeBytes } })
  if (count === 0) throw invalidInput('Upload-Length', `must be the ${known} that were announced before`)
  return { size: sizeBytes, expiresAt }
}

/** @throws AppError `too_large` for a size that no upload may have */
export function checkSize({ config }: Services, sizeBytes: number | null | undefined): void {
  if ((sizeBytes ?? 0) <= config.maxUploadBytes) return
  throw new AppError('too_large', `A recording must be at most ${config.maxUploadBytes} bytes.`)
}

/**
 * Ends an upload for good, as its sender wishes: what came of it is removed, the track is `init_error`.
 * @throws AppError those of `findOpenTrack`
 */
export async function cancelUpload(services: Services, grant: UploadGrant): Promise<void> {
  await findOpenTrack(services, grant, true)
  const where: Prisma.TrackWhereInput = { uploadCompletedAt: null }
  const data = { statusCode: 'upload_cancelled', statusText: 'The upload was cancelled before it was complete.' }
  const change = { from: ['initialized'], to: 'init_error', where, data } as const
  const isOurs = await services.db.$transaction(async (tx) => {
    await tx.resumableUpload.deleteMany({ where: { trackId: grant.id } })
    return changeStatus(services, tx, grant.id, change)
  })
  if (!isOurs) throw notFound('uploadUrl')
  await services.storage.pieces?.discard(grant.id)
}

const numberOf = (value: bigint | null) => (value === null ? null : Number(value))
