import type { Services } from '../../platform/context.ts'
import { AppError, invalidInput } from '../../platform/errors.ts'
import type { UploadGrant } from '../../platform/identity/signing.ts'
import { TooLargeError } from '../../platform/storage/storage.ts'
import { newCoverSourceKey } from '../organization/cover/stored.ts'
import { newSourceKey } from '../track/service.ts'
import { completeTrack } from './complete.ts'
import { completeCover, findOpenCoverOwner, isForCover } from './cover.ts'
import { expired, findOpenTrack, refusalOf } from './open.ts'
import { checkedPicture } from './picture.ts'

/** Largest cover in bytes. */
export const MAX_COVER_BYTES = 20 * 1024 ** 2

/** The bytes of an upload and their announced number. */
interface UploadBody {
  /** A chunk is valid until the next one is requested. */
  chunks: AsyncIterable<Uint8Array>
  /** Content-Length, or null for a chunked body. */
  declaredBytes: number | null
}

/**
 * Accepts one upload by a signed address: the recording of a track, or a cover.
 * An interrupted upload leaves nothing. Of several concurrent uploads one succeeds.
 * @param grant from the address, whose signature has been verified
 * @throws AppError `expired`, `upload_completed`, `not_found`, `too_large`, `invalid_input`
 * @see contract, section 5
 */
export async function acceptUpload(services: Services, grant: UploadGrant, body: UploadBody) {
  const { key, announcedBytes } = await checkOpen(services, grant)
  const maxBytes = grant.target === 'track' ? services.config.maxUploadBytes : MAX_COVER_BYTES
  const tooLarge = new AppError('too_large', `body: must be at most ${maxBytes} bytes`)
  if (body.declaredBytes !== null && body.declaredBytes > maxBytes) throw tooLarge
  checkAnnounced(body.declaredBytes, announcedBytes)
  const chunks = grant.target === 'track' ? marking(services, grant.id, body.chunks) : await checkedPicture(body.chunks)
  const incoming = await services.storage.receive(key, chunks, { maxBytes }).catch((error) => {
    throw error instanceof TooLargeError ? tooLarge : error
  })
  try {
    checkBytes(incoming.bytes, body.declaredBytes)
    checkAnnounced(incoming.bytes, announcedBytes)
    if (isForCover(grant)) await completeCover(services, grant, incoming)
    else await completeTrack(services, grant.id, incoming)
    // Bytes of an unfinished resumable upload of the same track.
    if (grant.target === 'track') await services.storage.pieces?.discard(grant.id)
  } finally {
    await incoming.discard()
  }
  services.metrics.uploadedBytes.inc(incoming.bytes)
  return { bytes: incoming.bytes, sha256: incoming.sha256 }
}

function checkBytes(bytes: number, declaredBytes: number | null): void {
  if (bytes === 0) throw invalidInput('body', 'must not be empty')
  if (declaredBytes === null || bytes === declaredBytes) return
  throw invalidInput('body', `must have ${declaredBytes} bytes, as announced by Content-Length`)
}

function checkAnnounced(bytes: number | null, announcedBytes: number | null): void {
  if (bytes === null || announcedBytes === null || bytes === announcedBytes) return
  throw invalidInput('body', `must have ${announcedBytes} bytes, as announced for the track`)
}

interface Expected {
  /** Storage key for the bytes. */
  key: string
  /** Number of bytes that was announced for the track. Null if unknown. */
  announcedBytes: number | null
}

/** Refuses an address that does not accept bytes before the client sends them. */
async function checkOpen(services: Services, grant: UploadGrant): Promise<Expected> {
  if (!isForCover(grant)) {
    const track = await findOpenTrack(services, grant)
    const { announcedBytes } = track
    return { key: newSourceKey(track), announcedBytes: announcedBytes === null ? null : Number(announcedBytes) }
  }
  const { organizationId, id } = await findOpenCoverOwner(services.db, grant)
  if (services.clock().getTime() >= grant.expiresMs) throw expired()
  return { key: newCoverSourceKey(organizationId, id), announcedBytes: null }
}

/** Interval at which a running upload is recorded. The longest pause between two chunks is added to it. */
const MARK_MS = 60_000

/**
 * Passes the bytes of a recording on and records that they arrive, so that the track does not expire. The mark is never
 * removed, because another upload of the same track may be running: it ages (`expire_uploads`).
 * @throws AppError `upload_completed`, `expired` when the track has ended since
 */
async function* marking(services: Services, id: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let markedAt = services.clock()
  await mark(services, id, markedAt)
  for await (const chunk of chunks) {
    const now = services.clock()
    if (now.getTime() - markedAt.getTime() >= MARK_MS) {
      markedAt = now
      // While the database is unavailable the upload continues; the next mark is a minute later.
      await mark(services, id, now).catch((error) => {
        if (error instanceof AppError) throw error
      })
    }
    yield chunk
  }
}

async function mark({ db }: Services, id: string, now: Date): Promise<void> {
  const where = { id, status: 'initialized', uploadCompletedAt: null } as const
  const { count } = await db.track.updateMany({ where, data: { uploadActiveAt: now } })
  if (count > 0) return
  throw refusalOf(await db.track.findUnique({ where: { id }, select: { statusCode: true } }))
}
