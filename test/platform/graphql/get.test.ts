// Queries by GET (contract, section 1). Requests of foreign pages: cross-site.test.ts.
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type Answer, type Call, useTestService } from '../../support/service.ts'

const service = useTestService()

const get = (params: Record<string, string>, call: Call = {}) =>
  service.request('GET', `/graphql?${new URLSearchParams(params)}`, call)
const inJson = { accept: 'application/json' }

describe('a query by GET', () => {
  const query = 'query One($first: Int!) { collections(first: $first) { nodes { id } } } query Two { version }'
  const variables = JSON.stringify({ first: 1 })

  test('has the answer of the same POST, also when it is repeated', async () => {
    for (const operationName of ['One', 'Two', 'One']) {
      const body = { query, operationName, variables: { first: 1 } }
      const posted = await service.request('POST', '/graphql', { body })
      const answer = await get({ query, operationName, variables })
      expect([answer.status, answer.json]).toEqual([posted.status, posted.json])
      expect(answer.json.errors).toBeUndefined()
    }
  })

  test('is answered by no cache, and counts against the limits of POST', async () => {
    const names = ['cache-control', 'ratelimit-policy', 'access-control-allow-origin', 'x-content-type-options']
    const valuesOf = ({ headers }: Answer) => names.map((name) => headers.get(name))
    const answer = await get({ query: '{ version }' })
    expect(valuesOf(answer)).toEqual(
      valuesOf(await service.request('POST', '/graphql', { body: { query: '{ version }' } })),
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('has the limits of a document and of its price', async () => {
    const aliases = `{ ${Array.from({ length: 31 }, (_, at) => `a${at}: version`).join(' ')} }`
    const { json } = await get({ query: aliases })
    expect(json.errors[0].message).toContain('root field limit of 30')
    const dear =
      '{ tracks(first: 200) { nodes { files { id variant { id } } collection { tracks(first: 200) { nodes { id } } } } } }'
    const [byGet, byPost] = [
      await get({ query: dear }),
      await service.request('POST', '/graphql', { body: { query: dear } }),
    ]
    const refusal = ({ json: { errors } }: typeof byGet) => [errors[0].message, errors[0].extensions.code]
    expect(refusal(byGet)).toEqual(refusal(byPost))
  })

  test('takes the hash of an operation that was registered', async () => {
    const text = 'query Registered { version }'
    const sha256Hash = createHash('sha256').update(text).digest('hex')
    const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash } })
    expect((await get({ extensions })).json.errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND')
    expect((await get({ query: text, extensions })).json.errors).toBeUndefined()
    expect((await get({ extensions })).json.errors).toBeUndefined()
    expect((await get({ documentId: `sha256:${sha256Hash}` })).json.errors).toBeUndefined()
  })

  test.each([
    ['no query', {}],
    ['variables that are no JSON', { query: '{ version }', variables: '{' }],
    ['variables that are a list', { query: '{ version }', variables: '[]' }],
    ['extensions that are a text', { query: '{ version }', extensions: '"a"' }],
  ] as [string, Record<string, string>][])('is refused with %s', async (_, params) => {
    const { status, json } = await get(params, { headers: inJson })
    expect([status, json.errors[0].extensions.code]).toEqual([400, 'invalid_input'])
  })
})

describe('GET is refused before execution', () => {
  const operations = [
    ['a mutation', 'mutation { createCreator(input: { organizationIndex: "by-get" }) { creator { id } } }'],
    ['a subscription', 'subscription { trackChanged { trackId } }'],
  ] as const
  test.each(operations)('for %s', async (_, text) => {
    for (const accept of [
      'application/json',
      'application/graphql-response+json',
      'text/event-stream, application/json',
    ]) {
      // Twice: repeated operations run another way.
      for (const operationName of ['Written', 'Written']) {
        const query = `query Read { version } ${text.replace(' {', ' Written {')}`
        const { status, headers, text: body } = await get({ query, operationName }, { headers: { accept } })
        expect([status, headers.get('allow')]).toEqual([405, 'POST'])
        expect(body).toContain('"code":"method_not_allowed"')
      }
    }
    expect(await service.services.db.creator.count()).toBe(0)
  })
})
