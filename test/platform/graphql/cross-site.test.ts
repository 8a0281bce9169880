import { describe, expect, test } from 'bun:test'
import { expectRefused } from '../../support/refused.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()

const mutation = 'mutation { createCreator(input: { organizationIndex: "forged" }) { creator { id } } }'
const query = '{ viewer { __typename } }'
const inForm = (text: string) => `--x\r\nContent-Disposition: form-data; name="query"\r\n\r\n${text}\r\n--x--`

describe('a request without a preflight is rejected before execution', () => {
  const types = [
    'text/plain',
    'text/plain; charset=utf-8; application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/graphql',
    '',
  ]
  const bodies = [mutation, query].flatMap((text) => [
    JSON.stringify({ query: text }),
    `query=${encodeURIComponent(text)}`,
    inForm(text),
  ])
  test.each(types)('POST as %j', async (type) => {
    for (const body of bodies) {
      const answer = await service.request('POST', '/graphql', { body, headers: { 'content-type': type } })
      expectRefused(answer, 415, 'unsupported_media_type')
    }
    expect(await service.services.db.creator.count()).toBe(0)
  })

  test.each(['*/*', 'application/json', 'text/event-stream'])('a mutation by GET that accepts %s', async (accept) => {
    const path = `/graphql?query=${encodeURIComponent(mutation)}`
    const { status, headers } = await service.request('GET', path, { headers: { accept } })
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
    expect(await service.services.db.creator.count()).toBe(0)
  })

  test.each([null, 'Basic eDp5'])('GET with cookies and the credentials %j', async (authorization) => {
    const headers = { cookie: 'session=of-a-proxy', ...(authorization && { authorization }) }
    const path = `/graphql?query=${encodeURIComponent('{ version }')}`
    const answer = await service.request('GET', path, { key: null, headers })
    expectRefused(answer, 400, 'invalid_input')
    expect(answer.json.errors[0].message).toStartWith('GraphQL-Require-Preflight: ')
  })

  test('a query in the address of the page or of a POST is ignored', async () => {
    const path = `/graphql?query=${encodeURIComponent(mutation)}`
    const page = await service.request('GET', path, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const { json } = await service.request('POST', path, { body: { query } })
    expect(json.data).toEqual({ viewer: { __typename: 'KeyViewer' } })
    expect(await service.services.db.creator.count()).toBe(0)
  })

  test('a mutation is executed for any Accept header', async () => {
    const headers = { accept: 'image/png' }
    const { status, json } = await service.request('POST', '/graphql', { body: { query: mutation }, headers })
    expect([status, json.errors]).toEqual([200, undefined])
    await service.services.db.creator.deleteMany()
  })
})

describe('GET with cookies and a header that needs a preflight is executed', () => {
  test.each([
    ['content-type', 'application/json; charset=utf-8'],
    ['graphql-require-preflight', '1'],
    ['x-graphql-client', 'app'],
    ['apollo-require-preflight', 'true'],
    ['x-apollo-operation-name', 'Viewer'],
  ])('%s', async (name, value) => {
    const path = `/graphql?query=${encodeURIComponent('{ version }')}`
    const headers = { cookie: 'session=of-a-proxy', [name]: value }
    const { status, json } = await service.request('GET', path, { key: null, headers })
    expect([status, Object.keys(json.data)]).toEqual([200, ['version']])
  })

  test('Authorization with a key', async () => {
    const path = `/graphql?query=${encodeURIComponent(query)}`
    const { json } = await service.request('GET', path, { headers: { cookie: 'session=of-a-proxy' } })
    expect(json.data).toEqual({ viewer: { __typename: 'KeyViewer' } })
  })
})

describe('a frontend on another origin', () => {
  test('gets the allowed headers and methods', async () => {
    const requested = 'content-type,apollographql-client-name,apollo-require-preflight,traceparent,x-request-id'
    const headers = {
      origin: 'https://app.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': requested,
    }
    const answer = await service.request('OPTIONS', '/graphql', { key: null, headers })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST, OPTIONS')
    expect(answer.headers.get('access-control-allow-headers')).toBe(requested)
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
  })

  test.each([
    ['data', { query }],
    ['an error', { query: '{ nothing }' }],
    ['a list of operations', [{ query }]],
    ['a malformed body', '{'],
    ['an unknown key', { query }, 'guess'],
  ] as [what: string, body: unknown, key?: string][])(
    'may read the answer to %s, and the id of its request',
    async (_, body, key) => {
      const { headers } = await service.request('POST', '/graphql', { body, key })
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id')
      expect(headers.has('access-control-allow-credentials')).toBe(false)
      expect(headers.get('x-request-id')).toBeTruthy()
    },
  )
})
