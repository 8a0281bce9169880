import type { Exclusion } from './exclusion.ts'
import type { Listener } from './listener.ts'

/** A play request to record. */
export interface Play {
  /** ID of its row. */
  id: string
  /** Hash of the share key. */
  hash: string
  trackId: string
  listener: Listener
  referrerHost: string | null
  exclusion: Exclusion | null
}

/** The file of a pair of key and track. */
export interface Row {
  /** Position of the pair, from 1. */
  pair: number
  path: string
  domain: string
  secret: string
  /** ID of the key, if the time of its last use is to be written. */
  dueKeyId: string | null
}

/** Covers the difference between the clocks of processes, and the duration of a statement. */
const AFTER_MIDNIGHT = `($11::timestamptz AT TIME ZONE 'UTC')::time < '00:10'`

/**
 * Resolves pairs of key and track, and writes a ledger row for each play of a valid pair. One statement is one commit,
 * so every returned file has been counted.
 * - $1 and $2: the pairs.
 * - $3 to $8: the kinds of plays. Plays of one kind differ only in their IDs: position of the pair, both hashes of the
 *   listener, host of the referrer, exclusion, ID of the first play.
 * - $9 and $10: the plays, each with the position of its kind. Positions count from 1.
 * - $11: the time.
 *
 * The first play of a file by a listener in 24 hours is a listen. Both hashes are searched, including that of the day
 * before. Of two concurrent transactions the second waits for the first and finds its row. Shortly after midnight,
 * other processes may still use the hashes of the day before: until then a listen is written under both hashes, and requires
 * that neither existed. Rows are locked in one order, so that no deadlock is possible.
 */
export const RESOLVE_AND_COUNT = {
  name: 'resolve_and_count',
  text: `
  WITH playable AS MATERIALIZED (
    SELECT p.pair, k.id AS key_id, k.organization_id, f.variant_id, t.id AS track_id, t.collection_id, t.creator_id,
           f.path, o.domain, o.signing_secrets[1] AS secret,
           k.last_used_at IS NULL OR k.last_used_at <= $11 - interval '1 hour' AS is_due
    FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS p(hash, track_id, pair)
    JOIN api_key k ON k.hash = p.hash AND k.kind = 'share' AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > $11)
    JOIN track t ON t.id = p.track_id AND t.organization_id = k.organization_id AND t.deleted_at IS NULL
      AND (k.collection_id IS NULL OR k.collection_id = t.collection_id)
      AND (k.track_id IS NULL OR k.track_id = t.id)
      AND (k.creator_id IS NULL OR k.creator_id = t.creator_id)
    JOIN collection c ON c.id = t.collection_id AND c.deleted_at IS NULL
    JOIN variant v ON v.id = k.variant_id AND v.deleted_at IS NULL
    JOIN track_file f ON f.track_id = t.id AND f.variant_id = v.id AND f.state = 'done'
    JOIN organization o ON o.id = k.organization_id
  ), kind AS MATERIALIZED (
    SELECT a.*, p.key_id, p.organization_id, p.variant_id, p.track_id, p.collection_id, p.creator_id,
      row_number() OVER (PARTITION BY today, p.track_id, variant_id, exclusion ORDER BY place) AS turn
    FROM unnest($3::int[], $4::uuid[], $5::uuid[], $6::text[], $7::play_exclusion[], $8::uuid[])
      WITH ORDINALITY AS a(pair, today, before, referrer_host, exclusion, first, place)
    JOIN playable p USING (pair)
  ), unheard AS (
    SELECT DISTINCT today, before, track_id, variant_id FROM kind
    WHERE exclusion IS NULL AND NOT EXISTS (
      SELECT FROM last_listen l
      WHERE l.listener IN (kind.today, kind.before) AND l.track_id = kind.track_id AND l.variant_id = kind.variant_id
        AND l.heard_at > $11 - interval '24 hours'
    )
  ), heard AS (
    INSERT INTO last_listen AS l (listener, track_id, variant_id, heard_at)
    SELECT hash, track_id, variant_id, $11 FROM unheard CROSS JOIN LATERAL (VALUES (today), (before)) AS h(hash)
    WHERE hash = today OR ${AFTER_MIDNIGHT}
    ORDER BY hash, track_id, variant_id
    ON CONFLICT (listener, track_id, variant_id) DO UPDATE SET heard_at = excluded.heard_at
      WHERE l.heard_at <= excluded.heard_at - interval '24 hours'
    RETURNING listener, track_id, variant_id
  ), counted AS (
    INSERT INTO play_event (id, organization_id, key_id, track_id, variant_id, collection_id, creator_id, created_at,
      listener, referrer_host, exclusion)
    SELECT e.id, k.organization_id, k.key_id, k.track_id, k.variant_id, k.collection_id, k.creator_id, $11,
      k.today, k.referrer_host, CASE
        WHEN k.exclusion IS NOT NULL THEN k.exclusion
        WHEN k.turn = 1 AND e.id = k.first
          AND (k.today, k.track_id, k.variant_id) IN (SELECT listener, track_id, variant_id FROM heard)
          AND (NOT ${AFTER_MIDNIGHT}
            OR (k.before, k.track_id, k.variant_id) IN (SELECT listener, track_id, variant_id FROM heard)) THEN NULL
        ELSE 'repeat'
      END
    FROM unnest($9::uuid[], $10::int[]) AS e(id, place) JOIN kind k USING (place)
  )
  SELECT pair::int, path, domain, secret, CASE WHEN is_due THEN key_id END AS "dueKeyId" FROM playable`,
}

/** An array literal of PostgreSQL. The values need no quotes, which the driver would add. */
const arrayText = (values: readonly (string | number)[]) => `{${values.join(',')}}`

/** An array literal of nullable texts. They contain no character that needs an escape. */
const nullableText = (values: readonly (string | null)[]) =>
  arrayText(values.map((value) => (value === null ? 'NULL' : `"${value}"`)))

/**
 * The parameters of the statement for a batch. Each distinct pair is looked up once.
 * @returns also the position of each play's pair, from 1
 */
export function countingValues(plays: readonly Play[], now: Date): { values: unknown[]; pairOf: number[] } {
  const [pairs, kinds] = [numbering<Play>(), numbering<Play & { pair: number }>()]
  const pairOf: number[] = []
  const kindOf: number[] = []
  for (const play of plays) {
    const pair = pairs.place(play.hash + play.trackId, () => play)
    pairOf.push(pair)
    const kind = `${pair} ${play.listener.number} ${play.exclusion} ${play.referrerHost}`
    kindOf.push(kinds.place(kind, () => ({ ...play, pair })))
  }
  const values = [
    arrayText(pairs.first.map(({ hash }) => hash)),
    arrayText(pairs.first.map(({ trackId }) => trackId)),
    arrayText(kinds.first.map(({ pair }) => pair)),
    arrayText(kinds.first.map(({ listener }) => listener.today)),
    arrayText(kinds.first.map(({ listener }) => listener.before)),
    nullableText(kinds.first.map(({ referrerHost }) => referrerHost)),
    nullableText(kinds.first.map(({ exclusion }) => exclusion)),
    arrayText(kinds.first.map(({ id }) => id)),
    arrayText(plays.map(({ id }) => id)),
    arrayText(kindOf),
    now,
  ]
  return { values, pairOf }
}

/** Numbers names from 1, in the order of their first appearance, and keeps the first value of each. */
function numbering<T>() {
  const places = new Map<string, number>()
  const first: T[] = []
  return {
    first,
    place(name: string, make: () => T): number {
      const known = places.get(name)
      if (known !== undefined) return known
      places.set(name, first.push(make()))
      return first.length
    },
  }
}
