import type { Services } from '../context.ts'
import { DAY_MS } from '../time.ts'
import { insertKey, lockKeys, PUBLISHED_MS, TOKEN_SECONDS } from './token-keys.ts'

const MAX_AGE_MS = 30 * DAY_MS
/** Between processes whose clocks differ, and for what each of them still has in memory. */
const SLACK_MS = 300_000
/** Once a key is that old, no valid token is older: those of its predecessor have expired. */
const SUCCEEDED_MS = PUBLISHED_MS + TOKEN_SECONDS * 1000 + SLACK_MS

interface Rotation {
  /** Makes a new key however young the newest is. */
  isForced?: boolean
  /** For a key that leaked: nothing that any earlier one signed is accepted from now on, and the new one signs. */
  isAtOnce?: boolean
}

/**
 * Makes a new key where the newest is older than 30 days, and retires those whose tokens have all expired.
 * @returns the id of the key that was made, or null, and those of the keys that were retired
 */
export function rotateTokenKeys(
  { db, signing, clock }: Pick<Services, 'db' | 'signing' | 'clock'>,
  { isForced = false, isAtOnce = false }: Rotation = {},
): Promise<{ made: string | null; retired: string[] }> {
  return db.$transaction(async (tx) => {
    await lockKeys(tx)
    const now = clock()
    const live = await tx.signingKey.findMany({
      where: { retiredAt: null },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    })
    const age = ({ createdAt }: { createdAt: Date }) => now.getTime() - createdAt.getTime()
    const isDue = !live[0] || age(live[0]) > MAX_AGE_MS
    const made = isForced || isAtOnce || isDue ? await insertKey(tx, { signing, clock }) : null
    const successor = live.findIndex((key) => age(key) >= SUCCEEDED_MS)
    const over = isAtOnce ? live : successor < 0 ? [] : live.slice(successor + 1)
    const retired = over.map(({ id }) => id)
    await tx.signingKey.updateMany({ where: { id: { in: retired } }, data: { retiredAt: now } })
    return { made, retired }
  })
}
