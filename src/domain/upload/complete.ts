import type { Services } from '../../platform/context.ts'
import type { Database, Transaction } from '../../platform/db/client.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import { AppError } from '../../platform/errors.ts'
import type { Incoming } from '../../platform/storage/storage.ts'
import { queueTrackProcessing } from '../processing/queue/queue.ts'
import { reserveKeys } from '../processing/run/store.ts'
import { adopt, discard } from '../track/file/bytes.ts'
import { createRefusal } from './open.ts'
import { retryWhileUnavailable } from './retry.ts'

/** A stored recording that its track does not name yet. */
interface StoredRecording {
  key: string
  bytes: number
  /** Lower-case hexadecimal. Null until the recording is processed. */
  sha256: string | null
}

interface Completion {
  /** Further conditions for the track. */
  where?: Prisma.TrackWhereInput
  /** Writes more in the transaction. */
  alongside?: (tx: Transaction) => Promise<unknown>
}

/**
 * Makes received bytes the recording of a track. The object exists before the transaction begins, so that the
 * transaction is short. Tries for 15 seconds while the database is unavailable: the client has sent all bytes.
 * @throws AppError `upload_completed`, `expired`; StorageError
 */
export async function completeTrack(
  services: Services,
  trackId: string,
  incoming: Incoming,
  completion?: Completion,
): Promise<void> {
  await retryWhileUnavailable(services, () => reserveKeys(services, [incoming.key]))
  await incoming.commit()
  await nameRecording(services, trackId, incoming, completion)
}

/**
 * Makes a stored recording, whose key is reserved, that of a track. The conditional update selects one of several
 * concurrent uploads.
 * @throws AppError `upload_completed`, `expired`; the object is removed
 */
export async function nameRecording(
  services: Services,
  id: string,
  { key, bytes, sha256 }: StoredRecording,
  { where, alongside }: Completion = {},
): Promise<void> {
  const isNamed = async (tx: Database) => (await tx.track.count({ where: { id, sourceKey: key } })) > 0
  await nameStored(services, key, isNamed, async (tx) => {
    await alongside?.(tx)
    const [track] = await tx.track.updateManyAndReturn({
      where: { ...where, id, deletedAt: null, status: 'initialized', uploadCompletedAt: null },
      data: { uploadCompletedAt: services.clock(), sourceKey: key, sourceBytes: bytes, sourceSha256: sha256 },
      select: { organizationId: true },
    })
    if (!track) throw createRefusal(await tx.track.findUnique({ where: { id }, select: { statusCode: true } }))
    await tx.resumableUpload.deleteMany({ where: { trackId: id } })
    await tx.sourcePull.deleteMany({ where: { trackId: id } })
    await queueTrackProcessing(tx, track.organizationId, id)
  })
}

/**
 * Runs a transaction that names a stored object, whose key is reserved, in a row. Repeats it for 15 seconds while the
 * database is unavailable.
 * @param isNamed whether the row names the object already. Then this succeeds: another request has done the same
 * @param name throws an AppError when the row takes no object; the object is removed
 */
export async function nameStored(
  services: Services,
  key: string,
  isNamed: (db: Database) => Promise<boolean>,
  name: (tx: Transaction) => Promise<unknown>,
): Promise<void> {
  const { db, storage, clock } = services
  let tries = 0
  const run = async (tx: Transaction) => {
    tries += 1
    // An earlier try may have been committed, although its connection failed.
    if (tries > 1 && (await isNamed(tx))) return
    await name(tx)
    await adopt(tx, [key])
  }
  try {
    await retryWhileUnavailable(services, () => db.$transaction(run))
  } catch (error) {
    if (error instanceof AppError && (await isNamed(db))) return
    // After any other error the transaction may have been committed. The purge finds out a day later.
    if (error instanceof AppError) {
      await discard(db, [key], clock())
      // At once, because many large uploads may lose. The purge removes those that fail here.
      await storage.remove([key])
    }
    throw error
  }
}
