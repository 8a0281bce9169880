import type { Services } from '../../platform/context.ts'
import { batched } from '../../platform/db/batched.ts'
import { AppError } from '../../platform/errors.ts'
import { remembered } from '../../platform/remembered.ts'
import { isUuid } from '../../platform/schema/uuid.ts'
import { parseKey } from '../access/key/key.ts'
import { markUsed } from '../access/key/last-used.ts'
import { deliveryRoot } from '../delivery/address.ts'
import { DELIVERY_SECONDS, signDelivery } from '../delivery/token.ts'
import { exclusionOf, type Hints } from './exclusion.ts'
import { type Play, RECORD_PLAYS, recordingValues } from './ledger.ts'
import { type Changes, createLinks, type Link, type Pair, type Share } from './links.ts'
import { createListeners, type Identify } from './listener.ts'
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

interface Opening extends Pair {
  request: PlayRequest
}

const MAX_BATCH = 500
/** A client that has just received an answer sends its next request within a turn or two. */
const GATHERING_TURNS = 3
const MAX_PARSED = 1000
/** Of a batch, while its links change. */
const MAX_ATTEMPTS = 10
/** A key whose last use is older is marked as used. */
const USE_MS = 3_600_000

export type StreamResolver = ReturnType<typeof createStreamResolver>

/**
 * Opens stream links. Requests that arrive while a statement is running share the next one, which spreads the cost of
 * the durable commit. What a link resolves to is kept, and checked by the statement that records the play.
 * @see specification, section 4, Inline share stream; contract, section 6
 */
export function createStreamResolver(services: Services) {
  const listenersAt = createListeners(services)
  const links = createLinks(services)

  /**
   * Whether most plays of the last batch differed. The database then works on them for about as long as this process, so
   * two batches at once keep both busy. Equal plays cost it little, and more of them share a larger batch.
   */
  let isVaried = false

  async function openAll(openings: readonly Opening[]): Promise<(string | null)[]> {
    const now = services.clock()
    const identify = await listenersAt(now)
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const opened = await recordAll(openings, identify, now)
      if (opened) return urlsOf(opened)
    }
    throw new AppError('unavailable', 'The links of these tracks are changing. Try again.', { retryAfterSeconds: 1 })
  }

  /** @returns the links of the openings, null if they have changed and nothing was recorded */
  async function recordAll(openings: readonly Opening[], identify: Identify, now: Date) {
    try {
      const view = await links.find(openings, now)
      const { since } = view
      if (since === null) return view.links
      const plays = openings.flatMap(({ request }, place): Play[] => {
        const link = view.links[place]
        if (!link) return []
        const listener = identify(request.address, request.userAgent)
        const exclusion = listener.isBot ? 'bot' : exclusionOf(request)
        return [{ id: request.id, link, listener, referrerHost: referrerHost(request.referrer), exclusion }]
      })
      if (plays.length === 0) return view.links
      const { values, kinds } = recordingValues(plays, since, now)
      isVaried = kinds > plays.length / 2
      const { rows } = await services.pool.query<Changes>({ ...RECORD_PLAYS, values })
      const [outcome] = rows
      if (!outcome) throw new Error('plays were recorded without an answer')
      links.apply(view, outcome, now)
      if (outcome.changes !== null) return null
      markShares(new Set(plays.map(({ link }) => link.share)), now)
      return view.links
    } catch (error) {
      links.forget()
      throw error
    }
  }

  /** Writes the time of the last use of keys. The answers do not wait for it; after a failure the next use writes it. */
  function markShares(shares: ReadonlySet<Share>, now: Date): void {
    const due = [...shares].filter(({ lastUsedAt }) => !lastUsedAt || now.getTime() - lastUsedAt.getTime() >= USE_MS)
    if (due.length === 0) return
    for (const share of due) share.lastUsedAt = now
    markUsed(
      services,
      due.map(({ keyId }) => keyId),
      now,
    ).catch((error) => {
      for (const share of due) share.lastUsedAt = null
      services.log.warn({ err: error }, 'the last use of share keys could not be written')
    })
  }

  function urlsOf(opened: readonly (Link | null)[]): (string | null)[] {
    const second = Math.floor(services.clock().getTime() / 1000)
    const urls = new Map<Link, string>()
    return opened.map((link) => {
      if (link === null) return null
      const url = urls.get(link) ?? signedUrl(link, second)
      urls.set(link, url)
      return url
    })
  }

  const open = batched(openAll, { max: MAX_BATCH, turns: GATHERING_TURNS, lanes: () => (isVaried ? 2 : 1) })

  const signedUrl = ({ path, share: { domain, secret } }: Link, second: number): string =>
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
