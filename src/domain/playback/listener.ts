import { randomBytes } from 'node:crypto'
import type { Services } from '../../platform/context.ts'
import { addressBlock } from '../../platform/http/client-address.ts'
import { remembered } from '../../platform/remembered.ts'
import { DAY_MS } from '../../platform/time.ts'
import { isBotAgent } from './exclusion.ts'

const KEY_BYTES = 32
/** 128 bits, the size of a UUID column. */
const HASH_DIGITS = 32
const MAX_KNOWN = 10_000
/** User agents whose kind is kept: far fewer than listeners. */
const MAX_AGENTS = 1000

/** The pseudonym of a listener in the ledger. */
export interface ListenerIdentity {
  /** Hash with the key of the day. */
  today: string
  /** Hash with the key of the day before. Finds listens from before midnight. */
  before: string
  isBot: boolean
  /** Distinguishes listeners within a process and day. */
  number: number
}

/** @param address null if unknown; listeners are then distinguished by user agent */
export type IdentifyListener = (address: string | null, userAgent: string | null) => ListenerIdentity

/**
 * Distinguishes listeners without identifying them, by an HMAC over address (the /64 of IPv6) and user agent with a
 * random key of the day. The key is encrypted with the root secret, shared through the database, and deleted when the
 * next day has ended. After that nothing can link a hash to an address, not even the operator. Without the keys, hashes of
 * different days are unrelated. Addresses are only in memory, for at most a day.
 */
export function createListeners({ pool, signing }: Pick<Services, 'pool' | 'signing'>) {
  let day = ''
  let identifyOfDay: IdentifyListener | null = null
  /** The list of bots is one large expression. */
  const isBotOnce = remembered(MAX_AGENTS, isBotAgent)

  /** @returns an HMAC with the key of a day, to be copied: copies start faster than new ones */
  async function readKey(keyDay: string): Promise<Bun.CryptoHasher> {
    for (;;) {
      const { rows } = await pool.query<{ sealed_key: string }>(
        `WITH inserted AS (
           INSERT INTO listener_key (day, sealed_key) VALUES ($1, $2) ON CONFLICT (day) DO NOTHING RETURNING sealed_key
         ) SELECT sealed_key FROM inserted UNION ALL SELECT sealed_key FROM listener_key WHERE day = $1`,
        [keyDay, signing.seal(randomBytes(KEY_BYTES).toString('base64'))],
      )
      const sealed = rows[0]?.sealed_key
      // Another process was inserting the key at the same time.
      if (sealed === undefined) continue
      try {
        return new Bun.CryptoHasher('sha256', Buffer.from(signing.unseal(sealed), 'base64'))
      } catch {
        // Encrypted with another root secret, so it cannot be read any more.
        await pool.query('DELETE FROM listener_key WHERE day = $1 AND sealed_key = $2', [keyDay, sealed])
      }
    }
  }

  function createIdentify(today: Bun.CryptoHasher, before: Bun.CryptoHasher): IdentifyListener {
    const listeners = new Map<string, ListenerIdentity>()
    let identified = 0
    return (address, userAgent) => {
      const name = `${address}\n${userAgent}`
      const knownListener = listeners.get(name)
      if (knownListener) return knownListener
      if (listeners.size >= MAX_KNOWN) listeners.clear()
      const text = `${addressBlock(address)}\n${userAgent ?? ''}`
      const hash = (key: Bun.CryptoHasher) => key.copy().update(text).digest('hex').slice(0, HASH_DIGITS)
      const isBot = userAgent !== null && isBotOnce(userAgent)
      const listener = { today: hash(today), before: hash(before), isBot, number: ++identified }
      listeners.set(name, listener)
      return listener
    }
  }

  /** Returns the function that identifies the listeners of a time's day. It keeps the keys of that day. */
  return async (now: Date): Promise<IdentifyListener> => {
    const currentDay = formatDay(now.getTime())
    if (identifyOfDay && currentDay === day) return identifyOfDay
    const before = formatDay(now.getTime() - DAY_MS)
    const identify = createIdentify(await readKey(currentDay), await readKey(before))
    ;[day, identifyOfDay] = [currentDay, identify]
    await forgetListenerKeys(pool, now)
    return identify
  }
}

/** YYYY-MM-DD in UTC. */
const formatDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Deletes the keys of days that ended more than a day ago. */
export async function forgetListenerKeys(pool: Services['pool'], now: Date): Promise<void> {
  await pool.query('DELETE FROM listener_key WHERE day < $1', [formatDay(now.getTime() - DAY_MS)])
}
