import { createHmac, randomBytes } from 'node:crypto'
import type { Services } from '../../platform/context.ts'
import { addressBlock } from '../../platform/http/client-address.ts'
import { DAY_MS } from '../../platform/time.ts'
import { isBotAgent } from './exclusion.ts'

const KEY_BYTES = 32
/** 128 bits, as a UUID is written. */
const HASH_DIGITS = 32
const MAX_KNOWN = 10_000

/** Who asks, as far as the ledger may know. */
export interface Listener {
  /** Hash under the key of the day. */
  today: string
  /** Hash under the key of the day before: finds what they listened to before midnight. */
  before: string
  isBot: boolean
  /** Tells it from others of the same process and day. */
  number: number
}

export type Listeners = ReturnType<typeof createListeners>

/**
 * Tells listeners apart without knowing them: by an HMAC over address (of IPv6 its /64) and user agent under a random
 * key of the day. The key is encrypted under the root secret, shared through the database, and removed when the next
 * day has ended; from then on nobody, the operator included, can find out whether a hash belongs to an address. Hashes
 * of two days have nothing in common for who has no key. Addresses are in memory only, for a day at most.
 */
export function createListeners({ pool, signing }: Pick<Services, 'pool' | 'signing'>) {
  let day = ''
  let keys: { today: Buffer; before: Buffer } | null = null
  const known = new Map<string, Listener>()
  let identified = 0

  async function readKey(wanted: string): Promise<Buffer> {
    for (;;) {
      const { rows } = await pool.query<{ sealed_key: string }>(
        `WITH made AS (
           INSERT INTO listener_key (day, sealed_key) VALUES ($1, $2) ON CONFLICT (day) DO NOTHING RETURNING sealed_key
         ) SELECT sealed_key FROM made UNION ALL SELECT sealed_key FROM listener_key WHERE day = $1`,
        [wanted, signing.seal(randomBytes(KEY_BYTES).toString('base64'))],
      )
      const sealed = rows[0]?.sealed_key
      // Another process was making it at the same time.
      if (sealed === undefined) continue
      try {
        return Buffer.from(signing.unseal(sealed), 'base64')
      } catch {
        // Sealed under another root secret: nobody can read it any more.
        await pool.query('DELETE FROM listener_key WHERE day = $1 AND sealed_key = $2', [wanted, sealed])
      }
    }
  }

  return {
    /** Has the keys at hand that hashes at a time need. To be called before `identify`. */
    async prepare(now: Date): Promise<void> {
      const wanted = dayOf(now.getTime())
      if (wanted === day) return
      const before = dayOf(now.getTime() - DAY_MS)
      keys = { today: await readKey(wanted), before: await readKey(before) }
      day = wanted
      known.clear()
      await forgetListenerKeys(pool, now)
    },

    /** @param address null where nobody knows it: user agents then tell listeners apart */
    identify(address: string | null, userAgent: string | null): Listener {
      const name = `${address}\n${userAgent}`
      const found = known.get(name)
      if (found) return found
      if (!keys) throw new Error('no key was prepared')
      if (known.size >= MAX_KNOWN) known.clear()
      const text = `${addressBlock(address)}\n${userAgent ?? ''}`
      const hash = (key: Buffer) => createHmac('sha256', key).update(text).digest('hex').slice(0, HASH_DIGITS)
      const isBot = userAgent !== null && isBotAgent(userAgent)
      const listener = { today: hash(keys.today), before: hash(keys.before), isBot, number: ++identified }
      known.set(name, listener)
      return listener
    },
  }
}

/** YYYY-MM-DD in UTC. */
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Removes the keys of days that ended longer than a day ago. */
export async function forgetListenerKeys(pool: Services['pool'], now: Date): Promise<void> {
  await pool.query('DELETE FROM listener_key WHERE day < $1', [dayOf(now.getTime() - DAY_MS)])
}
