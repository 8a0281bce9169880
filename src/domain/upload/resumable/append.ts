import { createHash, timingSafeEqual } from 'node:crypto'
import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import type { UploadGrant } from '../../../platform/identity/signing.ts'
import { TooLargeError } from '../../../platform/storage/storage.ts'
import { finish } from './finish.ts'
import { acquireLease, type Lease } from './lease.ts'
import { announceUpload, checkSize, type UploadProgress } from './service.ts'

/** Algorithms of Upload-Checksum. */
export const checksumAlgorithms = ['sha1', 'sha256', 'sha512', 'md5'] as const

/** A piece of an upload, as described by the headers of its request. */
export interface Piece {
  /** Position of its first byte in the recording. */
  offset: number
  /** Size of the recording in bytes. Null if not announced with this piece. */
  size: number | null
  checksum: { algorithm: (typeof checksumAlgorithms)[number]; digest: Uint8Array } | null
  /** A chunk is valid until the next one is requested. */
  chunks: AsyncIterable<Uint8Array>
  /** Content-Length, or null for a chunked body. */
  declaredBytes: number | null
}

/**
 * Appends a piece to the upload of a track. The received bytes of an interrupted piece are kept, unless the piece has a
 * checksum. The last byte completes the upload.
 * @throws AppError `upload_offset_mismatch`, `upload_in_use`, `checksum_mismatch`, `too_large`, `upload_completed`,
 * `expired`, `not_found`, `invalid_input`; the error of an interrupted body
 * @see contract, section 5; tus 1.0
 */
export async function appendPiece(services: Services, grant: UploadGrant, piece: Piece): Promise<UploadProgress> {
  const { id } = grant
  const { size, expiresAt } = await announceUpload(services, grant, piece.size)
  if (piece.declaredBytes !== null) checkSize(services, piece.offset + piece.declaredBytes)
  const room = (size ?? services.config.maxUploadBytes) - piece.offset
  const tooLarge = new AppError('too_large', `body: must have at most ${Math.max(0, room)} bytes`)
  if ((piece.declaredBytes ?? 0) > room) throw tooLarge
  const lease = await acquireLease(services, id, expiresAt)
  try {
    if (lease.received !== piece.offset) {
      throw new AppError('upload_offset_mismatch', `Upload-Offset: must be ${lease.received}`)
    }
    const offset = await store(services, id, piece, room, lease).catch((error) => {
      throw error instanceof TooLargeError ? tooLarge : error
    })
    return offset === size ? await finish(services, id, size, lease) : { offset, size, expiresAt, sha256: null }
  } finally {
    await lease.release()
  }
}

/** @returns number of stored bytes of the upload */
async function store(services: Services, id: string, piece: Piece, maxBytes: number, lease: Lease): Promise<number> {
  const { storage, metrics } = services
  if (!storage.pieces) throw new Error('this storage does not support resumable uploads')
  const { offset, checksum } = piece
  const hash = checksum && createHash(checksum.algorithm)
  const interruption: { reason?: unknown } = {}
  const bytes = await storage.pieces.append(id, offset, untilInterrupted(piece.chunks, interruption, hash), {
    maxBytes,
    beforeWrite: lease.fence,
    // Bytes with a checksum count only after it has been verified.
    onSafe: (safe) => lease.renew(hash ? undefined : offset + safe),
  })
  if (checksum && hash && !('reason' in interruption) && !isSame(hash.digest(), checksum.digest)) {
    throw new AppError('checksum_mismatch', 'Upload-Checksum: does not match the received bytes')
  }
  if (!hash || !('reason' in interruption)) {
    await lease.renew(offset + bytes)
    metrics.uploadedBytes.inc(bytes)
  }
  if ('reason' in interruption) throw interruption.reason
  return offset + bytes
}

/** Ends normally when the source fails, so that the received bytes are stored, and records the reason. */
async function* untilInterrupted(
  chunks: AsyncIterable<Uint8Array>,
  interruption: { reason?: unknown },
  hash: ReturnType<typeof createHash> | null,
): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  try {
    while (true) {
      const { done, value } = await source.next().catch((reason) => {
        interruption.reason = reason
        return { done: true as const, value: undefined }
      })
      if (done) return
      hash?.update(value)
      yield value
    }
  } finally {
    await source.return?.().catch(() => {})
  }
}

const isSame = (a: Uint8Array, b: Uint8Array) => a.byteLength === b.byteLength && timingSafeEqual(a, b)
