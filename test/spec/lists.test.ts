// Lists (contract, section 1): limit, offset, order, count; and the filter of section 3.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type Json, useTestService } from '../support/service.ts'
import { createCollection, createCreator, createTrack, ok, refused } from './support.ts'

const service = useTestService()
let collectionId: string
/** More than the default page. */
const MADE = 53
const lists: [name: string, path: () => string][] = [
  ['creators', () => '/creator'],
  ['variants', () => '/variant'],
  ['collections', () => '/collection'],
  ['tracks', () => `/collection/${collectionId}/track`],
]
const idsMade = {} as Record<string, string[]>

beforeAll(async () => {
  const { db } = service.services
  collectionId = service.demo.collection_id
  const organizationId = service.demo.organization_id
  const props = { codec: 'aac', bitrate: 128 }
  // All of one millisecond, so that only the id tells them apart.
  const createdAt = new Date('2020-01-01T00:00:00.000Z')
  await db.variant.createMany({
    data: Array.from({ length: MADE }, (_, at) => ({
      organizationId,
      type: 'transcode' as const,
      index: `v${at}x`,
      props,
      createdAt,
    })),
  })
  for (let number = 0; number < MADE; number++) {
    for (const [name, create] of [
      ['creators', createCreator],
      ['collections', createCollection],
      ['tracks', createTrack],
    ] as const) {
      const { id } = await create(service, { metadata: { number } })
      idsMade[name] = [id, ...(idsMade[name] ?? [])]
    }
  }
}, 60_000)

const read = async (path: string): Promise<Json> => ok(await service.v1('GET', path))
const ids = (list: Json[]): string[] => list.map(({ id }) => id)

const between = { limit: 'must be between 1 and 200', offset: 'must be between 0 and 2147483647' }
const outOfRange = {
  limit: ['0', '201', '-1', '99999999999999999999'],
  offset: ['-1', '2147483648', '99999999999999999999'],
}
const notWhole = ['1.5', '-0.5', 'abc', '']
const broken = (['limit', 'offset'] as const).flatMap((name) => [
  ...outOfRange[name].map((value) => [name, value, between[name]]),
  ...notWhole.map((value) => [name, value, 'must be a whole number']),
])
test.each(broken)('%s=%s names the one rule that it breaks', async (name, value, rule) => {
  for (const path of ['/creator', `/collection/${collectionId}/track`]) {
    const { message } = refused(await service.v1('GET', `${path}?${name}=${value}`), 400, 'invalid_input')
    expect(message).toBe(`${name}: ${rule}`)
  }
})

test('names the broken rules of both', async () => {
  const { message } = refused(await service.v1('GET', '/creator?limit=0&offset=x'), 400, 'invalid_input')
  expect(message).toBe('limit: must be between 1 and 200; offset: must be a whole number')
})

describe.each(lists)('%s', (name, path) => {
  test('`limit` 1-200, default 50', async () => {
    expect((await read(path()))[name]).toHaveLength(50)
    expect((await read(`${path()}?limit=1`))[name]).toHaveLength(1)
    expect((await read(`${path()}?limit=200`))[name].length).toBeGreaterThanOrEqual(MADE)
    expect((await read(`${path()}?limit=51`))[name]).toHaveLength(51)
  })

  test.each(['0', '-1', '201', '1.5', 'ten', '', '1e2', '0x10', ' 5', 'NaN', '99999999999999999999'])(
    '`limit` %j is 400',
    async (limit) => {
      refused(await service.v1('GET', `${path()}?limit=${encodeURIComponent(limit)}`), 400, 'invalid_input', 'limit')
    },
  )

  test('`offset` >= 0, default 0', async () => {
    const all = ids((await read(`${path()}?limit=200`))[name])
    expect(ids((await read(`${path()}?offset=0`))[name])).toEqual(all.slice(0, 50))
    expect(ids((await read(`${path()}?offset=50`))[name])).toEqual(all.slice(50, 100))
    expect(ids((await read(`${path()}?offset=2&limit=3`))[name])).toEqual(all.slice(2, 5))
    expect(await read(`${path()}?offset=100000`)).toMatchObject({ [name]: [], count: all.length })
  })

  test.each(['-1', '1.5', 'ten', '', '1e2', '99999999999999999999'])('`offset` %j is 400', async (offset) => {
    refused(await service.v1('GET', `${path()}?offset=${offset}`), 400, 'invalid_input', 'offset')
  })

  test('`count` = the number of all matching records, not of the page', async () => {
    const { count } = await read(`${path()}?limit=200`)
    expect(count).toBe((await read(`${path()}?limit=200`))[name].length)
    expect((await read(`${path()}?limit=1`)).count).toBe(count)
    expect((await read(`${path()}?limit=1&offset=10`)).count).toBe(count)
  })

  test('newest first, ties broken by id', async () => {
    const list: Json[] = (await read(`${path()}?limit=200`))[name]
    if (idsMade[name]) expect(ids(list).slice(0, MADE)).toEqual(idsMade[name] ?? [])
    const tied = name === 'variants' ? ids(list.filter(({ index }) => /^v\d+x$/.test(index))) : []
    expect(tied).toEqual([...tied].sort().reverse())
  })

  test('pages neither repeat nor leave out a record', async () => {
    const { count } = await read(path())
    const seen: string[] = []
    for (let offset = 0; offset < count; offset += 20) {
      seen.push(...ids((await read(`${path()}?limit=20&offset=${offset}`))[name]))
    }
    expect(new Set(seen).size).toBe(count)
    expect(seen).toHaveLength(count)
  })

  test('unknown query parameters are ignored', async () => {
    expect((await read(`${path()}?sort=asc&page=2&limit=1`))[name]).toHaveLength(1)
  })
})

describe('contract 3: `organization_index` as a filter: that is how a client resolves its own id', () => {
  const filtered = [
    ['creators', createCreator, () => '/creator', 1],
    ['collections', createCollection, () => '/collection', 2],
    ['tracks', createTrack, () => `/collection/${collectionId}/track`, 2],
  ] as const
  // Last in time, so that the newest of the lists above stay the newest.
  test.each(filtered)('%s', async (name, create, path, times) => {
    const organization_index = `${name}/ü & co`
    const createdIds: string[] = []
    try {
      for (let at = 0; at < times; at++) createdIds.unshift((await create(service, { organization_index })).id)
      const query = `organization_index=${encodeURIComponent(organization_index)}`
      const list = await read(`${path()}?${query}`)
      expect(ids(list[name])).toEqual(createdIds)
      expect(list.count).toBe(times)
      expect((await read(`${path()}?${query}&limit=1`)).count).toBe(times)
      expect(await read(`${path()}?organization_index=unknown`)).toMatchObject({ [name]: [], count: 0 })
    } finally {
      for (const id of createdIds) await service.v1('DELETE', `/${name.slice(0, -1)}/${id}`)
    }
  })
})
