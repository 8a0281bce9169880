import type { Services } from '../../../platform/context.ts'
import { invalidInput, notFound } from '../../../platform/errors.ts'
import type { UploadGrant } from '../../../platform/identity/signing.ts'
import {
  type MultipartUpload,
  type MultipartUploads,
  type Part,
  StorageError,
  type StoredPart,
} from '../../../platform/storage/storage.ts'
import { reserveKeys } from '../../processing/run/store.ts'
import { newSourceKey } from '../../track/service.ts'
import { UPLOAD_SECONDS } from '../../upload-address/handle.ts'
import { nameRecording } from '../complete.ts'
import { alreadyCompleted, createRefusal } from '../open.ts'
import { announceUpload, cancelUpload, completedProgress } from './service.ts'

const MIB = 1 << 20
/** A bucket takes parts of 5 MiB and more, except for the last one. */
const LEAST_PART_BYTES = 8 * MIB
/** A bucket takes 10,000. Fewer ones are larger, and have less to ask for. */
const MAX_PARTS = 1000
/** Parts whose addresses one answer has. */
const MAX_ADDRESSES = 100
/** Uploads that one request begins in place of those that the bucket has removed. */
const MAX_TRIES = 3

/** A part to send. */
export interface PartToSend extends Part {
  /** Position of its first byte in the recording. */
  offset: number
  uploadUrl: string
}

/** Progress of an upload to the bucket in parts. */
export interface PartsProgress {
  isComplete: boolean
  /** Bytes of the recording. */
  size: number
  /** Bytes of the parts that the bucket has. */
  uploadedBytes: number
  /** The first of the parts that the bucket does not have. Empty when the upload is complete. */
  parts: PartToSend[]
  /** Time before which the upload must be completed. Null when it is. */
  expiresAt: Date | null
}

/**
 * Begins or continues the upload of a track to the bucket in parts, and completes it when the bucket has all of them. Any
 * number of requests may do so at the same time.
 * @param sizeBytes null if it was announced before
 * @throws AppError `invalid_input`, `too_large`, `expired`, `upload_completed`, `source_url_given`, `not_found`; StorageError
 * @see decision 0080
 */
export async function continueInParts(
  services: Services,
  grant: UploadGrant,
  sizeBytes: number | null,
): Promise<PartsProgress> {
  const bucket = services.storage.presign?.parts
  if (!bucket) throw notFound('uploadUrl')
  const done = await completedProgress(services, grant.id)
  if (done) {
    // The answer to the request that completed it may be lost. Another size is another recording.
    if (sizeBytes !== null && sizeBytes !== done.size) throw alreadyCompleted()
    return toComplete(done.offset)
  }
  const { size, expiresAt } = await announceUpload(services, grant, sizeBytes)
  if (size === null) throw invalidInput('Upload-Length', 'is required')
  const all = splitIntoParts(size)
  let lostId: string | null = null
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const upload: MultipartUpload = await begin(services, bucket, grant, { expiresAt, lostId })
    const stored = await listWhole(bucket, upload, all)
    if (stored !== null && stored.length < all.length) {
      const storedNumbers = new Set(stored.map(({ number }) => number))
      const missing = all.filter(({ number }) => !storedNumbers.has(number)).slice(0, MAX_ADDRESSES)
      const urls = await bucket.putUrls(upload, missing, UPLOAD_SECONDS)
      const parts = missing.map((part, i) => ({ ...part, uploadUrl: urls[i] ?? '' }))
      return { isComplete: false, size, uploadedBytes: sumBytes(stored), parts, expiresAt }
    }
    if (await complete(services, bucket, grant.id, upload, stored)) return toComplete(size)
    // The bucket has removed it, by a rule or by hand.
    lostId = upload.uploadId
  }
  throw new StorageError('list parts', null, new Error('the bucket removes uploads that have just begun'))
}

/**
 * Completes the upload of a track in parts if the bucket has all of them: its client has sent the last one, and did not
 * ask any more.
 * @returns whether the track has its recording now
 * @throws StorageError
 */
export async function completeIfWhole(services: Services, trackId: string): Promise<boolean> {
  const bucket = services.storage.presign?.parts
  const upload = await findUpload(services, trackId)
  if (!bucket || !upload) return false
  const { announcedBytes } = await services.db.track.findUniqueOrThrow({ where: { id: trackId } })
  const all = splitIntoParts(Number(announcedBytes))
  const stored = await listWhole(bucket, upload, all)
  return (stored === null || stored.length === all.length) && complete(services, bucket, trackId, upload, stored)
}

/**
 * Cancels an upload in parts permanently: the track becomes `init_error`.
 * @throws AppError those of `findUploadableTrack`
 */
export async function cancelParts(services: Services, grant: UploadGrant): Promise<void> {
  const upload = await findUpload(services, grant.id)
  await cancelUpload(services, grant)
  await discardParts(services, upload)
}

/** Removes the parts of an upload that has ended. A lifecycle rule of the bucket removes what cannot be removed now. */
export async function discardParts({ storage, log }: Services, upload: MultipartUpload | null): Promise<void> {
  if (!upload) return
  await storage.presign?.parts.abort(upload).catch((error: unknown) => {
    log.warn({ err: error, key: upload.key }, 'an object could not be removed')
  })
}

/** Returns the upload in parts of a track. Null if none has begun. */
export async function findUpload({ db }: Pick<Services, 'db'>, trackId: string): Promise<MultipartUpload | null> {
  return toUpload(await db.resumableUpload.findUnique({ where: { trackId } }))
}

/** The upload in parts of a row. Null for a row of another upload, and for none. */
export function toUpload(row: { bucketKey: string | null; bucketUploadId: string | null } | null) {
  if (!row?.bucketKey || !row.bucketUploadId) return null
  return { key: row.bucketKey, uploadId: row.bucketUploadId }
}

/**
 * Returns the upload of a track, and begins one where it has none. Of several requests at the same time, one begins it.
 * @param lostId an upload that the bucket does not have any more
 */
async function begin(
  services: Services,
  bucket: MultipartUploads,
  { id, organizationId }: UploadGrant,
  { expiresAt, lostId }: { expiresAt: Date; lostId: string | null },
): Promise<MultipartUpload> {
  const { db } = services
  const current = await findUpload(services, id)
  if (current && current.uploadId !== lostId) return current
  const upload = await bucket.begin(newSourceKey({ organizationId, id }))
  const count = await db.$executeRaw`
    WITH open AS MATERIALIZED (
      SELECT id FROM track WHERE id = ${id}::uuid AND status = 'initialized' AND upload_completed_at IS NULL FOR SHARE
    )
    INSERT INTO resumable_upload AS u (track_id, bucket_key, bucket_upload_id, expires_at)
    SELECT id, ${upload.key}, ${upload.uploadId}, ${expiresAt}::timestamptz FROM open
    ON CONFLICT (track_id) DO UPDATE SET bucket_key = excluded.bucket_key, bucket_upload_id = excluded.bucket_upload_id
    WHERE u.bucket_upload_id IS NULL OR u.bucket_upload_id = ${lostId}`
  if (count > 0) return upload
  await discardParts(services, upload)
  const other = await findUpload(services, id)
  if (!other) throw createRefusal(await db.track.findUnique({ where: { id }, select: { statusCode: true } }))
  return other
}

/** Returns the stored parts that are as large as they should be. Null if the upload does not exist any more. */
async function listWhole(bucket: MultipartUploads, upload: MultipartUpload, all: readonly Part[]) {
  const stored = await bucket.list(upload)
  return stored?.filter(({ number, bytes }) => all[number - 1]?.bytes === bytes) ?? null
}

/**
 * Makes the parts the recording of a track. Their addresses end with the upload, so that no client can change the object:
 * it needs no copy.
 * @param parts null if the upload does not exist any more: another request may have completed it
 * @returns false if its object does not exist either
 * @throws AppError `upload_completed`, `expired`; StorageError
 */
async function complete(
  services: Services,
  bucket: MultipartUploads,
  trackId: string,
  upload: MultipartUpload,
  parts: readonly StoredPart[] | null,
): Promise<boolean> {
  const { key } = upload
  await reserveKeys(services, [key])
  if (parts) await bucket.complete(upload, parts)
  const bytes = await services.storage.size(key)
  if (bytes === null) return false
  await nameRecording(services, trackId, { key, bytes, sha256: null })
  return true
}

/** Splits a recording into equal parts. The last one may be shorter. */
export function splitIntoParts(size: number): (Part & { offset: number })[] {
  const partBytes = Math.max(LEAST_PART_BYTES, Math.ceil(size / MAX_PARTS / MIB) * MIB)
  return Array.from({ length: Math.ceil(size / partBytes) }, (_, i) => {
    const offset = i * partBytes
    return { number: i + 1, offset, bytes: Math.min(partBytes, size - offset) }
  })
}

const sumBytes = (parts: readonly Part[]) => parts.reduce((sum, { bytes }) => sum + bytes, 0)

const toComplete = (size: number): PartsProgress => ({
  isComplete: true,
  size,
  uploadedBytes: size,
  parts: [],
  expiresAt: null,
})
