import { beforeAll, describe, expect, test } from 'bun:test'
import { Pool } from 'pg'
import { openPool } from '../../../src/platform/db/client.ts'
import type { Prisma } from '../../../src/platform/db/generated/client/client.ts'
import type { Child } from '../../../src/platform/db/query/plan.ts'
import { createReader } from '../../../src/platform/db/query/reader.ts'
import { createLog } from '../../../src/platform/log.ts'
import { fillLibrary } from '../../support/library.ts'
import { type TestService, useTestService } from '../../support/service.ts'
import { until, untilBlocked } from '../../support/until.ts'

const service = useTestService()
let reader: TestService['services']['reader']
let db: TestService['services']['db']

beforeAll(async () => {
  await fillLibrary(service.services.pool, service.demo.organization_id, { collections: 6, tracks: 7 })
  reader = service.services.reader
  db = service.services.db
  await db.track.updateMany({ where: { order: 3 }, data: { status: 'error', statusCode: 'x', statusText: 'x' } })
  await db.collection.updateMany({ where: { title: 'Collection 2' }, data: { creatorId: null, deletedAt: new Date() } })
})

const newest = [{ createdAt: 'desc' }, { id: 'desc' }] as const
const orderBy = [...newest]

test('pages by offset share one prepared statement', async () => {
  const pool = new Pool({ ...service.services.pool.options, max: 1 })
  try {
    const ownReader = createReader(pool)
    const counted = async () => (await pool.query('SELECT count(*)::int FROM pg_prepared_statements')).rows[0].count
    await ownReader.readMany('Track', { orderBy, take: 2, skip: 1, select: { id: true } })
    const before = await counted()
    for (let skip = 2; skip < 20; skip++) {
      const [row] = await ownReader.readMany('Track', { orderBy, take: 1, skip, select: { id: true } })
      const [same] = await db.track.findMany({ orderBy, take: 1, skip, select: { id: true } })
      expect(row).toEqual(same)
    }
    // The text with the other LIMIT is one more.
    expect([before, await counted()]).toEqual([1, 2])
  } finally {
    await pool.end()
  }
})

test('a list has more columns than a function of PostgreSQL has arguments', async () => {
  const all = { columns: null, children: new Map() }
  const aliases = ['one', 'two', 'three', 'four', 'five'].map((name) => [
    name,
    { relation: 'collection', args: {}, plan: all },
  ]) as [string, Child][]
  const tracks = { relation: 'tracks', args: { take: 2, orderBy }, plan: { columns: null, children: new Map(aliases) } }
  const plan = { columns: new Set(['id']), children: new Map([['tracks', tracks]]) }
  const [row] = (await reader.readMany('Collection', { orderBy, take: 1, plan })) as Record<string, unknown>[]
  const [same] = await db.collection.findMany({
    orderBy,
    take: 1,
    select: { id: true, tracks: { take: 2, orderBy, include: { collection: true } } },
  })
  const expectedTracks = same?.tracks.map(({ collection, ...track }) => ({
    ...track,
    ...Object.fromEntries(aliases.map(([name]) => [name, collection])),
  }))
  expect(row?.tracks).toEqual(expectedTracks)
})

test('a search is planned for its term: it is not prepared', async () => {
  const pool = new Pool({ ...service.services.pool.options, max: 1 })
  try {
    const ownReader = createReader(pool)
    const where = { fileName: { contains: 'TRACK-3', mode: 'insensitive' as const } }
    expect(await ownReader.count('Track', where)).toBe(await db.track.count({ where }))
    expect(await ownReader.readMany('Track', { where, orderBy, take: 2 })).toHaveLength(2)
    expect((await pool.query('SELECT name FROM pg_prepared_statements')).rows).toEqual([])
  } finally {
    await pool.end()
  }
})

describe('prepared statements', () => {
  const numbered = (n: number) => ({ text: `SELECT ${n}::int`, values: [] })
  const state = async (pool: Pool) => {
    const { rows } = await pool.query(`SELECT pg_backend_pid() AS pid,
      array(SELECT name || ' ' || statement FROM pg_prepared_statements) AS prepared`)
    return rows[0] as { pid: number; prepared: string[] }
  }

  test('go to the texts in use, after a client has sent hundreds of others', async () => {
    const pool = new Pool({ ...service.services.pool.options, max: 1 })
    try {
      const ownReader = createReader(pool)
      for (let n = 0; n < 600; n++) expect(await ownReader.query(numbered(n))).toEqual([[n]])
      for (let again = 0; again < 3; again++) {
        expect(await ownReader.query(numbered(-1))).toEqual([[-1]])
        // The first texts have lost their names, and get others.
        for (const n of [0, 1, 2]) expect(await ownReader.query(numbered(n))).toEqual([[n]])
      }
      const { prepared } = await state(pool)
      expect(prepared.filter((entry) => entry.endsWith(' SELECT -1::int'))).toHaveLength(1)
      expect(prepared.filter((entry) => entry.endsWith(' SELECT 0::int'))).toHaveLength(2)
      expect(new Set(prepared.map((entry) => entry.split(' ')[0])).size).toBe(prepared.length)
    } finally {
      await pool.end()
    }
  })

  test('are at most 1,000 on a connection, which is replaced then', async () => {
    const pool = new Pool({ ...service.services.pool.options, max: 1 })
    try {
      const ownReader = createReader(pool)
      for (let n = 0; n < 999; n++) await ownReader.query(numbered(n))
      const { pid, prepared } = await state(pool)
      expect(prepared).toHaveLength(999)
      expect(await ownReader.query(numbered(999))).toEqual([[999]])
      const after = await state(pool)
      expect([after.pid === pid, after.prepared]).toEqual([false, []])
      expect(await ownReader.query(numbered(999))).toEqual([[999]])
    } finally {
      await pool.end()
    }
  })
})

/** Prisma is the yardstick: the same arguments, the same rows. */
describe('returns the same as Prisma', () => {
  const queries: [name: string, args: Prisma.TrackFindManyArgs][] = [
    ['everything', { orderBy }],
    ['a part of it', { orderBy, take: 5, skip: 3 }],
    ['the last ones', { orderBy, take: -4 }],
    ['equality, undefined and null', { orderBy, where: { order: 2, creatorId: undefined, deletedAt: null } }],
    ['ranges', { orderBy, where: { order: { gte: 2, lt: 5 }, durationSeconds: { gt: 101.5, lte: 104 } } }],
    ['lists', { orderBy, where: { status: { in: ['error', 'init_error'] }, order: { notIn: [1, 2] } } }],
    ['nothing in a list', { orderBy, where: { status: { in: [] } } }],
    ['OR and AND', { orderBy, where: { OR: [{ order: 1 }, { AND: [{ order: 2 }, { status: 'ready' }] }] } }],
    ['an empty OR', { orderBy, where: { OR: [] } }],
    ['NOT', { orderBy, where: { NOT: { order: { in: [1, 2, 3] } } } }],
    ['text in any case', { orderBy, where: { fileNameOriginal: { contains: 'TRACK 3', mode: 'insensitive' } } }],
    ['text in its case', { orderBy, where: { fileName: { startsWith: 'track-4' } } }],
    ['a single relation', { orderBy, where: { collection: { title: 'Collection 3', deletedAt: null } } }],
    ['a list that has some', { orderBy, where: { files: { some: { variant: { index: 'hq' } } } }, take: 3 }],
    ['a list that has none', { orderBy, where: { files: { none: { state: 'done' } } } }],
    ['a selection', { orderBy, take: 3, select: { id: true, sourceBytes: true, createdAt: true, metadata: true } }],
    ['relations of both kinds', { orderBy, take: 4, include: { collection: true, creator: true, keys: true } }],
    [
      'relations of relations, ordered by one',
      {
        orderBy,
        take: 4,
        select: {
          id: true,
          collection: { select: { title: true, creator: { include: { folder: true } } } },
          files: {
            include: { variant: { select: { index: true } } },
            orderBy: [{ variant: { createdAt: 'asc' } }, { variantId: 'asc' }],
          },
        },
      },
    ],
    [
      'pages of a relation, from both ends',
      { orderBy, take: 2, include: { files: { take: -3, orderBy: { id: 'asc' } }, jobs: { take: 2, orderBy } } },
    ],
    [
      'lists of lists, one of them empty',
      {
        orderBy,
        take: 3,
        select: { collection: { select: { tracks: { take: 3, orderBy, select: { jobs: true, files: true } } } } },
      },
    ],
    [
      'a condition on a joined relation, its negation, and its order',
      {
        orderBy: [{ collection: { title: 'asc' } }, { id: 'asc' }],
        where: {
          collection: { deletedAt: null, NOT: { title: 'Collection 3' } },
          OR: [{ creator: { organizationIndex: 'creator-1' } }, { NOT: { collection: { title: 'Collection 4' } } }],
        },
        include: { collection: true, creator: true },
      },
    ],
    [
      'a single relation that must match',
      { orderBy, include: { creator: { where: { organizationIndex: 'creator-1' } } } },
    ],
  ]
  test.each(queries)('%s', async (_, args) => {
    // Keys of relations may be present in addition.
    expect(await reader.readMany('Track', args as never)).toMatchObject((await db.track.findMany(args)) as never)
    // As a list, and as one that is not inlined into its parents' statement.
    for (const take of [12, 300]) {
      const tracks = { ...args, skip: undefined, take: (args.take ?? 0) < 0 ? -take : take }
      const above = { orderBy: { id: 'asc' }, include: { tracks } } as const
      const read = await reader.readMany('Collection', above as never)
      expect(read).toMatchObject((await db.collection.findMany(above)) as never)
    }
  })

  test('a comparison with null in a joined relation', async () => {
    const where = { NOT: { collection: { creatorId: { not: crypto.randomUUID() } } } }
    const read = await reader.readMany('Track', { where, orderBy })
    // Those of the collection without a creator.
    expect(read).toHaveLength(7)
    expect(await reader.readMany('Track', { where, orderBy, include: { collection: true } })).toMatchObject(read)
  })

  test('lists of texts, and counts', async () => {
    const read = await reader.readMany('Organization', {})
    expect(read).toEqual(await db.organization.findMany())
    expect(await reader.count('Track', { status: 'error' })).toBe(await db.track.count({ where: { status: 'error' } }))
  })
})

test.each([{ nothing: 1 }, { fileName: { endsWith: 'wav' } }, { files: { every: { state: 'done' } } }])(
  'rejects an unknown operator or field: %j',
  async (where) => {
    await expect(reader.readMany('Track', { where: where as never })).rejects.toThrow()
  },
)

test('a signal that fires cancels the statement in the database', async () => {
  // A separate pool without a statement timeout.
  const url = service.services.pool.options.connectionString ?? ''
  const { pool, close } = openPool(url, createLog('silent', 'json'), { max: 4 })
  const holder = await pool.connect()
  await holder.query('BEGIN')
  await holder.query('LOCK TABLE folder IN ACCESS EXCLUSIVE MODE')
  const stopped = new AbortController()
  const ownReader = createReader(pool)
  const read = ownReader.readMany('Folder', {}, stopped.signal)
  const [pid] = await untilBlocked(pool)
  stopped.abort(new Error('too late'))
  await expect(read).rejects.toThrow('too late')
  const waits = () => pool.query(`SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'`, [pid])
  await until('the statement to end', 20_000, async () => (await waits()).rowCount === 0)
  await holder.query('ROLLBACK')
  holder.release()
  expect(await ownReader.count('Folder', {})).toBe(5)
  await close()
})
