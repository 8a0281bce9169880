// Pages continue from a place: PostgreSQL's own order, read as a whole, is the yardstick.
import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Prisma } from '../../../src/platform/db/generated/client/client.ts'
import { type Place, type Plan, readPlace } from '../../../src/platform/db/query/plan.ts'
import type { ReadArgs } from '../../../src/platform/db/query/reader.ts'
import { fillLibrary } from '../../support/library.ts'
import { useTestService } from '../../support/service.ts'
import { watchStatements } from '../../support/statements.ts'

const service = useTestService()
const ROWS = 12
let ids: string[]
beforeAll(async () => {
  const { pool, db } = service.services
  await fillLibrary(pool, service.demo.organization_id, { collections: 3, tracks: ROWS / 3 })
  ids = (await db.track.findMany({ select: { id: true } })).map(({ id }) => id)
  expect(ids).toHaveLength(ROWS)
})

const placed = (): Plan => ({ columns: new Set(['id']), children: new Map(), isPlaced: true })
type Rows = { id: string }[]
const read = async (model: Prisma.ModelName, args: object): Promise<Rows> =>
  (await service.services.reader.readMany(model, { ...args, plan: placed() } as ReadArgs<'Track'>)) as never
const idsOf = (rows: Rows) => rows.map(({ id }) => id)

/** Reads a list in pages of `size`, from its start, or from its end for a negative size. */
async function readPages(model: Prisma.ModelName, args: object, size: number): Promise<string[]> {
  let [all, cursor]: [string[], Place | undefined] = [[], undefined]
  for (;;) {
    const page = await read(model, { ...args, take: size, cursor })
    const next = page.at(size < 0 ? 0 : -1)
    if (!next) return all
    all = size < 0 ? [...idsOf(page), ...all] : [...all, ...idsOf(page)]
    cursor = readPlace(next)
  }
}

/** Fields of an order with few values, so that rows tie: nullable ones, those of a relation that may be missing. */
const fields = {
  organizationIndex: fc.constantFrom(null, '', 'a', 'B', 'b', 'é', "'; --"),
  durationSeconds: fc.constantFrom(null, 0.1, 1 / 3, 1e-7, 1e21),
  deletedAt: fc.constantFrom(null, new Date(0), new Date(1), new Date('9999-12-31T23:59:59.999Z')),
  announcedBytes: fc.constantFrom(null, 1n, 9_007_199_254_740_993n, 9_007_199_254_740_992n),
  order: fc.constantFrom(-1, 0, 7),
  status: fc.constantFrom('ready', 'error', 'processing'),
  creator: fc.constantFrom('keep', null),
} as const
type Field = keyof typeof fields
const order = fc
  .uniqueArray(
    fc.tuple(fc.constantFrom(...(Object.keys(fields) as Field[])), fc.constantFrom('asc' as const, 'desc' as const)),
    { selector: ([field]) => field, maxLength: 3 },
  )
  .chain((parts) => fc.tuple(fc.constant(parts), fc.constantFrom('asc' as const, 'desc' as const)))
  .map(([parts, last]) => [
    ...parts.map(([field, direction]) =>
      field === 'creator' ? { creator: { organizationIndex: direction } } : { [field]: direction },
    ),
    { id: last },
  ])
const row = fc.record({ ...fields, order: fields.order })

test('pages of any size, in both directions, return every row once and in order', async () => {
  const { db } = service.services
  const creators = await db.creator.findMany({ select: { id: true } })
  const size = fc.integer({ min: -5, max: 5 }).filter((value) => value !== 0)
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: ROWS, maxLength: ROWS }),
      order,
      size,
      async (values, orderBy, pageSize) => {
        for (const [at, { creator, status, ...data }] of values.entries()) {
          const creatorId = creator && (creators[at % creators.length]?.id ?? null)
          const code = status === 'error' ? 'x' : null
          const state = { status: status as 'ready', statusCode: code, statusText: code }
          await db.track.update({ where: { id: ids[at] as string }, data: { ...data, ...state, creatorId } })
        }
        const whole = await db.track.findMany({ orderBy: orderBy as never, select: { id: true } })
        expect(await readPages('Track', { orderBy }, pageSize)).toEqual(idsOf(whole))
      },
    ),
    { numRuns: 60 },
  )
}, 120_000)

describe('times that JavaScript cannot represent', () => {
  test('rows of one millisecond are neither skipped nor repeated', async () => {
    const { pool, db } = service.services
    await pool.query('ALTER TABLE folder ALTER COLUMN created_at TYPE timestamptz(6)')
    const folders = await db.folder.findMany({ select: { id: true } })
    for (const [at, { id }] of folders.entries()) {
      await pool.query(
        `UPDATE folder SET created_at = '2026-01-01T00:00:00Z'::timestamptz + $2 * interval '1 us' WHERE id = $1`,
        [id, at],
      )
    }
    for (const direction of ['asc', 'desc'] as const) {
      const orderBy = [{ createdAt: direction }, { id: direction }]
      const expected = direction === 'asc' ? idsOf(folders) : idsOf(folders).toReversed()
      expect(expected.length).toBeGreaterThan(3)
      for (const size of [1, 2, -1, -2]) expect(await readPages('Folder', { orderBy }, size)).toEqual(expected)
    }
  })
})

describe('a place', () => {
  const orderBy = [{ fileName: 'asc' }, { id: 'asc' }]

  test('continues after its row was changed, restored or deleted', async () => {
    const { db } = service.services
    const all = await read('Track', { orderBy })
    const cursor = readPlace(all[5] as object)
    const id = all[5]?.id as string
    const after = () => read('Track', { orderBy, cursor })
    const before = () => read('Track', { orderBy, cursor, take: -5 })
    await db.track.update({ where: { id }, data: { fileName: 'zzz' } })
    const moved = idsOf(await after())
    expect(moved).toEqual([...idsOf(all.slice(6)), id])
    await db.trackFile.deleteMany({ where: { trackId: id } })
    await db.track.delete({ where: { id } })
    expect(idsOf(await after())).toEqual(idsOf(all.slice(6)))
    expect(idsOf(await before())).toEqual(idsOf(all.slice(0, 5)))
  })

  test('is compared with values: no statement reads its row, and none uses OFFSET', async () => {
    const [first] = await read('Track', { orderBy, take: 1 })
    const watched = watchStatements(service.services.pool)
    await read('Track', { orderBy, take: 2, cursor: readPlace(first as object) })
    watched.stop()
    expect(watched.texts).toHaveLength(1)
    expect(watched.texts[0]).not.toMatch(/OFFSET|\(SELECT/)
    expect(watched.texts[0]).toContain('(t."file_name", t."id") > ($1, $2)')
  })

  test('is not read unless it is planned', async () => {
    const [bare] = await service.services.reader.readMany('Track', { orderBy, take: 1, select: { id: true } })
    expect(Object.keys(bare ?? {})).toEqual(['id'])
    expect(() => readPlace(bare ?? {})).toThrow('without its place')
  })

  test('needs an order that ends with a unique field, and a value for each part of it', async () => {
    const loose = { orderBy: { fileName: 'asc' } }
    await expect(read('Track', loose)).rejects.toThrow('ends with a unique field')
    await expect(read('Track', { orderBy: [{ collection: { id: 'asc' } }] })).rejects.toThrow('unique')
    const { reader } = service.services
    await expect(reader.readMany('Track', { ...loose, cursor: ['a'] } as never)).rejects.toThrow('unique')
    await expect(reader.readMany('Track', { orderBy, cursor: ['a'] } as never)).rejects.toThrow('one value')
  })
})
