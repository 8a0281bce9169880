import type { Services } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'

/** Who is not heard of for so long holds an upload no longer: a lost connection ends without a word. */
const LEASE_SECONDS = 5
/** Well before its end nothing more is written without a new one. */
const FENCE_MS = 2500

/** The right of one request to write to an upload, against all others, whichever process serves them. */
export interface Hold {
  /** Bytes that count. */
  received: number
  /**
   * Holds on, and notes how many bytes count by now where that is told.
   * @throws AppError `upload_in_use` where another has taken it over
   */
  renew: (received?: number) => Promise<void>
  /** Asked before each write: a hold that may have ended is renewed first. */
  fence: () => Promise<void>
  release: () => Promise<void>
}

/**
 * Takes hold of a track's upload, which begins with it where it has not begun.
 * @param expiresAt until when it may go on, where it begins
 * @throws AppError `upload_in_use` while another request holds it
 */
export async function hold({ db, storage, clock }: Services, trackId: string, expiresAt: Date): Promise<Hold> {
  const holder = crypto.randomUUID()
  const [taken] = await db.$queryRaw<{ received: bigint }[]>`
    INSERT INTO resumable_upload AS u (track_id, holder, held_until, expires_at)
    VALUES (${trackId}::uuid, ${holder}::uuid, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), ${expiresAt}::timestamptz)
    ON CONFLICT (track_id) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
    WHERE u.holder IS NULL OR u.held_until < clock_timestamp()
    RETURNING received`
  if (!taken) {
    const message = 'Another request is sending bytes of this upload.'
    throw new AppError('upload_in_use', message, { retryAfterSeconds: LEASE_SECONDS })
  }
  let renewedAt = clock().getTime()

  const renew = async (received?: number) => {
    const now = clock().getTime()
    const count = await db.$executeRaw`
      UPDATE resumable_upload SET received = coalesce(${received ?? null}::bigint, received),
        held_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
      WHERE track_id = ${trackId}::uuid AND holder = ${holder}::uuid`
    if (count === 0) throw new AppError('upload_in_use', 'Another request has taken this upload over.')
    renewedAt = now
  }
  return {
    // Whoever runs the service may have cleared the folder.
    received: Math.min(Number(taken.received), (await storage.pieces?.size(trackId)) ?? 0),
    renew,
    fence: async () => {
      if (clock().getTime() - renewedAt > FENCE_MS) await renew()
    },
    release: async () => {
      await db.$executeRaw`
        UPDATE resumable_upload SET holder = NULL, held_until = NULL
        WHERE track_id = ${trackId}::uuid AND holder = ${holder}::uuid`
    },
  }
}
