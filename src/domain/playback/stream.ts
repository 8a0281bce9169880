import type { Services } from '../../platform/context.ts'
import { DELIVERY_SECONDS, signDelivery } from '../../platform/signing.ts'
import { type ParsedKey, parseKey } from '../access/key/key.ts'
import { deliveryRoot } from '../organization/delivery.ts'

interface Asked {
  playId: string
  hash: string
  trackId: string
  resolve: (target: Target | null) => void
  reject: (error: unknown) => void
}

/** Where a stream link leads. */
interface Target {
  path: string
  domain: string
  secret: string
}

interface Row {
  pair: number
  path: string
  domain: string
  secret: string
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const MAX_BATCH = 500
const GATHERING_TURNS = 3
const MAX_PARSED = 1000
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * Resolves pairs of key and track, and writes a ledger row for each play of a pair that may, all in one statement
 * and so in one commit: whoever gets an address has been counted. $1 and $2 are the pairs; $3 and $4 the plays, each
 * with the place of its pair from 1; $5 the time.
 */
const RESOLVE_AND_COUNT = {
  name: 'resolve_and_count',
  text: `
  WITH playable AS MATERIALIZED (
    SELECT p.pair, k.id AS key_id, k.organization_id, f.variant_id, t.id AS track_id, t.collection_id, t.creator_id,
           f.path, o.domain, o.signing_secrets[1] AS secret
    FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS p(hash, track_id, pair)
    JOIN api_key k ON k.hash = p.hash AND k.kind = 'share' AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > $5)
    JOIN track t ON t.id = p.track_id AND t.organization_id = k.organization_id AND t.deleted_at IS NULL
      AND (k.collection_id IS NULL OR k.collection_id = t.collection_id)
      AND (k.track_id IS NULL OR k.track_id = t.id)
      AND (k.creator_id IS NULL OR k.creator_id = t.creator_id)
    JOIN variant v ON v.id = k.variant_id AND v.deleted_at IS NULL
    JOIN track_file f ON f.track_id = t.id AND f.variant_id = v.id AND f.state = 'done'
    JOIN organization o ON o.id = k.organization_id
  ), counted AS (
    INSERT INTO play_event (id, organization_id, key_id, track_id, variant_id, collection_id, creator_id, created_at)
    SELECT a.play_id, p.organization_id, p.key_id, p.track_id, p.variant_id, p.collection_id, p.creator_id, $5
    FROM unnest($3::uuid[], $4::int[]) AS a(play_id, pair) JOIN playable p USING (pair)
  )
  SELECT pair::int, path, domain, secret FROM playable`,
}

/** An array as PostgreSQL reads it. The driver's own way quotes each element; ids, hashes and numbers need none. */
const arrayText = (values: readonly (string | number)[]) => `{${values.join(',')}}`

export type StreamResolver = ReturnType<typeof createStreamResolver>

/**
 * Opens stream links. Requests that arrive while a statement is under way share the next one (group commit), so
 * that the cost of a lookup and of a durable commit is spread over all of them; nothing is cached.
 * @see specification, section 4, Inline share stream; contract, section 6
 */
export function createStreamResolver(services: Services) {
  const waiting: Asked[] = []
  let isRunning = false
  const signed = new Map<string, string>()
  let signedSecond = 0

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      // Whoever was answered just now asks again within a turn or two: better together than in alternating halves.
      for (let turn = 0; turn < GATHERING_TURNS; turn++) await nextTurn()
      const batch = waiting.splice(0, MAX_BATCH)
      try {
        // Each pair is looked up once, however often it is asked for.
        const pairs = new Map<string, { place: number; asked: Asked }>()
        const places = batch.map((asked) => {
          const name = asked.hash + asked.trackId
          const known = pairs.get(name) ?? { place: pairs.size + 1, asked }
          pairs.set(name, known)
          return known.place
        })
        const distinct = [...pairs.values()].map(({ asked }) => asked)
        const { rows } = await services.pool.query<Row>({
          ...RESOLVE_AND_COUNT,
          values: [
            arrayText(distinct.map((asked) => asked.hash)),
            arrayText(distinct.map((asked) => asked.trackId)),
            arrayText(batch.map((asked) => asked.playId)),
            arrayText(places),
            services.clock(),
          ],
        })
        const found = new Map(rows.map((row) => [row.pair, row]))
        for (const [at, asked] of batch.entries()) asked.resolve(found.get(places[at] ?? 0) ?? null)
      } catch (error) {
        for (const asked of batch) asked.reject(error)
      }
    }
    isRunning = false
  }

  /** The same path signed with the same secret within one second is the same address. */
  function address({ path, domain, secret }: Target): string {
    const second = Math.floor(services.clock().getTime() / 1000)
    if (second !== signedSecond) {
      signed.clear()
      signedSecond = second
    }
    const key = `${secret}${domain}/${path}`
    let url = signed.get(key)
    if (!url) {
      url = `${deliveryRoot(services, domain)}/${path}?verify=${signDelivery(secret, `/${path}`, second)}`
      signed.set(key, url)
    }
    return url
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
    async open(trackId: string, apiKey: string): Promise<string | null> {
      const key = parseOnce(apiKey)
      if (key?.kind !== 'share' || !UUID.test(trackId)) return null
      const { promise, resolve, reject } = Promise.withResolvers<Target | null>()
      waiting.push({ playId: Bun.randomUUIDv7(), hash: key.hash, trackId: trackId.toLowerCase(), resolve, reject })
      if (!isRunning) run()
      const target = await promise
      return target && address(target)
    },
  }
}
