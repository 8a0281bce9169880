import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { createRefusal } from '../open.ts'

/** A lease that is not renewed ends after 5 seconds, because a lost connection may never be reported. */
const LEASE_SECONDS = 5
/** Age in milliseconds from which a lease is renewed before a write. Well below the duration of a lease. */
const FENCE_MS = 2500

/** The exclusive, time-limited right of one request to write to an upload, across all processes. */
export interface Lease {
  /** Bytes of the upload that are safely stored. */
  received: number
  /**
   * Extends the lease, and records the number of stored bytes if it is given.
   * @throws AppError `upload_in_use` if another request has acquired a lease
   */
  renew: (received?: number) => Promise<void>
  /** Called before each write. Renews a lease that may have ended. */
  fence: () => Promise<void>
  release: () => Promise<void>
}

/**
 * Acquires the lease of a track's upload, and creates the upload if it has not begun. The lock on the track excludes that
 * another request completes the upload at the same time: its file would be created again, and removed with that upload.
 * @param expiresAt end of a new upload
 * @throws AppError `upload_in_use` while another request has a lease; `upload_completed`, `expired`
 */
export async function acquireLease({ db, storage }: Services, trackId: string, expiresAt: Date): Promise<Lease> {
  // A duration: the lease ends by the clock of the database, and the one of this process may be set back.
  let renewedAt = performance.now()
  const leaseId = crypto.randomUUID()
  const [acquired] = await db.$queryRaw<{ received: bigint }[]>`
    WITH open AS MATERIALIZED (
      SELECT id FROM track WHERE id = ${trackId}::uuid AND status = 'initialized' AND upload_completed_at IS NULL FOR SHARE
    )
    INSERT INTO resumable_upload AS u (track_id, lease_id, lease_ends_at, expires_at)
    SELECT id, ${leaseId}::uuid, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), ${expiresAt}::timestamptz
    FROM open
    ON CONFLICT (track_id) DO UPDATE SET lease_id = excluded.lease_id, lease_ends_at = excluded.lease_ends_at
    WHERE u.lease_id IS NULL OR u.lease_ends_at < clock_timestamp()
    RETURNING received`
  if (!acquired) {
    const track = await db.track.findUnique({ where: { id: trackId } })
    if (!track || track.uploadCompletedAt || track.status !== 'initialized') throw createRefusal(track)
    const message = 'Another request is sending bytes of this upload.'
    throw new AppError('upload_in_use', message, { retryAfterSeconds: LEASE_SECONDS })
  }
  const renew = async (received?: number) => {
    const now = performance.now()
    const count = await db.$executeRaw`
      UPDATE resumable_upload SET received = coalesce(${received ?? null}::bigint, received),
        lease_ends_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
      WHERE track_id = ${trackId}::uuid AND lease_id = ${leaseId}::uuid`
    if (count === 0) throw new AppError('upload_in_use', 'Another request has continued this upload.')
    renewedAt = now
  }
  return {
    // The operator may have deleted the file.
    received: Math.min(Number(acquired.received), (await storage.pieces?.size(trackId)) ?? 0),
    renew,
    fence: async () => {
      if (performance.now() - renewedAt > FENCE_MS) await renew()
    },
    release: async () => {
      await db.$executeRaw`
        UPDATE resumable_upload SET lease_id = NULL, lease_ends_at = NULL
        WHERE track_id = ${trackId}::uuid AND lease_id = ${leaseId}::uuid`
    },
  }
}
