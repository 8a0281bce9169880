import { beforeAll, describe, expect, test } from 'bun:test'
import { fillLibrary } from '../../support/library.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
beforeAll(async () => {
  await fillLibrary(service.services.pool, service.demo.organization_id, { collections: 5, tracks: 12 })
})

async function data(query: string, variables: object = {}): Promise<Json> {
  const answer = await service.graphql(query, variables)
  expect(answer.errors).toBeUndefined()
  return answer.data
}
async function refusal(query: string, variables: object = {}): Promise<[string, string]> {
  const { errors } = await service.graphql(query, variables)
  return [errors[0].extensions.code, errors[0].message]
}
const ids = (page: Json): string[] => page.edges.map(({ node }: Json) => node.id)
const PAGE = 'edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount'
const tracks = async (args: string) => (await data(`{ tracks${args && `(${args})`} { ${PAGE} } }`)).tracks

describe('pages (Relay cursor connections)', () => {
  test('forwards, page by page: every record once, in order', async () => {
    const all = ids(await tracks('first: 200'))
    expect(all).toHaveLength(60)
    const seen: string[] = []
    let page = await tracks('first: 10')
    expect(page.pageInfo.hasPreviousPage).toBe(false)
    for (;;) {
      seen.push(...ids(page))
      expect(page.totalCount).toBe(60)
      if (!page.pageInfo.hasNextPage) break
      page = await tracks(`first: 10, after: "${page.pageInfo.endCursor}"`)
      expect(page.pageInfo.hasPreviousPage).toBe(true)
    }
    expect(seen).toEqual(all)
  })

  test('backwards, page by page: the same records in the same order', async () => {
    const all = ids(await tracks('first: 200'))
    const seen: string[] = []
    let page = await tracks('last: 20')
    expect(page.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
    for (;;) {
      seen.unshift(...ids(page))
      if (!page.pageInfo.hasPreviousPage) break
      page = await tracks(`last: 20, before: "${page.pageInfo.startCursor}"`)
    }
    expect(seen).toEqual(all)
  })

  test('a record that is created or deleted between two pages does not shift others', async () => {
    const { demo } = service
    const all = ids(await tracks('first: 200'))
    const first = await tracks('first: 5')
    const body = { collection_id: demo.collection_id, file_name: 'new.wav' }
    const created = (await service.v1('POST', '/track', { body })).json.track_id
    await service.v1('DELETE', `/track/${all[4]}`)
    const next = await tracks(`first: 5, after: "${first.pageInfo.endCursor}"`)
    expect(ids(next)).toEqual(all.slice(5, 10))
    await service.v1('DELETE', `/track/${created}`)
    await service.services.db.track.update({ where: { id: all[4] }, data: { deletedAt: null } })
  })

  test('the longest titles have cursors that are accepted', async () => {
    const titles = ['\u{1f3b5}', '\u{10ffff}', '"\\'].map((text) => text.repeat(512))
    for (const title of titles) {
      expect((await service.v1('POST', '/collection', { body: { title } })).status).toBe(200)
    }
    const listedTitles: string[] = []
    for (let after: string | null = null; ; ) {
      const query = `query ($after: String) { collections(first: 1, after: $after,
        orderBy: { field: TITLE, direction: ASC }) { edges { cursor node { id title } } } }`
      const [edge]: Json[] = (await data(query, { after })).collections.edges
      if (!edge) break
      if (titles.includes(edge.node.title)) listedTitles.push(edge.node.title)
      after = edge.cursor
    }
    expect(listedTitles.toSorted()).toEqual(titles.toSorted())
  })

  test('a page at the end of the list has no next page; an empty list has no cursors', async () => {
    expect((await tracks('first: 60')).pageInfo.hasNextPage).toBe(false)
    const empty = await tracks('filter: { search: "there is none" }')
    const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null }
    expect(empty).toEqual({ edges: [], pageInfo, totalCount: 0 })
  })

  const outside: [args: string, message: string][] = [
    ['first: 0', 'first: must be between 1 and 200'],
    ['first: 201', 'first: must be between 1 and 200'],
    ['last: 0', 'last: must be between 1 and 200'],
    ['last: 201', 'last: must be between 1 and 200'],
    ['first: 1, last: 1', 'last: and before cannot be used together with first and after'],
    ['first: 1, before: "x"', 'last: and before cannot be used together with first and after'],
    ['after: "x"', 'after: must be a cursor of this list'],
    ['after: ""', 'after: must be a cursor of this list'],
    ['before: "YWZ0ZXI6JyBPUiAx"', 'before: must be a cursor of this list'],
  ]
  test.each(outside)('%s is rejected', async (args, message) => {
    expect(await refusal(`{ tracks(${args}) { totalCount nodes { id } } }`)).toEqual(['invalid_input', message])
    const nested = `{ collections { nodes { tracks(${args}) { totalCount nodes { id } } } } }`
    expect(await refusal(nested)).toEqual(['invalid_input', message])
  })

  test('at most 200 per page, 50 by default', async () => {
    expect(ids(await tracks('first: 200'))).toHaveLength(60)
    expect(ids(await tracks(''))).toHaveLength(50)
  })
})

describe('orders', () => {
  const fields: [field: string, of: string][] = [
    ['CREATED_AT', 'createdAt'],
    ['UPDATED_AT', 'updatedAt'],
    ['FILE_NAME', 'fileName'],
    ['ORDER', 'order'],
  ]
  const orders = ['ASC', 'DESC'].flatMap((direction) => fields.map(([field, of]) => [field, direction, of] as const))
  test.each(orders)('tracks by %s %s, over pages', async (field, direction, of) => {
    const args = `orderBy: { field: ${field}, direction: ${direction} }`
    const list = async (page: string) =>
      (await data(`{ tracks(${args}, ${page}) { nodes { id ${of} } pageInfo { endCursor } } }`)).tracks
    const [whole, first] = [await list('first: 200'), await list('first: 7')]
    const values = whole.nodes.map((node: Json) => node[of])
    const sorted = values.toSorted((a: never, b: never) => (a < b ? -1 : a > b ? 1 : 0))
    expect(values).toEqual(direction === 'ASC' ? sorted : sorted.toReversed())
    const second = await list(`first: 7, after: "${first.pageInfo.endCursor}"`)
    expect([...first.nodes, ...second.nodes]).toEqual(whole.nodes.slice(0, 14))
  })
})

describe('filters', () => {
  let collection: Json
  beforeAll(async () => {
    collection = (await data('{ collections(filter: { search: "collection 3" }) { nodes { id creatorId } } }'))
      .collections.nodes[0]
    const where = { collectionId: collection.id, order: { lte: 2 } }
    await service.services.db.track.updateMany({
      where,
      data: { status: 'incomplete', organizationIndex: '100%_sure' },
    })
  })
  const count = async (filter: string) => (await data(`{ tracks(filter: ${filter}) { totalCount } }`)).tracks.totalCount

  test('collection, creator, state, organization index, and all of them at once', async () => {
    expect(await count(`{ collectionId: "${collection.id}" }`)).toBe(12)
    expect(await count(`{ collectionId: "${collection.id.toUpperCase()}" }`)).toBe(12)
    expect(await count(`{ creatorId: "${collection.creatorId}" }`)).toBe(12)
    expect(await count('{ status: [INCOMPLETE] }')).toBe(2)
    expect(await count('{ status: [INCOMPLETE, READY], organizationIndex: "100%_sure" }')).toBe(2)
    expect(await count('{ status: [ERROR], organizationIndex: "100%_sure" }')).toBe(0)
    expect(await count('{ status: [] }')).toBe(0)
  })

  test('words in names and titles, in any order; pattern characters are literal', async () => {
    const [track] = (await data('{ tracks(first: 1) { nodes { id } } }')).tracks.nodes
    const info = { tags: { title: 'Überall 12', artist: 'Ana Bäcker', album: '東京の夜', isrc: 'DE-X26-26-00417' } }
    await service.services.db.track.update({
      where: { id: track.id },
      data: { info, playerTitle: 'First-Light  Übermut' },
    })
    const terms = [
      'bäcker light',
      'BACKER LIGHT',
      'light ana first',
      'ana li',
      'übermut a',
      'ermut',
      '夜',
      '東京 ana',
      'dex262600417',
    ]
    for (const term of terms) expect([term, await count(`{ search: "${term}" }`)]).toEqual([term, 1])
    // A title that a person has set hides that of the tags. Two letters are no part of a word, and all words must match.
    for (const term of ['überall', 'gh ana', 'ana lightx', '東夜']) {
      expect([term, await count(`{ search: "${term}" }`)]).toEqual([term, 0])
    }
    expect(await count('{ search: "TRACK-11." }')).toBe(5)
    expect(await count('{ search: "%_" }')).toBe(2)
    expect(await count('{ search: "k_1" }')).toBe(0)
    const { collections } = await data('{ collections(filter: { search: "collection 3" }) { nodes { title } } }')
    expect(collections.nodes).toEqual([{ title: 'Collection 3' }])
    const playerSubtitle = 'Marta Vögel'
    await service.services.db.collection.update({ where: { id: collection.id }, data: { playerSubtitle } })
    const byArtist = await data('{ collections(filter: { search: "vogel co" }) { nodes { title } } }')
    expect(byArtist.collections.nodes).toEqual([{ title: 'Collection 3' }])
  })

  test('a range of creation includes its start and excludes its end', async () => {
    const { nodes } = (await data('{ tracks(first: 200) { nodes { createdAt } } }')).tracks
    const at = nodes[20].createdAt
    const [from, until] = [await count(`{ createdFrom: "${at}" }`), await count(`{ createdUntil: "${at}" }`)]
    expect(from + until).toBe(nodes.length)
    expect(from).toBe(nodes.filter(({ createdAt }: Json) => createdAt >= at).length)
  })

  const broken: [filter: string, field: string][] = [
    ['{ collectionId: "x" }', 'filter.collectionId: must be a UUID'],
    ['{ createdFrom: "yesterday" }', 'filter.createdFrom: must be a time as ISO 8601'],
    ['{ search: "" }', 'filter.search: must be at least 1 characters long'],
  ]
  test.each(broken)('%s is rejected by name', async (filter, message) => {
    expect(await refusal(`{ tracks(filter: ${filter}) { totalCount } }`)).toEqual(['invalid_input', message])
  })

  test('a filter works on a nested list too, with its own total', async () => {
    const query = `{ collection(id: "${collection.id}") { tracks(filter: { status: [INCOMPLETE] }, first: 1) { ${PAGE} } } }`
    const page = (await data(query)).collection.tracks
    expect([page.totalCount, page.edges.length, page.pageInfo.hasNextPage]).toEqual([2, 1, true])
  })
})
