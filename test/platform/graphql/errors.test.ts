import { describe, expect, test } from 'bun:test'
import { pino } from 'pino'
import { createGateway } from '../../../src/roles/gateway/app.ts'
import { type Answer, startTestService, toAnswer, useTestService } from '../../support/service.ts'

const service = useTestService()

const GRAPHQL = 'application/graphql-response+json'
const send = (body: unknown, accept?: string) =>
  service.request('POST', '/graphql', { body, ...(accept && { headers: { accept } }) })
const extensionsOf = ({ json }: Answer) => json.errors[0].extensions

describe('statuses (GraphQL over HTTP)', () => {
  test.each([
    ['carried out', { query: '{ __typename }' }, 200, 200],
    ['no such field', { query: '{ nothing }' }, 200, 400],
    ['broken syntax', { query: '{ viewer ' }, 200, 400],
    ['too large', { query: `{ ${Array(31).fill('__typename').join(' ')} }` }, 200, 400],
    [
      'a variable of the wrong type',
      { query: 'query ($n: Int) { tracks(first: $n) { totalCount } }', variables: { n: 'x' } },
      200,
      400,
    ],
    ['partly carried out', { query: '{ viewer { __typename } playing: __typename }' }, 200, 200],
    ['a mistake in a field', { query: '{ track(id: "x") { id } }' }, 200, 200],
    ['no query', {}, 400, 400],
    ['variables that are none', { query: '{ __typename }', variables: 5 }, 400, 400],
    ['no JSON', '{', 400, 400],
    ['JSON without an end', '['.repeat(100_000), 400, 400],
    ['no object', '"text"', 400, 400],
  ])('%s', async (_, body, asJson, asGraphql) => {
    const [json, graphql, any] = await Promise.all([send(body, 'application/json'), send(body, GRAPHQL), send(body)])
    expect([json.status, graphql.status, any.status]).toEqual([asJson, asGraphql, asJson])
    expect(graphql.headers.get('content-type')).toContain(GRAPHQL)
    expect(json.headers.get('content-type')).toContain('application/json')
    expect(any.headers.get('content-type')).toContain('application/json')
  })

  test('the first accepted media type is used', async () => {
    const { headers } = await send({ query: '{ __typename }' }, `${GRAPHQL}, application/json;q=0.9`)
    expect(headers.get('content-type')).toContain(GRAPHQL)
  })
})

describe('codes', () => {
  test.each([
    ['a broken cursor', '{ tracks(after: "bogus") { totalCount edges { node { id } } } }'],
    ['a page beyond its limit', '{ tracks(first: 201) { edges { node { id } } } }'],
    ['a page from both ends', '{ tracks(last: 2, after: "bogus", first: 2) { edges { node { id } } } }'],
    ['an unknown field', '{ nothing }'],
    ['a broken document', '{ viewer('],
    ['an argument that is missing', 'query ($id: ID!) { track(id: $id) { id } }'],
    ['none of several operations chosen', 'query A { __typename } query B { __typename }'],
  ])('%s is invalid_input', async (_, query) => {
    const answer = await send({ query })
    expect(extensionsOf(answer)).toEqual({
      code: 'invalid_input',
      docUrl: `${service.services.config.publicUrl}/docs/guides/status-codes#invalid_input`,
      requestId: answer.headers.get('x-request-id') ?? '',
    })
    expect(answer.json.errors[0].message).not.toContain('on our side')
  })

  test.each(['{ nothing }', '{ viewer('])(
    'every error has the id of its own request, even with a cached document: %s',
    async (query) => {
      const answers = await Promise.all([send({ query }), send({ query }), send({ query })])
      const ids = answers.map(({ headers }) => headers.get('x-request-id'))
      expect(answers.map((answer) => extensionsOf(answer).requestId)).toEqual(ids)
    },
  )

  test('an unreachable database is `unavailable` with retryAfterSeconds', async () => {
    const broken = await startTestService()
    await broken.services.pool.end()
    const query = 'mutation { signIn(email: "a@example.com", password: "wrong") { token } }'
    const answer = await broken.request('POST', '/graphql', { body: { query }, key: null })
    expect(extensionsOf(answer)).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
    await broken.stop()
  })
})

test('an internal error is shown without its cause, and logged once with cause and request id', async () => {
  const broken = await startTestService()
  await broken.services.pool.query('ALTER TABLE creator RENAME TO secret_name')
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
  const gateway = createGateway({ ...broken.services, log })
  const body = JSON.stringify({ query: '{ a: creators { edges { node { id } } } }' })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${broken.demo.api_key}` }
  const answer = await toAnswer(await gateway(new Request('http://x.test/graphql', { method: 'POST', headers, body })))
  expect(answer.json.errors).toEqual([
    {
      message: 'Something went wrong on our side.',
      locations: expect.anything(),
      path: ['a'],
      extensions: {
        code: 'internal',
        docUrl: expect.stringContaining('#internal'),
        requestId: answer.headers.get('x-request-id') ?? '',
      },
    },
  ])
  expect(lines).toHaveLength(1)
  const line = JSON.parse(lines[0] ?? '')
  expect(line).toMatchObject({ requestId: answer.headers.get('x-request-id') ?? '', path: ['a'] })
  expect(line.err.message).toContain('creator')
  await broken.stop()
})

describe('a message names the argument that the client wrote', () => {
  const unknown = crypto.randomUUID()
  test.each([
    ['the ID of the record', `{ track(id: "${unknown}") { id } }`, 'id: no such record'],
    ['of a mutation', `mutation { deleteCollection(id: "${unknown}") { __typename } }`, 'id: no such record'],
    ['that is no ID', '{ creator(id: "x") { id } }', 'id: must be a UUID'],
    [
      'by its own name',
      `mutation { cancelReplacement(trackId: "${unknown}") { __typename } }`,
      'trackId: no such record',
    ],
    [
      'another record of the input',
      `mutation { createCollection(input: { title: "A", creatorId: "${unknown}" }) { __typename } }`,
      'creatorId: no such record',
    ],
    [
      'one of several',
      'mutation { createShareKey(input: { title: "A", variant: "none" }) { __typename } }',
      'variant: no such record',
    ],
  ])('%s', async (_, query, message) => {
    // A repeated operation is executed in another way.
    for (let count = 0; count < 3; count++) expect((await send({ query })).json.errors[0].message).toBe(message)
  })

  test('and without the guides has no address of them', async () => {
    const silent = await startTestService({ DOCS: 'off' })
    try {
      const answer = await silent.request('POST', '/graphql', { body: { query: '{ track(id: "x") { id } }' } })
      expect(Object.keys(extensionsOf(answer))).toEqual(['code', 'requestId'])
    } finally {
      await silent.stop()
    }
  })
})
