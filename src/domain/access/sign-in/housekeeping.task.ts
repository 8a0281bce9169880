import { forgetRetiredKeys, rotateTokenKeys } from '../../../platform/identity/token-key-rotation.ts'
import { periodic, task } from '../../../platform/jobs/task.ts'
import { DAY_MS } from '../../../platform/time.ts'

const KEPT_MS = 30 * DAY_MS

/** Creates a token key when the newest is due for rotation, and retires keys that sign no valid token. */
export const rotateTokenKeysTask = task(
  periodic('rotate_token_keys'),
  async (services) => {
    const { createdKeyId, retired } = await rotateTokenKeys(services)
    if (createdKeyId || retired.length > 0) services.log.info({ made: createdKeyId, retired }, 'token keys rotated')
  },
  '41 * * * *',
)

/** Deletes sessions and token keys 30 days after their end, expired invitations and sign-in links, and expired counters of failed sign-ins. */
export const forgetSessionsTask = task(
  periodic('forget_sessions'),
  async ({ db, clock }) => {
    const before = new Date(clock().getTime() - KEPT_MS)
    await db.signInSession.deleteMany({
      where: { OR: [{ revokedAt: { lt: before } }, { expiresAt: { lt: before } }] },
    })
    await db.signInLink.deleteMany({ where: { expiresAt: { lt: clock() } } })
    await db.invitation.deleteMany({ where: { expiresAt: { lt: clock() } } })
    await forgetRetiredKeys(db, before)
    await db.rateLimit.deleteMany({ where: { expire: { lt: BigInt(clock().getTime()) } } })
  },
  '47 3 * * *',
)
