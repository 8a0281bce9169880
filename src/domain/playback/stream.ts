import type { Services } from '../../platform/context.ts'
import { DELIVERY_SECONDS, signDelivery } from '../../platform/signing.ts'
import { parseKey } from '../access/key.ts'
import { deliveryRoot } from '../organization/service.ts'

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
  place: string
  path: string
  domain: string
  secret: string
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const MAX_BATCH = 500

/**
 * Resolves each pair of key and track and writes one ledger row for each that may play, all in one statement and
 * so in one commit: whoever gets an address has been counted. Pairs are looked up once, however often asked.
 */
const RESOLVE_AND_COUNT = {
  name: 'resolve_and_count',
  text: `
  WITH asked AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[]) WITH ORDINALITY AS a(play_id, hash, track_id, place)
  ), playable AS MATERIALIZED (
    SELECT p.hash, p.track_id, k.id AS key_id, k.organization_id, f.variant_id, t.collection_id, t.creator_id,
           f.path, o.domain, o.signing_secrets[1] AS secret
    FROM (SELECT DISTINCT hash, track_id FROM asked) p
    JOIN api_key k ON k.hash = p.hash AND k.kind = 'share' AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > $4)
    JOIN track t ON t.id = p.track_id AND t.organization_id = k.organization_id AND t.deleted_at IS NULL
      AND (k.collection_id IS NULL OR k.collection_id = t.collection_id)
      AND (k.track_id IS NULL OR k.track_id = t.id)
      AND (k.creator_id IS NULL OR k.creator_id = t.creator_id)
    JOIN variant v ON v.id = k.variant_id AND v.deleted_at IS NULL
    JOIN track_file f ON f.track_id = t.id AND f.variant_id = v.id AND f.state = 'done'
    JOIN organization o ON o.id = k.organization_id
  ), counted AS (
    INSERT INTO play_event (id, organization_id, key_id, track_id, variant_id, collection_id, creator_id, created_at)
    SELECT a.play_id, p.organization_id, p.key_id, p.track_id, p.variant_id, p.collection_id, p.creator_id, $4
    FROM asked a JOIN playable p USING (hash, track_id)
  )
  SELECT a.place, p.path, p.domain, p.secret FROM asked a JOIN playable p USING (hash, track_id)`,
}

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
      const batch = waiting.splice(0, MAX_BATCH)
      try {
        const { rows } = await services.pool.query<Row>({
          ...RESOLVE_AND_COUNT,
          values: [
            batch.map((asked) => asked.playId),
            batch.map((asked) => asked.hash),
            batch.map((asked) => asked.trackId),
            services.clock(),
          ],
        })
        const found = new Map(rows.map((row) => [Number(row.place) - 1, row]))
        for (const [place, asked] of batch.entries()) asked.resolve(found.get(place) ?? null)
      } catch (error) {
        for (const asked of batch) asked.reject(error)
      }
    }
    isRunning = false
  }

  /** The same path signed within one second is the same address. */
  function address({ path, domain, secret }: Target): string {
    const second = Math.floor(services.clock().getTime() / 1000)
    if (second !== signedSecond) {
      signed.clear()
      signedSecond = second
    }
    const key = `${domain}/${path}`
    let url = signed.get(key)
    if (!url) {
      url = `${deliveryRoot(services, domain)}/${path}?verify=${signDelivery(secret, `/${path}`, second)}`
      signed.set(key, url)
    }
    return url
  }

  return {
    /** Seconds that an address stays valid. */
    validSeconds: DELIVERY_SECONDS,

    /**
     * @returns the signed address, its play counted and committed; null whatever is wrong with key or track
     */
    async open(trackId: string, apiKey: string): Promise<string | null> {
      const key = parseKey(apiKey)
      if (key?.kind !== 'share' || !UUID.test(trackId)) return null
      const { promise, resolve, reject } = Promise.withResolvers<Target | null>()
      waiting.push({ playId: Bun.randomUUIDv7(), hash: key.hash, trackId: trackId.toLowerCase(), resolve, reject })
      // Started in the next turn of the loop: requests that are already there come along.
      if (!isRunning) {
        isRunning = true
        setImmediate(run)
      }
      const target = await promise
      return target && address(target)
    },
  }
}
