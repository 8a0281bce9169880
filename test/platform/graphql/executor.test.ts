import { beforeAll, expect, test } from 'bun:test'
import { fillLibrary } from '../../support/library.ts'
import { type Json, useTestService } from '../../support/service.ts'

const service = useTestService()
beforeAll(async () => {
  await fillLibrary(service.services.pool, service.demo.organization_id, { collections: 3, tracks: 4 })
  // Addresses contain the second of their signature.
  service.clock.now = new Date()
})

/** The first run walks the document, later ones are compiled. The results must not differ. */
async function answers(query: string, variables: object = {}): Promise<Json[]> {
  const plain: Json[] = []
  for (let run = 0; run < 3; run++) {
    const { data, errors } = await service.graphql(query, variables)
    const plainErrors = errors?.map(({ message, path, locations, extensions }: Json) => {
      return { message, path, locations, code: extensions.code }
    })
    plain.push(JSON.parse(JSON.stringify({ data, errors: plainErrors })))
  }
  return plain
}

const unknown = '00000000-0000-7000-8000-000000000000'
const operations: [name: string, query: string, variables?: object][] = [
  [
    'scalars, enums, times and lists',
    '{ tracks(first: 2) { nodes { id status createdAt metadata theme { hex } files { size url } } } }',
  ],
  [
    'unions and interfaces',
    '{ variants { nodes { props { __typename ... on TranscodeProps { codec bitrate } ... on LevelsProps { numSamples } } } } viewer { __typename } }',
  ],
  [
    'aliases of one field',
    '{ a: collections(first: 1) { nodes { t: title } } b: collections(last: 1) { nodes { t: title x: tracks(first: 1) { nodes { id } } y: tracks(last: 2) { nodes { id } } } } }',
  ],
  [
    'fragments',
    'query { tracks(first: 1) { ...P nodes { ...T ... on Track { order } } } } fragment P on TrackConnection { pageInfo { hasNextPage } totalCount } fragment T on Track { fileName collection { title } }',
  ],
  [
    'variables and their defaults',
    'query ($first: Int = 2, $with: Boolean!) { tracks(first: $first) { nodes { id fileName @include(if: $with) duration @skip(if: $with) } } }',
    { with: true },
  ],
  ['an error beside data', `{ tracks(first: 1) { totalCount } track(id: "${unknown}") { id } }`],
  [
    'an error below a list',
    '{ collections(first: 2) { nodes { title tracks(first: 0) { totalCount nodes { id } } } } }',
  ],
  ['a variable of the wrong type', 'query ($first: Int) { tracks(first: $first) { totalCount } }', { first: 'many' }],
  ['introspection', '{ __schema { queryType { name } } __type(name: "Track") { kind fields { name } } }'],
]
test.each(operations.map((operation) => [operation[0], operation] as const))(
  '%s: the same answer, walked or compiled',
  async (_, [, query, variables]) => {
    const [walked, ...compiled] = await answers(query, variables)
    expect(compiled).toEqual([walked, walked])
  },
)

test('errors are before data, walked or compiled', async () => {
  const query = `{ tracks(first: 1) { totalCount } track(id: "${unknown}") { id } }`
  const keys: string[][] = []
  for (let run = 0; run < 4; run++) {
    keys.push(Object.keys((await service.request('POST', '/graphql', { body: { query } })).json).slice(0, 2))
  }
  expect(keys).toEqual(Array(4).fill(['errors', 'data']))
})

test('a document with several operations runs the named one', async () => {
  const query = 'query A { creators { totalCount } } query B { collections { totalCount } }'
  const fields: string[][] = []
  for (const operationName of ['A', 'B', 'A', 'B', 'A', 'B']) {
    const { json } = await service.request('POST', '/graphql', { body: { query, operationName } })
    fields.push([operationName, ...Object.keys(json.data)])
  }
  const run = [
    ['A', 'creators'],
    ['B', 'collections'],
  ]
  expect(fields).toEqual([...run, ...run, ...run])
})

test('mutations of one operation run in sequence, and those before an error are kept', async () => {
  const query = `mutation ($index: String!) {
    first: createCreator(input: { organizationIndex: $index }) { creator { organizationIndex } }
    second: createCreator(input: { organizationIndex: $index }) { creator { organizationIndex } } }`
  const runs: Json[] = []
  for (const index of ['once', 'twice', 'thrice']) {
    const { data, errors } = await service.graphql(query, { index })
    const list = await service.graphql(`{ creators(filter: { organizationIndex: "${index}" }) { totalCount } }`)
    const [{ path, extensions }] = errors
    runs.push({ index, data, path, code: extensions.code, creatorCount: list.data.creators.totalCount })
  }
  const expected = { data: null, path: ['second'], code: 'organization_index_taken', creatorCount: 1 }
  expect(runs).toEqual(['once', 'twice', 'thrice'].map((index) => ({ index, ...expected })))
})
