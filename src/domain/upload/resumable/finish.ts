import type { Services } from '../../../platform/context.ts'
import { newSourceKey } from '../../track/service.ts'
import { completeTrack } from '../complete.ts'
import { isRefusal } from '../open.ts'
import { acquireLease, type Lease } from './lease.ts'

/** Interval at which the lease is renewed while a large file is hashed. */
const RENEW_MS = 1000

/**
 * Completes the upload of a track after its last byte.
 * @returns its progress
 * @throws AppError `upload_completed` if another upload was faster, `expired`; the bytes of this one are deleted
 */
export async function finish(services: Services, trackId: string, size: number, lease: Lease) {
  const { storage, db } = services
  if (!storage.pieces) throw new Error('this storage does not support resumable uploads')
  const track = await db.track.findUniqueOrThrow({ where: { id: trackId }, select: { id: true, organizationId: true } })
  const incoming = await keepLease(lease, storage.pieces.finish(trackId, newSourceKey(track), size))
  try {
    await completeTrack(services, trackId, incoming)
    await incoming.discard()
  } catch (error) {
    // After any other failure the client may repeat the request without sending the bytes again.
    if (isRefusal(error)) await incoming.discard()
    throw error
  }
  return { offset: size, size, expiresAt: null, sha256: incoming.sha256 }
}

/** Completes an upload whose bytes have all been received. Checks their number again under the lease. */
export async function finishIfWhole(
  services: Services,
  trackId: string,
  { size, expiresAt }: { size: number; expiresAt: Date },
) {
  const lease = await acquireLease(services, trackId, expiresAt)
  try {
    if (lease.received === size) return await finish(services, trackId, size, lease)
    return { offset: lease.received, size, expiresAt, sha256: null }
  } finally {
    await lease.release()
  }
}

async function keepLease<T>(lease: Lease, work: Promise<T>): Promise<T> {
  const renewal = setInterval(() => lease.renew().catch(() => {}), RENEW_MS)
  try {
    return await work
  } finally {
    clearInterval(renewal)
  }
}
