import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fillLibrary } from '../../support/library.ts'
import { type Json, startTestService, type TestService } from '../../support/service.ts'
import { watchStatements } from '../../support/statements.ts'

/** The same library in two sizes: what an operation costs must not depend on which. */
let small: TestService
let large: TestService

beforeAll(async () => {
  small = await startTestService()
  large = await startTestService()
  await fillLibrary(small.services.pool, small.demo.organization_id, { collections: 1, tracks: 1 })
  await fillLibrary(large.services.pool, large.demo.organization_id, { collections: 50, tracks: 20 })
})
afterAll(() => Promise.all([small.stop(), large.stop()]))

async function run(service: TestService, query: string): Promise<{ statements: number; data: Json }> {
  const filled = query.replaceAll('ORGANIZATION', service.demo.organization_id)
  // The second run is compiled; the first has recorded the key's last use.
  for (let i = 0; i < 2; i++) expect((await service.graphql(filled)).errors).toBeUndefined()
  const watched = watchStatements(service.services.graphql.pool)
  const { data, errors } = await service.graphql(filled)
  watched.stop()
  expect(errors).toBeUndefined()
  return { statements: watched.texts.length, data }
}

const deep = `{ organization(id: "ORGANIZATION") { collections(first: 50) { totalCount edges { node { title creator { organizationIndex }
  tracks(first: 10) { totalCount nodes { fileName url: baseUrl files { state url props { __typename } variant { index } } } } } } } } }`

describe('the number of SQL statements does not depend on the number of rows', () => {
  test('organization -> collections -> tracks -> files -> variant, 50 x 10 x 5', async () => {
    const few = await run(small, deep)
    const many = await run(large, deep)
    const { edges } = many.data.organization.collections
    expect(edges).toHaveLength(50)
    const tracks = edges.flatMap(({ node }: Json) => node.tracks.nodes)
    // The demo's own collection, the newest, is empty.
    expect(tracks).toHaveLength(49 * 10)
    expect(tracks.every(({ files }: Json) => files.length === 5)).toBe(true)
    expect(many.statements).toBe(few.statements)
    // The organization with its collections, their creators and numbers; tracks with their files and variants; and the
    // delivery settings. The key is read by other connections.
    expect(many.statements).toBe(3)
  })

  const queries: [name: string, query: string][] = [
    [
      'one relation under two aliases with different arguments',
      `{ collections(first: 50) { nodes { newest: tracks(first: 1) { nodes { id files { id } } }
         oldest: tracks(first: 2, orderBy: { field: CREATED_AT, direction: ASC }) { nodes { id collection { title } } } } } }`,
    ],
    [
      'fragments that ask for different things of the same records',
      `query { tracks(first: 100) { edges { node { ...A ...B } } nodes { coverImage { icon { url } } levels { avg } } } }
       fragment A on Track { files { id variant { index } } } fragment B on Track { files { size } creator { metadata } }`,
    ],
    [
      'upwards again',
      '{ tracks(first: 100) { nodes { collection { creator { collections(first: 5) { totalCount nodes { tracks(last: 2) { nodes { id } } } } } } } } }',
    ],
    [
      'totals alone',
      '{ collections(first: 50) { nodes { tracks { totalCount } } } creators { nodes { tracks { totalCount } } } }',
    ],
  ]
  test.each(queries)('%s', async (_, query) => {
    const [few, many] = [await run(small, query), await run(large, query)]
    expect(many.statements).toBe(few.statements)
  })
})

test('a total is counted, and rows are read, only if selected', async () => {
  const statements = async (query: string) => (await run(large, query)).statements
  const both = await statements('{ tracks { totalCount nodes { id } } }')
  expect(await statements('{ tracks { nodes { id } } }')).toBe(both - 1)
  expect(await statements('{ tracks { totalCount } }')).toBe(both - 1)
  expect(await statements('{ tracks { totalCount @skip(if: true) nodes { id } } }')).toBe(both - 1)
})

test('only selected columns are read', async () => {
  await run(large, '{ tracks { nodes { id } } }')
  const watched = watchStatements(large.services.graphql.pool)
  await large.graphql('{ tracks { nodes { fileName duration } } }')
  watched.stop()
  const statement = watched.texts.find((text) => text.includes('FROM "track"'))
  expect(statement).toContain('"file_name"')
  expect(statement).not.toContain('"transcription"')
  expect(statement).not.toContain('"metadata"')
})

test('fields that a directive excludes are not read', async () => {
  const watched = watchStatements(large.services.graphql.pool)
  const query = `query ($no: Boolean!) { tracks { nodes { id files @include(if: $no) { id } collection @skip(if: true) { id }
    jobs { totalCount @include(if: $no) nodes { id } } } } }`
  expect((await large.graphql(query, { no: false })).errors).toBeUndefined()
  watched.stop()
  expect(watched.texts.join()).not.toMatch(/track_file|JOIN "collection"|count\(/)
})

test('the database cuts a nested page', async () => {
  const watched = watchStatements(large.services.graphql.pool)
  const { data } = await large.graphql('{ collections(first: 50) { nodes { tracks(first: 10) { nodes { id } } } } }')
  watched.stop()
  expect(data.collections.nodes.filter(({ tracks }: Json) => tracks.nodes.length === 10)).toHaveLength(49)
  expect(watched.texts.find((text) => text.includes('FROM "track"'))).toContain('LIMIT 11')
})
