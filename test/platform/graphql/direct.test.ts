import { beforeAll, describe, expect, test } from 'bun:test'
import { createDirect } from '../../../src/platform/graphql/direct.ts'
import { type Answer, startTestService, useTestService } from '../../support/service.ts'

const service = useTestService()
beforeAll(() => {
  service.clock.now = new Date()
})

const RESPONSE = 'application/graphql-response+json'
const unknown = '00000000-0000-7000-8000-000000000000'
const list =
  'query Page($first: Int, $filter: TrackFilter) { tracks(first: $first, filter: $filter) { totalCount nodes { id } } }'
const two = 'query A { viewer { __typename } } query B { __typename }'
const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)

interface Case {
  query: string
  /** Runs the operation until it is compiled. Defaults to `variables`. */
  prime?: object
  variables?: object | null
  operationName?: string
  key?: null
}
const cases: Record<string, Case> = {
  'a result': { query: '{ tracks(first: 2) { nodes { id status createdAt } } }' },
  'an operation of several': { query: two, operationName: 'B' },
  'null for variables': { query: '{ viewer { __typename } }', variables: null },
  'an error of a resolver': { query: `{ a: __typename track(id: "${unknown}") { id } }` },
  'an error without data': { query: 'mutation { updateOrganization(input: { name: "" }) { organization { id } } }' },
  'a viewer that may not': { query: '{ tracks { totalCount } }', key: null },
  'a variable of the wrong type': { query: list, prime: { first: 1 }, variables: { first: 'many' } },
  'variables that are too deep': { query: list, prime: { first: 1 }, variables: { first: 1, other: deep } },
  'a list that is too long': {
    query: `mutation ($v: [String!]) { createPlaySession(input: { collectionId: "${unknown}", variants: $v }) {
      playSession { id } } }`,
    prime: { v: [] },
    variables: { v: Array(201).fill('x') },
  },
  'too many points': {
    query: 'query ($n: Int) { collections(first: $n) { nodes { tracks(first: $n) { nodes { id } } } } }',
    prime: { n: 1 },
    variables: { n: 200 },
  },
}

let texts = 0

async function compare({ query, prime, variables, operationName, key }: Case, accept: string | undefined) {
  const send = (text: string, values: unknown) => {
    const body = { query: text, operationName, variables: values }
    return service.request('POST', '/graphql', { body, key, headers: accept === undefined ? {} : { accept } })
  }
  for (let run = 0; run < 2; run++) await send(query, prime ?? variables)
  // A new text, which Yoga parses.
  texts += 1
  return { yoga: await send(query + ' '.repeat(texts), variables), direct: await send(query, variables) }
}

const ownOf = ({ status, headers, text }: Answer) => ({
  status,
  headers: [...headers].filter(([name]) => name !== 'x-request-id').sort(),
  text: text.replaceAll(headers.get('x-request-id') ?? '', 'ID'),
})

describe.each([undefined, '*/*', 'application/json', `${RESPONSE}, application/json;q=0.9`, 'application/*'])(
  'accept: %s',
  (accept) => {
    test.each(Object.keys(cases))('answers a repeated operation as Yoga does: %s', async (name) => {
      const { yoga, direct } = await compare(cases[name] as Case, accept)
      expect(ownOf(direct)).toEqual(ownOf(yoga))
    })
  },
)

test('limits points over time as Yoga does', async () => {
  const limited = await startTestService({ RATE_LIMITS: 'on' })
  try {
    const query = '{ collections(first: 200) { nodes { tracks(first: 100) { nodes { id } } } } }'
    const send = () => limited.request('POST', '/graphql', { body: { query } })
    const remaining: number[] = []
    for (let run = 0; run < 4; run++) remaining.push((await send()).json.extensions.cost.remaining)
    const { requested } = (await send()).json.extensions.cost
    expect(remaining.map((budget, run) => budget + run * requested)).toEqual(Array(4).fill(remaining[0]))
  } finally {
    await limited.stop()
  }
})

describe('leaves to Yoga', () => {
  const lookups: string[] = []
  const direct = createDirect({
    compiled: { find: (text: string) => void lookups.push(text) as never },
  } as unknown as Parameters<typeof createDirect>[0])
  const isFound = (body: unknown, accept = '*/*') => {
    lookups.length = 0
    direct(typeof body === 'string' ? body : JSON.stringify(body), accept, {} as never)
    return lookups.length > 0
  }
  const query = '{ __typename }'

  test('nothing but an operation by its text is run directly', () => {
    expect(isFound({ query, variables: {}, operationName: null, extensions: { client: 'x' } })).toBe(true)
  })
  test.each([
    ['a batch', [{ query }]],
    ['broken JSON', '{'],
    ['no query', { variables: {} }],
    ['a query that is no text', { query: 5 }],
    ['variables that are a list', { query, variables: [] }],
    ['a name that is no text', { query, operationName: 5 }],
    ['extensions that are no object', { query, extensions: 'x' }],
    ['a persisted operation by hash', { query, extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }],
    ['a persisted operation by id', { query, documentId: 'x' }],
    ['an unknown parameter', { query, id: 1 }],
  ])('%s', (_, body) => {
    expect(isFound(body)).toBe(false)
  })
  test.each(['text/event-stream', 'application/json; charset=latin1', 'image/png'])('accept: %s', (accept) => {
    expect(isFound({ query }, accept)).toBe(false)
  })
})
