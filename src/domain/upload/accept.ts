import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import { AppError, invalidInput, notFound } from '../../platform/errors.ts'
import type { UploadGrant } from '../../platform/signing.ts'
import { type Incoming, TooLargeError } from '../../platform/storage/storage.ts'
import { queueCoverProcessing, queueTrackProcessing } from '../processing/queue.ts'
import { coverKey, sourceKey } from '../track/service.ts'
import { coverSubjects, findCoverOwner, markCoverUploaded } from './cover-owner.ts'

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
  await checkOpen(services, grant)
  const maxBytes = grant.target === 'track' ? services.config.maxUploadBytes : MAX_COVER_BYTES
  const tooLarge = new AppError('too_large', `body: must be at most ${maxBytes} bytes`)
  if (body.declaredBytes !== null && body.declaredBytes > maxBytes) throw tooLarge
  const incoming = await whileUnderWay(services, grant, async () => {
    const received = await services.storage.receive(body.chunks, maxBytes).catch((error) => {
      throw error instanceof TooLargeError ? tooLarge : error
    })
    const fault = faultOf(received.bytes, body.declaredBytes)
    if (!fault) return received
    await received.discard()
    throw fault
  })
  try {
    await services.db.$transaction((tx) => complete(services, tx, grant, incoming))
  } finally {
    await incoming.discard()
  }
  services.metrics.uploadedBytes.inc(incoming.bytes)
  return { bytes: incoming.bytes, sha256: incoming.sha256 }
}

function faultOf(bytes: number, declaredBytes: number | null): AppError | null {
  if (bytes === 0) return invalidInput('body', 'must not be empty')
  if (declaredBytes === null || bytes === declaredBytes) return null
  return invalidInput('body', `must have the ${declaredBytes} bytes that Content-Length announced`)
}

const alreadyCompleted = () => new AppError('upload_completed', 'This upload address has been used already.')
const expired = () => new AppError('expired', 'This upload address has expired. Ask for a new one.')

/** Refuses before the bytes are sent what would be refused after. */
async function checkOpen(services: Services, { target, id, issuedMs, expiresMs }: UploadGrant): Promise<void> {
  const now = services.clock().getTime()
  if (target === 'track') {
    const track = await services.db.track.findFirst({ where: { id, deletedAt: null } })
    if (!track) throw notFound('uploadUrl')
    if (track.uploadCompletedAt) throw alreadyCompleted()
    if (now >= expiresMs || track.status !== 'initialized') throw expired()
    return
  }
  const owner = await findCoverOwner(services, target, id)
  if (!owner) throw notFound('uploadUrl')
  if (owner.coverUploadedAt && owner.coverUploadedAt.getTime() >= issuedMs) throw alreadyCompleted()
  if (now >= expiresMs) throw expired()
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

/**
 * The conditional change decides who wins; the bytes take their place while its row is locked, so that the record
 * and what lies in storage are always of the same upload.
 */
async function complete(services: Services, tx: Transaction, grant: UploadGrant, incoming: Incoming): Promise<void> {
  const { target, id, issuedMs } = grant
  const now = services.clock()
  if (target === 'track') {
    const { count } = await tx.track.updateMany({
      where: { id, deletedAt: null, status: 'initialized', uploadCompletedAt: null },
      data: { uploadCompletedAt: now, sourceBytes: incoming.bytes, sourceSha256: incoming.sha256 },
    })
    if (count === 0) throw alreadyCompleted()
    const { organizationId } = await tx.track.findUniqueOrThrow({ where: { id }, select: { organizationId: true } })
    await queueTrackProcessing(tx, organizationId, id)
    await incoming.commit(sourceKey(organizationId, id))
    return
  }
  const organizationId = await markCoverUploaded(tx, target, id, { now, issuedMs })
  if (!organizationId) throw alreadyCompleted()
  await queueCoverProcessing(tx, organizationId, coverSubjects[target](id))
  await incoming.commit(coverKey(organizationId, id))
}
