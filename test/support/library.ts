/** Runs SQL: a pool or a client. */
interface Queryable {
  query: (text: string, values?: unknown[]) => Promise<unknown>
}

/** Sizes of a generated library. */
export interface LibrarySize {
  collections: number
  /** In each collection. */
  tracks: number
  /** Files of each track, of the oldest variants. Defaults to one of each variant that is not a cover. */
  files?: number
}

const SYLLABLES = 'ba,ce,di,fo,gu,ha,je,ki,lo,mu,na,pe,ri,so,tu,va,we'

/** SQL of one of 4,913 words, the first of them far more frequent than the last: as in real titles. */
const word = (salt: number) =>
  `(SELECT string_agg((string_to_array('${SYLLABLES}', ','))[1 + (rank / (17 ^ digit)::int) % 17], '') FROM (
     SELECT floor(4913 * power(abs(hashtextextended(c.id::text || n, ${salt}) / power(2::float8, 63)), 3))::int AS rank
   ) skewed, generate_series(0, 2) digit)`

/** Fills an organization by SQL with collections of ready tracks that have files. */
export async function fillLibrary(
  pool: Queryable,
  organizationId: string,
  { collections, tracks, files = 5 }: LibrarySize,
) {
  const organization = [organizationId]
  await pool.query(
    `WITH folders AS (INSERT INTO folder (id, organization_id) SELECT gen_random_uuid(), $1::uuid
       FROM generate_series(1, 5) RETURNING id)
     INSERT INTO creator (id, organization_id, folder_id, organization_index, updated_at)
     SELECT gen_random_uuid(), $1, id, 'creator-' || row_number() OVER (), now() FROM folders`,
    organization,
  )
  await pool.query(
    `INSERT INTO collection (id, organization_id, creator_id, title, organization_index, updated_at, created_at)
     SELECT gen_random_uuid(), $1, (SELECT id FROM creator WHERE organization_id = $1 ORDER BY id OFFSET n % 5 LIMIT 1),
       'Collection ' || n, 'c' || n, now(), now() - n * interval '1 minute' FROM generate_series(1, $2::int) n`,
    [...organization, collections],
  )
  await pool.query(
    `INSERT INTO track (id, organization_id, collection_id, creator_id, index, "order", status, file_name, metadata,
       file_name_original, duration_seconds, info, base_path, upload_expires_at, updated_at, created_at,
       upload_completed_at, source_sha256, source_bytes, source_key)
     SELECT gen_random_uuid(), $1::uuid, c.id, c.creator_id, substr(md5(c.id::text || n), 1, 16), n, 'ready',
       'track-' || n || '.wav', jsonb_build_object('n', n),
       ${word(1)} || ' ' || ${word(2)} || ' ' || n || '.wav', 100 + n,
       '{"container": "wav", "codec": "pcm_s16le", "channels": 2, "sample_rate": 44100, "bit_rate": null, "tags": {}}',
       $1 || '/' || c.id || '/' || n, now(), now(), now() - n * interval '1 second', now(), md5('a') || md5('b'), 1000000, gen_random_uuid()
     FROM collection c, generate_series(1, $2::int) n WHERE c.organization_id = $1::uuid AND c.title LIKE 'Collection %'`,
    [...organization, tracks],
  )
  await pool.query(
    `INSERT INTO track_file (id, organization_id, track_id, variant_id, state, path, storage_key, file_name, content_type, size,
       sha256, props, index, recipe, source_sha256, completed_at, updated_at)
     SELECT gen_random_uuid(), $1, t.id, v.id, 'done', t.base_path || '_' || v.index, t.base_path || '_' || v.index, 'x.m4a', 'audio/mp4', 123456,
       md5('a') || md5('b'), v.props, v.index, v.props, t.source_sha256, now(), now()
     FROM track t, (SELECT * FROM variant WHERE organization_id = $1 AND type <> 'cover' ORDER BY created_at, id LIMIT $2) v
     WHERE t.organization_id = $1`,
    [...organization, files],
  )
  await pool.query('ANALYZE')
}
