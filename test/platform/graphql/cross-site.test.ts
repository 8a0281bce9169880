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

  test.each(['*/*', 'application/json', 'text/event-stream'])('GET that accepts %s', async (accept) => {
    for (const text of [mutation, query]) {
      const path = `/graphql?query=${encodeURIComponent(text)}`
      expectRefused(await service.request('GET', path, { headers: { accept } }), 405, 'method_not_allowed')
    }
    expect(await service.services.db.creator.count()).toBe(0)
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

describe('a frontend on another origin', () => {
  test('gets the allowed headers and methods', async () => {
    const requested = 'content-type,apollographql-client-name,apollo-require-preflight,traceparent,x-request-id'
    const headers = {
      ...{ origin: 'https://app.test', 'access-control-request-method': 'POST' },
      'access-control-request-headers': requested,
    }
    const answer = await service.request('OPTIONS', '/graphql', { key: null, headers })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS')
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
