import type { Database } from '../db/client.ts'
import { DAY_MS } from '../time.ts'
import { insertKey, type KeyServices, lockKeys, PUBLISHED_MS, TOKEN_SECONDS } from './token-keys.ts'

const MAX_AGE_MS = 30 * DAY_MS
/** Tolerance for clock differences and cached keys of other processes. */
const SLACK_MS = 300_000
/** Age of a key at which all tokens of its predecessor have expired. */
const SUCCEEDED_MS = PUBLISHED_MS + TOKEN_SECONDS * 1000 + SLACK_MS

interface Rotation {
  /** Creates a new key even if the newest is recent. */
  isForced?: boolean
  /** For a leaked key: all earlier keys are retired now, and the new key signs immediately. */
  isAtOnce?: boolean
}

/**
 * Creates a new key if the newest is older than 30 days, and retires keys whose tokens have all expired.
 * @returns id of the new key, or null, and ids of the retired keys
 */
export function rotateTokenKeys(
  { db, signing, clock }: Omit<KeyServices, 'log'>,
  { isForced = false, isAtOnce = false }: Rotation = {},
): Promise<{ createdKeyId: string | null; retired: string[] }> {
  return db.$transaction(async (tx) => {
    await lockKeys(tx)
    const now = clock()
    const live = await tx.signingKey.findMany({
      where: { retiredAt: null },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    })
    const age = ({ createdAt }: { createdAt: Date }) => now.getTime() - createdAt.getTime()
    const isDue = !live[0] || age(live[0]) > MAX_AGE_MS
    const createdKeyId = isForced || isAtOnce || isDue ? await insertKey(tx, { signing, clock }) : null
    const successor = live.findIndex((key) => age(key) >= SUCCEEDED_MS)
    const outdated = isAtOnce ? live : successor < 0 ? [] : live.slice(successor + 1)
    const retired = outdated.map(({ id }) => id)
    await tx.signingKey.updateMany({ where: { id: { in: retired } }, data: { retiredAt: now } })
    return { createdKeyId, retired }
  })
}

/** Deletes the keys retired before a time. */
export async function forgetRetiredKeys(db: Database, before: Date): Promise<void> {
  await db.signingKey.deleteMany({ where: { retiredAt: { lt: before } } })
}
