import type { Services } from '../../platform/context.ts'
import { Recent } from '../../platform/recent.ts'
import { arrayText } from './array-text.ts'

/** A share key with the settings of its organization. */
export interface Share {
  keyId: string
  organizationId: string
  variantId: string
  /** Of the organization's delivery addresses. */
  domain: string
  /** Signs those addresses. */
  secret: string
  expiresAt: Date | null
  /** As far as this process knows. */
  lastUsedAt: Date | null
}

/** The file of a share key and a track. */
export interface Link {
  share: Share
  trackId: string
  collectionId: string
  creatorId: string | null
  /** Of the file, without a leading slash. */
  path: string
}

/** A share key and a track, as a client has sent them. */
export interface Pair {
  /** Of the key. */
  hash: string
  trackId: string
}

/** Links that are valid if nothing has changed since a snapshot of the database. */
export interface View {
  /** In the order of the pairs. Null for an invalid one. */
  links: (Link | null)[]
  /** Null if there is no link. */
  since: string | null
  /** State of the memory that the links are from. */
  generation: number
}

/** Changes since the snapshot of a view. */
export interface Changes {
  /** The next snapshot: the subjects contain the changes up to it. */
  snapshot: string
  /** IDs of organizations, keys, variants, collections and tracks. Null without a change. */
  changes: string[] | null
}

interface Row extends Share, Omit<Link, 'share' | 'trackId'> {
  /** Position of the pair, from 1. */
  pair: number
  snapshot: string
}

const RESOLVE_LINKS = {
  name: 'resolve_links',
  text: `SELECT pair, key_id AS "keyId", organization_id AS "organizationId", variant_id AS "variantId",
           collection_id AS "collectionId", creator_id AS "creatorId", path, domain, secret, expires_at AS "expiresAt",
           last_used_at AS "lastUsedAt", snapshot
         FROM ledger.resolve_links($1, $2, $3, $4)`,
}

/** About 10 MB. */
const MAX_LINKS = 20_000
const MAX_SHARES = 1000
/** Changes that are applied one by one. `ledger.record_plays` returns at most one more. */
const MAX_CHANGES = 1000
/** Age of the snapshot at which all links are resolved again. The database keeps changes for a day. */
const MAX_AGE_MS = 60_000

/** Deletes changes older than a day, by the clock of the database that has recorded them. */
export async function forgetLinkChanges(pool: Services['pool']): Promise<void> {
  await pool.query(`DELETE FROM ledger.link_change WHERE changed_at < now() - interval '1 day'`)
}

const nameOf = ({ hash, trackId }: Pair) => trackId + hash

/**
 * Keeps what pairs of share key and track resolve to. A link is only used together with the snapshot of the database in
 * which it was valid: the statement that records its play finds what has changed since (`ledger.record_plays`). So no
 * process opens a link after its end, and there is no notification to lose (decision 0047). Invalid pairs are not kept.
 */
export function createLinks({ pool }: { pool: Pick<Services['pool'], 'query'> }) {
  const links = new Recent<Link>(MAX_LINKS)
  const shares = new Recent<Share>(MAX_SHARES)
  /** All that is kept was valid in this snapshot. Null while nothing is kept. */
  let since: string | null = null
  let sinceMs = 0
  /** Changes whenever something is forgotten. */
  let generation = 0

  function forget(): void {
    links.clear()
    shares.clear()
    since = null
    generation += 1
  }

  function forgetAbout(subjects: ReadonlySet<string>): void {
    const isOf = ({ keyId, variantId, organizationId }: Share) =>
      subjects.has(keyId) || subjects.has(variantId) || subjects.has(organizationId)
    shares.deleteWhere(isOf)
    links.deleteWhere((link) => subjects.has(link.trackId) || subjects.has(link.collectionId) || isOf(link.share))
    generation += 1
  }

  /**
   * Keeps resolved links under the snapshot that was current when the statement was sent, or under its own. They are not
   * kept if something was forgotten in the meantime, or if another statement has set the first snapshot. All links of a key
   * share what it grants.
   */
  function keep(
    resolved: ReadonlyMap<string, Link>,
    snapshot: string,
    sent: Pick<View, 'since' | 'generation'>,
    now: Date,
  ) {
    if (generation !== sent.generation || (since !== null && sent.since === null)) return
    if (since === null) [since, sinceMs] = [snapshot, now.getTime()]
    for (const [name, link] of resolved) {
      const { keyId } = link.share
      link.share = shares.get(keyId) ?? link.share
      shares.set(keyId, link.share)
      links.set(name, link)
    }
  }

  async function resolve(wanted: readonly Pair[], now: Date) {
    const hashes = [...new Set(wanted.map(({ hash }) => hash))]
    const places = new Map(hashes.map((hash, i) => [hash, i + 1]))
    const values = [
      arrayText(hashes),
      arrayText(wanted.map(({ hash }) => places.get(hash) as number)),
      arrayText(wanted.map(({ trackId }) => trackId)),
      now,
    ]
    const { rows } = await pool.query<Row>({ ...RESOLVE_LINKS, values })
    const own = new Map<string, Share>()
    const resolved = new Map<string, Link>()
    for (const { pair, collectionId, creatorId, path, snapshot: _, ...share } of rows) {
      const asked = wanted[pair - 1] as Pair
      const shared = own.get(share.keyId) ?? share
      own.set(share.keyId, shared)
      resolved.set(nameOf(asked), { share: shared, trackId: asked.trackId, collectionId, creatorId, path })
    }
    return { resolved, snapshot: rows[0]?.snapshot ?? null }
  }

  return {
    /** Finds the links of pairs at a time by the process's clock. */
    async find(pairs: readonly Pair[], now: Date): Promise<View> {
      if (Math.abs(now.getTime() - sinceMs) > MAX_AGE_MS) forget()
      const sent = { since, generation }
      const found = pairs.map((pair) => {
        const link = links.get(nameOf(pair))
        return link && (link.share.expiresAt === null || link.share.expiresAt > now) ? link : null
      })
      const missing = new Map(pairs.flatMap((pair, i) => (found[i] ? [] : [[nameOf(pair), pair]])))
      if (missing.size === 0) return { ...sent, links: found }
      const { resolved, snapshot } = await resolve([...missing.values()], now)
      if (snapshot !== null) keep(resolved, snapshot, sent, now)
      return {
        generation: sent.generation,
        // The older of both snapshots, so that changes after it are found.
        since: sent.since ?? snapshot,
        links: pairs.map((pair, i) => found[i] ?? resolved.get(nameOf(pair)) ?? null),
      }
    },

    /** Applies what has changed since the snapshot of a view. */
    apply(view: View, { snapshot, changes }: Changes, now: Date): void {
      const isCurrent = generation === view.generation && since !== null
      // If not, another batch has applied changes that this snapshot may not contain.
      if (isCurrent) [since, sinceMs] = [snapshot, now.getTime()]
      if (changes === null) return
      if (changes.length > MAX_CHANGES) forget()
      else forgetAbout(new Set(changes))
    },

    /** After a failure, the database may have lost its newest transactions, and the snapshot with them. */
    forget,
  }
}

export type Links = ReturnType<typeof createLinks>
