import { createHash, timingSafeEqual } from 'node:crypto'
import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import type { UploadGrant } from '../../../platform/identity/signing.ts'
import { TooLargeError } from '../../../platform/storage/storage.ts'
import { finish } from './finish.ts'
import { type Hold, hold } from './hold.ts'
import { announce, checkSize, type UploadProgress } from './service.ts'

/** What a piece can be checked with. */
export const checksumAlgorithms = ['sha1', 'sha256', 'sha512', 'md5'] as const

/** A piece of an upload, as its sender describes it. */
export interface Piece {
  /** Where its first byte belongs. */
  offset: number
  /** Of the whole, where it is announced with this piece. */
  size: number | null
  checksum: { algorithm: (typeof checksumAlgorithms)[number]; digest: Uint8Array } | null
  chunks: AsyncIterable<Uint8Array>
  /** Content-Length, or null for a chunked body. */
  declaredBytes: number | null
}

/**
 * Puts a piece behind what has come of a track's recording. What breaks off is kept as far as it came, unless it was to
 * be checked as a whole; with the last byte the upload is complete.
 * @throws AppError `upload_offset_mismatch`, `upload_in_use`, `checksum_mismatch`, `too_large`, `upload_completed`,
 * `expired`, `not_found`, `invalid_input`; what the body breaks off with
 * @see contract, section 5; tus 1.0
 */
export async function appendPiece(services: Services, grant: UploadGrant, piece: Piece): Promise<UploadProgress> {
  const { id } = grant
  const { size, expiresAt } = await announce(services, grant, piece.size)
  if (piece.declaredBytes !== null) checkSize(services, piece.offset + piece.declaredBytes)
  const room = (size ?? services.config.maxUploadBytes) - piece.offset
  const tooLarge = new AppError('too_large', `body: must have at most ${Math.max(0, room)} bytes`)
  if ((piece.declaredBytes ?? 0) > room) throw tooLarge
  const held = await hold(services, id, expiresAt)
  try {
    if (held.received !== piece.offset) {
      throw new AppError('upload_offset_mismatch', `Upload-Offset: must be ${held.received}`)
    }
    const offset = await store(services, id, piece, room, held).catch((error) => {
      throw error instanceof TooLargeError ? tooLarge : error
    })
    return offset === size ? await finish(services, id, size, held) : { offset, size, expiresAt, sha256: null }
  } finally {
    await held.release()
  }
}

/** @returns how many bytes of the upload count now */
async function store(services: Services, id: string, piece: Piece, maxBytes: number, held: Hold): Promise<number> {
  const { storage, metrics } = services
  if (!storage.pieces) throw new Error('this storage takes no pieces')
  const { offset, checksum } = piece
  const hash = checksum && createHash(checksum.algorithm)
  const broken: { reason?: unknown } = {}
  const bytes = await storage.pieces.append(id, offset, untilBroken(piece.chunks, broken, hash), {
    maxBytes,
    beforeWrite: held.fence,
    // What is still to be checked does not count before its end.
    onSafe: (safe) => held.renew(hash ? undefined : offset + safe),
  })
  if (checksum && hash && !('reason' in broken) && !isSame(hash.digest(), checksum.digest)) {
    throw new AppError('checksum_mismatch', 'Upload-Checksum: does not fit the bytes that came')
  }
  if (!hash || !('reason' in broken)) {
    await held.renew(offset + bytes)
    metrics.uploadedBytes.inc(bytes)
  }
  if ('reason' in broken) throw broken.reason
  return offset + bytes
}

/** The stream, which ends where it breaks off: what came before is to be kept. */
async function* untilBroken(
  chunks: AsyncIterable<Uint8Array>,
  broken: { reason?: unknown },
  hash: ReturnType<typeof createHash> | null,
): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  try {
    while (true) {
      const { done, value } = await source.next().catch((reason) => {
        broken.reason = reason
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
