// The indexes of searches.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Client, Pool } from 'pg'
import { matchesSearch } from '../../../src/domain/collection/search.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { createReader } from '../../../src/platform/db/query/reader.ts'
import { fillLibrary } from '../../support/library.ts'
import { emptyDatabase } from '../../support/postgres.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()

/** A pool whose connections do not plan with the given kinds of scans. */
const poolWithout = (...scans: string[]) =>
  new Pool({ ...service.services.pool.options, options: scans.map((scan) => `-c enable_${scan}=off`).join(' ') })

describe('the index finds what a scan finds', () => {
  const names = ['Étude 1_2.wav', 'etude 100%.wav', 'Größe.flac', 'Москва.mp3', '音楽.wav', 'a.b\\c.wav', 'Q', '  ']
  let indexed: Pool
  let scanned: Pool
  beforeAll(async () => {
    const { pool } = service.services
    await fillLibrary(pool, service.demo.organization_id, { collections: 10, tracks: 10, files: 0 })
    await pool.query(
      `UPDATE track t SET file_name_original = name, player_title = CASE WHEN n % 2 = 0 THEN upper(name) END
       FROM unnest($1::text[]) WITH ORDINALITY AS given(name, n)
       JOIN (SELECT id, row_number() OVER (ORDER BY id) AS n FROM track) numbered USING (n) WHERE t.id = numbered.id`,
      [names],
    )
    // Of the other indexes, the planner prefers some for few rows.
    const { rows } = await pool.query(
      `SELECT string_agg(indexname, ', ') AS others FROM pg_indexes
       WHERE tablename = 'track' AND indexname NOT IN ('track_pkey', 'track_search_text')`,
    )
    await pool.query(`DROP INDEX ${rows[0].others}`)
    indexed = poolWithout('seqscan', 'indexscan')
    scanned = poolWithout('bitmapscan')
  })
  afterAll(() => Promise.all([indexed.end(), scanned.end()]))

  const terms = [
    'tude',
    'TUDE 1',
    '1_2 étud',
    'МОСКВА',
    'É',
    '_',
    '%',
    '\\',
    '0%',
    'größe',
    'Москва',
    '音楽',
    '楽',
    'q',
    'zz',
    '.',
    ' ',
    'wav',
  ]
  test.each(terms)('%p', async (term) => {
    // Without the organization, which the planner prefers for few rows.
    const where = { deletedAt: null, ...matchesSearch(term) }
    const query = { where, orderBy: [{ id: 'asc' as const }], select: { id: true } }
    const expected = await createReader(scanned).readMany('Track', query)
    expect(await createReader(indexed).readMany('Track', query)).toEqual(expected)
    if (term !== 'zz') expect(expected).not.toEqual([])
  })

  test('the first is the index', async () => {
    const { rows } = await indexed.query(
      `EXPLAIN SELECT FROM track WHERE deleted_at IS NULL AND search_text LIKE '%tude%' AND search_text LIKE '% e%'`,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('Bitmap Index Scan on track_search_text')
  })
})

describe('the migration', () => {
  let url: string
  let client: Client
  beforeEach(async () => {
    url = await emptyDatabase()
    client = new Client({ connectionString: url })
    await client.connect()
  })

  afterEach(() => client.end())

  test('names the extensions that the database rejects', async () => {
    const role = `limited_${process.pid}`
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'word'; GRANT CREATE ON SCHEMA public TO ${role}`)
    try {
      const limited = Object.assign(new URL(url), { username: role, password: 'word' })
      const failure = await migrate(limited.toString()).catch((error) => error)
      expect(failure.message).toContain(
        'the database rejects the extensions that the service needs (permission denied to create extension "btree_gin"); allow',
      )
      expect(failure.message).toContain('allow btree_gin, btree_gist and pg_trgm')
    } finally {
      await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }
  })

  test('finds extensions in another schema', async () => {
    await client.query('CREATE SCHEMA extras; CREATE EXTENSION pg_trgm SCHEMA extras')
    await migrate(url)
    const { rows } = await client.query(`SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%extras.gin_trgm_ops%'`)
    expect(rows.map(({ indexname }) => indexname).sort()).toEqual(['collection_search_text', 'track_search_text'])
  })
})
