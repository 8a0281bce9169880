import { DatabaseError } from 'pg'
import type { Services } from '../../platform/context.ts'
import { batched } from '../../platform/db/batched.ts'
import { commitStatement } from '../../platform/db/transaction.ts'
import { beginUrgent, endUrgent } from '../../platform/pieces.ts'
import { remembered } from '../../platform/remembered.ts'
import { isUuid } from '../../platform/uuid.ts'
import { parseKey } from '../access/key/key.ts'
import { markUsed } from '../access/key/last-used.ts'
import { deliveryRoot } from '../delivery/address.ts'
import { openSecret } from '../delivery/secret.ts'
import { DELIVERY_SECONDS, signDelivery } from '../delivery/token.ts'
import { ADMIT_PLAYS, type Admission, type Refusal, toAdmissionValues } from './admission.ts'
import { findExclusion, type Hints } from './exclusion.ts'
import { type OpenedPair, type Play, RECORD_PLAYS, toPlayRecording } from './ledger.ts'
import { createListeners, type IdentifyListener } from './listener.ts'
import { findListenerApp } from './listener-app.ts'
import { referrerHost } from './referrer.ts'
import { readSharePass } from './share-pass.ts'

/** A request to a stream link, as far as the ledger needs it. */
export interface PlayRequest extends Hints {
  /** UUID of the request and of its row. */
  id: string
  /** Address of the client, null if unknown. It is hashed and never stored. */
  address: string | null
  userAgent: string | null
  referrer: string | null
  /** Host of another site whose page asks. Null for the own pages, and if unknown. */
  site: string | null
  /** Of the client, ISO 3166-1 alpha-2. Null if unknown. */
  country: string | null
  /** The Cookie header, which may have the pass of a link with a password. */
  cookie: string | null
}

interface Opening {
  request: PlayRequest
  /** Hash of the share key. */
  hash: string
  trackId: string
  /** Whether the limits of the key have admitted it. */
  isAdmitted?: boolean
}

/** A link that a limit of its key keeps closed for this client. */
export interface RefusedStream {
  refusal: Refusal
}

/** The signed URL of an opening, null for a link that is not open, or the error that refuses this opening alone. */
type Outcome = string | null | DatabaseError
type LimitedOutcome = Outcome | RefusedStream

const MAX_BATCH = 500
/** A client that has just received an answer sends its next request within a turn or two. */
const GATHERING_TURNS = 3
const MAX_PARSED = 1000
const MAX_AGENTS = 1000
/** SQLSTATE classes of values that a statement refuses. It has recorded nothing then. */
const REFUSED_VALUES = /^2[23]/

export type StreamResolver = ReturnType<typeof createStreamResolver>

/**
 * Opens stream links. Requests that arrive while a statement is running share the next one, which spreads the cost of
 * the durable commit. The statement that counts the plays also decides which links are open, so nothing is kept that
 * could be out of date (decision 0012).
 * @see specification, section 4, Inline share stream; contract, section 6
 */
export function createStreamResolver(services: Services) {
  const listenersAt = createListeners(services)
  const findAppOnce = remembered(MAX_AGENTS, findListenerApp)

  /**
   * Whether most plays of the last batch differed. The database then works on them for about as long as this process, so
   * two batches at once keep both busy. Equal plays cost it little, and more of them share a larger batch.
   */
  let isVaried = false

  async function openAll(openings: readonly Opening[]): Promise<Outcome[]> {
    const now = services.clock()
    beginUrgent()
    try {
      return await recordAll(openings, await listenersAt(now), now)
    } finally {
      endUrgent()
    }
  }

  /**
   * Opens links that `openAll` has not: those whose keys have limits. They wait for one another, and other links for none of them
   * (decision 0083).
   */
  async function openAllLimited(openings: readonly Opening[]): Promise<LimitedOutcome[]> {
    const now = services.clock()
    const identify = await listenersAt(now)
    const plays = openings.map((opening) => ({
      ...toPlay(opening, identify),
      country: opening.request.country,
      password: readSharePass(services, opening.request.cookie, opening.hash, now),
    }))
    const values = toAdmissionValues(plays, now)
    const { rows } = await commitStatement<Admission>(services.pool, { ...ADMIT_PLAYS, values })
    const refusals = new Map(rows.map(({ place, refusal }) => [place - 1, refusal]))
    const places = [...refusals].filter(([, refusal]) => refusal === null).map(([place]) => place)
    const admitted = openings
      .filter((_, at) => places.includes(at))
      .map((opening) => ({ ...opening, isAdmitted: true }))
    const opened = admitted.length > 0 ? await recordAll(admitted, identify, now) : []
    return openings.map((_, at) => {
      const refusal = refusals.get(at) ?? null
      return refusal ? { refusal } : (opened[places.indexOf(at)] ?? null)
    })
  }

  /** Records plays by one statement. If it refuses a value, each half is recorded alone, down to the play with the value. */
  async function recordAll(openings: readonly Opening[], identify: IdentifyListener, now: Date): Promise<Outcome[]> {
    try {
      return await record(openings, identify, now)
    } catch (error) {
      if (!(error instanceof DatabaseError && REFUSED_VALUES.test(error.code ?? ''))) throw error
      if (openings.length === 1) return [error]
      const middle = Math.ceil(openings.length / 2)
      const first = await recordAll(openings.slice(0, middle), identify, now)
      return [...first, ...(await recordAll(openings.slice(middle), identify, now))]
    }
  }

  async function record(openings: readonly Opening[], identify: IdentifyListener, now: Date): Promise<Outcome[]> {
    const plays = openings.map((opening) => toPlay(opening, identify))
    const { values, pairs, kinds } = toPlayRecording(plays, now)
    isVaried = kinds > plays.length / 2
    const { rows } = await commitStatement<OpenedPair>(services.pool, { ...RECORD_PLAYS, values })
    markShares(rows, now)
    const second = Math.floor(services.clock().getTime() / 1000)
    const urls = new Map(rows.map((opened) => [opened.pair, signedUrl(opened, second)]))
    return pairs.map((pair) => urls.get(pair) ?? null)
  }

  function toPlay({ request, hash, trackId, isAdmitted }: Opening, identify: IdentifyListener): Play {
    const listener = identify(request.address, request.userAgent)
    const exclusion = listener.isBot ? 'bot' : findExclusion(request)
    const { id, site, country, userAgent } = request
    const audience = services.config.isAudienceKept ? { ...findAppOnce(userAgent ?? ''), country } : undefined
    const referrer = referrerHost(request.referrer)
    return { id, hash, trackId, listener, exclusion, site, referrerHost: referrer, audience, isAdmitted }
  }

  /** Keys whose last use is being written. */
  const marking = new Set<string>()

  /** Writes the time of the last use of keys. The answers do not wait for it; after a failure the next use writes it. */
  function markShares(opened: readonly OpenedPair[], now: Date): void {
    const due = new Set(opened.flatMap(({ dueKeyId }) => (dueKeyId && !marking.has(dueKeyId) ? [dueKeyId] : [])))
    if (due.size === 0) return
    for (const keyId of due) marking.add(keyId)
    const failed = (error: unknown) =>
      services.log.warn({ err: error }, 'the last use of share keys could not be written')
    void markUsed(services, [...due], now)
      .catch(failed)
      .finally(() => {
        for (const keyId of due) marking.delete(keyId)
      })
  }

  const openLimited = batched(openAllLimited, { max: MAX_BATCH })
  const open = batched(openAll, { max: MAX_BATCH, turns: GATHERING_TURNS, lanes: () => (isVaried ? 2 : 1) })

  const signedUrl = ({ path, domain, secret }: OpenedPair, second: number): string =>
    `${deliveryRoot(services, domain)}/${path}?verify=${signDelivery(openSecret(services, secret), `/${path}`, second)}`

  /** Parsing a key includes a hash. */
  const parseOnce = remembered(MAX_PARSED, parseKey)

  return {
    /** Seconds that a signed URL is valid. */
    validSeconds: DELIVERY_SECONDS,

    /**
     * @returns the signed URL, after the play is committed to the ledger; null for any invalid key or track; the limit of the key
     *   that refuses the play
     */
    async open(trackId: string, apiKey: string, request: PlayRequest): Promise<string | null | RefusedStream> {
      const key = parseOnce(apiKey)
      if (key?.kind !== 'share' || !isUuid(trackId)) return null
      const opening = { request, hash: key.hash, trackId: trackId.toLowerCase() }
      const outcome = (await open(opening)) ?? (await openLimited(opening))
      if (outcome instanceof DatabaseError) throw outcome
      return outcome
    },
  }
}
