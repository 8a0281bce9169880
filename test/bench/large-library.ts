import { fillLibrary } from '../support/library.ts'

/** Runs SQL: a client. Temporary settings are of its connection. */
interface Queryable {
  query: (text: string, values?: unknown[]) => Promise<unknown>
}

/** Tracks of the large library. */
export const LARGE_TRACKS = 1_000_000
const TRACKS_PER_COLLECTION = 50
const FILES_PER_TRACK = 2

/**
 * Fills an organization with tracks in collections of 50. Takes minutes for the default.
 * @param tracks their number. Defaults to 1,000,000
 * @param files of each track. Defaults to 2
 */
export const fillLargeLibrary = (
  client: Queryable,
  organizationId: string,
  { tracks = LARGE_TRACKS, files = FILES_PER_TRACK } = {},
) =>
  fillLibrary(client, organizationId, {
    collections: Math.ceil(tracks / TRACKS_PER_COLLECTION),
    tracks: TRACKS_PER_COLLECTION,
    files,
  })

export interface PlayRange {
  plays: number
  days: number
  /** End of the days, exclusive. */
  to: Date
}

/**
 * Fills the ledger with plays of the organization's tracks: a long tail, in which the most played hundredth of the
 * tracks has a fifth of the plays. Listeners are a tenth as many as plays, keys are three, a third are repeats.
 */
export async function fillPlays(client: Queryable, organizationId: string, { plays, days, to }: PlayRange) {
  await client.query(
    `CREATE TEMP TABLE played AS SELECT row_number() OVER (ORDER BY index, id) - 1 AS rank, id AS track_id, collection_id,
       creator_id FROM track WHERE organization_id = $1::uuid`,
    [organizationId],
  )
  await client.query('CREATE UNIQUE INDEX ON played (rank)')
  await client.query('ANALYZE played')
  await client.query(
    `SELECT ledger.add_month(month) FROM generate_series(date_trunc('month', $1::timestamptz), $2, '1 month') month`,
    [new Date(to.getTime() - days * 86_400_000), to],
  )
  await client.query(
    `INSERT INTO play_event (id, organization_id, created_at, collection_id, creator_id, track_id, key_id, variant_id,
       listener, exclusion)
     SELECT gen_random_uuid(), $1::uuid, $2::timestamptz - n::float8 / $3 * $4 * interval '1 day', t.collection_id,
       t.creator_id, t.track_id, md5('key' || n % 3)::uuid, v.id, md5('listener' || hashint8(n) % ($3 / 10))::uuid,
       CASE WHEN hashint8(n) % 3 = 0 THEN 'repeat' END::play_exclusion
     FROM (SELECT n, floor(random() ^ 3 * (SELECT count(*) FROM played))::int AS rank FROM generate_series(1, $3::int) n) play
     JOIN played t USING (rank)
     CROSS JOIN (SELECT id FROM variant WHERE organization_id = $1 AND type = 'transcode' ORDER BY created_at, id LIMIT 1) v`,
    [organizationId, to, plays, days],
  )
  await client.query('DROP TABLE played')
}
