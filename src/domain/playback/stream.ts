import type { Services } from '../../platform/context.ts'
import { DELIVERY_SECONDS, signDelivery } from '../../platform/identity/signing.ts'
import { type ParsedKey, parseKey } from '../access/key/key.ts'
import { deliveryRoot } from '../organization/delivery.ts'
import { exclusionOf, type Hints } from './exclusion.ts'
import { countingValues, RESOLVE_AND_COUNT, type Row } from './ledger.ts'
import { createListeners } from './listener.ts'
import { referrerHost } from './referrer.ts'

/** A request of a stream link, as far as the ledger is to know. */
export interface PlayRequest extends Hints {
  /** UUID of the request, and of its row. */
  id: string
  /** Of the client, where it is known. It is hashed and not kept. */
  address: string | null
  userAgent: string | null
  referrer: string | null
}

interface Asked {
  request: PlayRequest
  hash: string
  trackId: string
  resolve: (address: string | null) => void
  reject: (error: unknown) => void
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const MAX_BATCH = 500
const GATHERING_TURNS = 3
const MAX_PARSED = 1000
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

export type StreamResolver = ReturnType<typeof createStreamResolver>

/**
 * Opens stream links. Requests that arrive while a statement is under way share the next one (group commit), so
 * that the cost of a lookup and of a durable commit is spread over all of them; nothing is cached.
 * @see specification, section 4, Inline share stream; contract, section 6
 */
export function createStreamResolver(services: Services) {
  const listeners = createListeners(services)
  const waiting: Asked[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      // Whoever was answered just now asks again within a turn or two: better together than in alternating halves.
      for (let turn = 0; turn < GATHERING_TURNS; turn++) await nextTurn()
      const batch = waiting.splice(0, MAX_BATCH)
      try {
        await open(batch)
      } catch (error) {
        for (const asked of batch) asked.reject(error)
      }
    }
    isRunning = false
  }

  async function open(batch: readonly Asked[]): Promise<void> {
    const now = services.clock()
    await listeners.prepare(now)
    const plays = batch.map(({ request, hash, trackId }) => {
      const listener = listeners.identify(request.address, request.userAgent)
      const exclusion = listener.isBot ? 'bot' : exclusionOf(request)
      return { id: request.id, hash, trackId, listener, referrerHost: referrerHost(request.referrer), exclusion }
    })
    const { values, pairOf } = countingValues(plays, now)
    const { rows } = await services.pool.query<Row>({ ...RESOLVE_AND_COUNT, values })
    const second = Math.floor(services.clock().getTime() / 1000)
    const found = new Map(rows.map((row) => [row.pair, address(row, second)]))
    for (const [at, asked] of batch.entries()) asked.resolve(found.get(pairOf[at] ?? 0) ?? null)
  }

  /** The same for all of a batch who ask for the same. */
  function address({ path, domain, secret }: Row, second: number): string {
    return `${deliveryRoot(services, domain)}/${path}?verify=${signDelivery(secret, `/${path}`, second)}`
  }

  const parsed = new Map<string, ParsedKey | null>()
  /** Reading a key is hashing it; the same text always reads the same. */
  function parseOnce(apiKey: string): ParsedKey | null {
    const known = parsed.get(apiKey)
    if (known !== undefined) return known
    if (parsed.size >= MAX_PARSED) parsed.clear()
    const key = parseKey(apiKey)
    parsed.set(apiKey, key)
    return key
  }

  return {
    /** Seconds that an address stays valid. */
    validSeconds: DELIVERY_SECONDS,

    /**
     * @returns the signed address, its play counted and committed; null whatever is wrong with key or track
     */
    open(trackId: string, apiKey: string, request: PlayRequest): Promise<string | null> {
      const key = parseOnce(apiKey)
      if (key?.kind !== 'share' || !UUID.test(trackId)) return Promise.resolve(null)
      const { promise, resolve, reject } = Promise.withResolvers<string | null>()
      waiting.push({ request, hash: key.hash, trackId: trackId.toLowerCase(), resolve, reject })
      if (!isRunning) run()
      return promise
    },
  }
}
