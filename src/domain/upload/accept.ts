import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import { AppError, invalidInput, notFound } from '../../platform/errors.ts'
import type { UploadGrant } from '../../platform/identity/signing.ts'
import { type Incoming, TooLargeError } from '../../platform/storage/storage.ts'
import { queueCoverProcessing, queueTrackProcessing } from '../processing/queue.ts'
import { coverKey, sourceKey } from '../track/service.ts'
import { coverSubjects, findCoverOwner, markCoverUploaded } from './cover-owner.ts'
import { alreadyCompleted, expired, findOpenTrack } from './open.ts'

/** Largest cover in bytes. */
export const MAX_COVER_BYTES = 20 * 1024 ** 2

/** The bytes of an upload and what its sender said of their number. */
export interface UploadBody {
  chunks: AsyncIterable<Uint8Array>
  /** Content-Length, or null for a chunked body. */
  declaredBytes: number | null
}

/**
 * Takes one upload by a signed address: a track's recording, or a cover.
 * Nothing remains of an upload that breaks off; of several at once, one wins.
 * @param grant read from the address, its signature already checked
 * @throws AppError `expired`, `upload_completed`, `not_found`, `too_large`, `invalid_input`
 * @see contract, section 5
 */
export async function acceptUpload(services: Services, grant: UploadGrant, body: UploadBody) {
  const announcedBytes = await checkOpen(services, grant)
  const maxBytes = grant.target === 'track' ? services.config.maxUploadBytes : MAX_COVER_BYTES
  const tooLarge = new AppError('too_large', `body: must be at most ${maxBytes} bytes`)
  if (body.declaredBytes !== null && body.declaredBytes > maxBytes) throw tooLarge
  checkAnnounced(body.declaredBytes, announcedBytes)
  const incoming = await whileUnderWay(services, grant, async () => {
    const received = await services.storage.receive(body.chunks, maxBytes).catch((error) => {
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
    await services.db.$transaction((tx) => complete(services, tx, grant, incoming))
    // What had come of it in pieces, too.
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
  throw invalidInput('body', `must have the ${declaredBytes} bytes that Content-Length announced`)
}

function checkAnnounced(bytes: number | null, announcedBytes: number | null): void {
  if (bytes === null || announcedBytes === null || bytes === announcedBytes) return
  throw invalidInput('body', `must have the ${announcedBytes} bytes that were announced for the track`)
}

/**
 * Refuses before the bytes are sent what would be refused after.
 * @returns how many were announced when the track was created; null where nobody said
 */
async function checkOpen(services: Services, grant: UploadGrant): Promise<number | null> {
  const { target, id, issuedMs, expiresMs } = grant
  if (target === 'track') {
    const { announcedBytes } = await findOpenTrack(services, grant)
    return announcedBytes === null ? null : Number(announcedBytes)
  }
  const owner = await findCoverOwner(services, target, id)
  if (!owner) throw notFound('uploadUrl')
  if (owner.coverUploadedAt && owner.coverUploadedAt.getTime() >= issuedMs) throw alreadyCompleted()
  if (services.clock().getTime() >= expiresMs) throw expired()
  return null
}

/** Marks a track's upload as under way, so that its address does not expire under it. */
async function whileUnderWay<T>(
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
    // A second upload of the same track may be under way still.
    await services.db.track.updateMany({ where: { id, uploadBeganAt }, data: { uploadBeganAt: null } })
    throw error
  }
}

async function complete(services: Services, tx: Transaction, grant: UploadGrant, incoming: Incoming): Promise<void> {
  const { target, id, issuedMs } = grant
  if (target === 'track') return completeTrack(services, tx, id, incoming)
  const organizationId = await markCoverUploaded(tx, target, id, { now: services.clock(), issuedMs })
  if (!organizationId) throw alreadyCompleted()
  await queueCoverProcessing(tx, organizationId, coverSubjects[target](id))
  await incoming.commit(coverKey(organizationId, id))
}

/**
 * Makes what has arrived the recording of a track, however it came. The conditional change decides who wins; the bytes
 * take their place while its row is locked, so that the record and what lies in storage are always of the same upload.
 * @throws AppError `upload_completed`
 */
export async function completeTrack(services: Services, tx: Transaction, id: string, incoming: Incoming) {
  const [track] = await tx.track.updateManyAndReturn({
    where: { id, deletedAt: null, status: 'initialized', uploadCompletedAt: null },
    data: { uploadCompletedAt: services.clock(), sourceBytes: incoming.bytes, sourceSha256: incoming.sha256 },
    select: { organizationId: true },
  })
  if (!track) throw alreadyCompleted()
  await tx.resumableUpload.deleteMany({ where: { trackId: id } })
  await tx.sourcePull.deleteMany({ where: { trackId: id } })
  await queueTrackProcessing(tx, track.organizationId, id)
  await incoming.commit(sourceKey(track.organizationId, id))
}
