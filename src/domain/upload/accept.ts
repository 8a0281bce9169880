import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import { AppError, invalidInput, notFound } from '../../platform/errors.ts'
import type { UploadGrant } from '../../platform/identity/signing.ts'
import { type Incoming, TooLargeError } from '../../platform/storage/storage.ts'
import { queueCoverProcessing } from '../processing/queue.ts'
import { coverKey, newSourceKey } from '../track/service.ts'
import { completeTrack } from './complete.ts'
import { coverSubjects, findCoverOwner, markCoverUploaded } from './cover-owner.ts'
import { alreadyCompleted, expired, findOpenTrack } from './open.ts'

/** Largest cover in bytes. */
export const MAX_COVER_BYTES = 20 * 1024 ** 2

/** The bytes of an upload and their announced number. */
interface UploadBody {
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
  const incoming = await withUploadMark(services, grant, async () => {
    const received = await services.storage.receive(key, body.chunks, { maxBytes }).catch((error) => {
      throw error instanceof TooLargeError ? tooLarge : error
    })
    try {
      checkBytes(received.bytes, body.declaredBytes)
      checkAnnounced(received.bytes, announcedBytes)
      return received
    } catch (error) {
      await received.discard()
      throw error
    }
  })
  try {
    if (grant.target === 'track') await completeTrack(services, grant.id, incoming)
    else await services.db.$transaction((tx) => completeCover(services, tx, grant, incoming))
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
  const { target, id, issuedMs, expiresMs } = grant
  if (target === 'track') {
    const track = await findOpenTrack(services, grant)
    const { announcedBytes } = track
    return { key: newSourceKey(track), announcedBytes: announcedBytes === null ? null : Number(announcedBytes) }
  }
  const owner = await findCoverOwner(services, target, id)
  if (!owner) throw notFound('uploadUrl')
  if (owner.coverUploadedAt && owner.coverUploadedAt.getTime() >= issuedMs) throw alreadyCompleted()
  if (services.clock().getTime() >= expiresMs) throw expired()
  return { key: coverKey(owner.organizationId, id), announcedBytes: null }
}

/** Records the begin of an upload, so that the track does not expire while its bytes are received. */
async function withUploadMark<T>(
  services: Services,
  { target, id }: UploadGrant,
  receive: () => Promise<T>,
): Promise<T> {
  if (target !== 'track') return receive()
  const uploadBeganAt = services.clock()
  await services.db.track.updateMany({ where: { id, status: 'initialized' }, data: { uploadBeganAt } })
  try {
    return await receive()
  } catch (error) {
    // Keeps the mark of another upload of the same track that is still running.
    await services.db.track.updateMany({ where: { id, uploadBeganAt }, data: { uploadBeganAt: null } })
    throw error
  }
}

async function completeCover(
  services: Services,
  tx: Transaction,
  { target, id, issuedMs }: UploadGrant,
  incoming: Incoming,
): Promise<void> {
  if (target === 'track') return
  const organizationId = await markCoverUploaded(tx, target, id, { now: services.clock(), issuedMs })
  if (!organizationId) throw alreadyCompleted()
  await queueCoverProcessing(tx, organizationId, coverSubjects[target](id))
  await incoming.commit()
}
