import type { Services } from '../../platform/context.ts'
import { batched } from '../../platform/db/batched.ts'
import { remembered } from '../../platform/remembered.ts'
import { isUuid } from '../../platform/schema/uuid.ts'
import { parseKey } from '../access/key/key.ts'
import { markUsed } from '../access/key/last-used.ts'
import { deliveryRoot } from '../delivery/address.ts'
import { DELIVERY_SECONDS, signDelivery } from '../delivery/token.ts'
import { exclusionOf, type Hints } from './exclusion.ts'
import { countingValues, RESOLVE_AND_COUNT, type Row } from './ledger.ts'
import { createListeners } from './listener.ts'
import { referrerHost } from './referrer.ts'

/** A request to a stream link, as far as the ledger needs it. */
export interface PlayRequest extends Hints {
  /** UUID of the request and of its row. */
  id: string
  /** Address of the client, null if unknown. It is hashed and never stored. */
  address: string | null
  userAgent: string | null
  referrer: string | null
}

interface Opening {
  request: PlayRequest
  /** Of the share key. */
  hash: string
  trackId: string
}

const MAX_BATCH = 500
/** A client that has just received an answer sends its next request within a turn or two. */
const GATHERING_TURNS = 3
const MAX_PARSED = 1000

export type StreamResolver = ReturnType<typeof createStreamResolver>

/**
 * Opens stream links. Requests that arrive while a statement is running share the next one, which spreads the cost of
 * the lookup and of the durable commit. Nothing is cached.
 * @see specification, section 4, Inline share stream; contract, section 6
 */
export function createStreamResolver(services: Services) {
  const listenersAt = createListeners(services)

  /**
   * Whether most plays of the last batch differed. The database then works on them for about as long as this process, so
   * two batches at once keep both busy. Equal plays cost it little, and more of them share a larger batch.
   */
  let isVaried = false

  async function openAll(openings: readonly Opening[]): Promise<(string | null)[]> {
    const now = services.clock()
    const identify = await listenersAt(now)
    const plays = openings.map(({ request, hash, trackId }) => {
      const listener = identify(request.address, request.userAgent)
      const exclusion = listener.isBot ? 'bot' : exclusionOf(request)
      return { id: request.id, hash, trackId, listener, referrerHost: referrerHost(request.referrer), exclusion }
    })
    const { values, pairOf, kinds } = countingValues(plays, now)
    isVaried = kinds > plays.length / 2
    const { rows } = await services.pool.query<Row>({ ...RESOLVE_AND_COUNT, values })
    const due = new Set(rows.flatMap(({ dueKeyId }) => dueKeyId ?? []))
    if (due.size > 0) {
      // The answers do not wait for it; after a failure the next use writes it.
      markUsed(services, [...due], now).catch((error) =>
        services.log.warn({ err: error }, 'the last use of share keys could not be written'),
      )
    }
    const second = Math.floor(services.clock().getTime() / 1000)
    const urls = new Map(rows.map((row) => [row.pair, signedUrl(row, second)]))
    return pairOf.map((pair) => urls.get(pair) ?? null)
  }

  const open = batched(openAll, { max: MAX_BATCH, turns: GATHERING_TURNS, lanes: () => (isVaried ? 2 : 1) })

  const signedUrl = ({ path, domain, secret }: Row, second: number): string =>
    `${deliveryRoot(services, domain)}/${path}?verify=${signDelivery(secret, `/${path}`, second)}`

  /** Parsing a key includes a hash. */
  const parseOnce = remembered(MAX_PARSED, parseKey)

  return {
    /** Seconds that a signed URL is valid. */
    validSeconds: DELIVERY_SECONDS,

    /**
     * @returns the signed URL, after the play is committed to the ledger; null for any invalid key or track
     */
    async open(trackId: string, apiKey: string, request: PlayRequest): Promise<string | null> {
      const key = parseOnce(apiKey)
      if (key?.kind !== 'share' || !isUuid(trackId)) return null
      return open({ request, hash: key.hash, trackId: trackId.toLowerCase() })
    },
  }
}
