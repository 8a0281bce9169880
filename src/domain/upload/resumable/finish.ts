import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { completeTrack } from '../accept.ts'
import { type Hold, hold } from './hold.ts'

/** Meanwhile nobody else may write: hashing a large file takes its time. */
const RENEW_MS = 1000

/**
 * Accepts an upload of which all bytes have come, like one that came whole.
 * @returns how far it has come: all the way
 * @throws AppError `upload_completed` where another was faster; this one is removed then
 */
export async function finish(services: Services, trackId: string, size: number, held: Hold) {
  const { storage, db } = services
  if (!storage.pieces) throw new Error('this storage takes no pieces')
  const incoming = await whileHeld(held, storage.pieces.finish(trackId, size))
  try {
    await db.$transaction((tx) => completeTrack(services, tx, trackId, incoming))
  } catch (error) {
    // After any other failure the sender may ask again, and need not send again.
    if (error instanceof AppError && error.code === 'upload_completed') await incoming.discard()
    throw error
  }
  return { offset: size, size, expiresAt: null, sha256: incoming.sha256 }
}

/** Accepts an upload that is all there, unless a look at it while held shows that it is not. */
export async function finishIfWhole(
  services: Services,
  trackId: string,
  { size, expiresAt }: { size: number; expiresAt: Date },
) {
  const held = await hold(services, trackId, expiresAt)
  try {
    if (held.received === size) return await finish(services, trackId, size, held)
    return { offset: held.received, size, expiresAt, sha256: null }
  } finally {
    await held.release()
  }
}

async function whileHeld<T>(held: Hold, work: Promise<T>): Promise<T> {
  const renewal = setInterval(() => held.renew().catch(() => {}), RENEW_MS)
  try {
    return await work
  } finally {
    clearInterval(renewal)
  }
}
