import { expect, test } from 'bun:test'
import { createSchema, createYoga } from 'graphql-yoga'
import { batchPlugin } from '../../../src/platform/graphql/batch.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()

const one = { query: '{ viewer { __typename } }' }
const send = (body: object) => service.request('POST', '/graphql', { body })

test('ten operations are answered in order, independently', async () => {
  const { status, json } = await send([...Array(9).fill(one), { query: '{ nothing }' }])
  expect(status).toBe(200)
  expect(json).toHaveLength(10)
  expect(json[0].data.viewer.__typename).toBe('KeyViewer')
  expect(json[9].errors[0].extensions).toMatchObject({ code: 'invalid_input', requestId: expect.any(String) })
})

test('eleven are rejected as a whole', async () => {
  const create = (index: number) => ({
    query: `mutation { createCreator(input: { organizationIndex: "batch-${index}" }) { creator { id } } }`,
  })
  const { status, json } = await send(Array.from({ length: 11 }, (_, index) => create(index)))
  expect([status, json.errors[0].extensions.code]).toEqual([400, 'invalid_input'])
  expect(json.errors[0].message).toBe('batch: exceeds the limit of 10 operations, asks for 11')
  expect(await service.services.db.creator.count()).toBe(0)
})

test('aliases, fields and directives are counted over the whole batch', async () => {
  const aliases = (count: number) => ({
    query: `{ viewer { ${Array.from({ length: count }, (_, i) => `a${i}: __typename`).join(' ')} } }`,
  })
  const inside = await send([aliases(20), aliases(10)])
  expect(inside.json.map(({ errors }: { errors?: unknown }) => errors)).toEqual([undefined, undefined])
  const { json } = await send([aliases(20), aliases(11), one])
  expect(json[0].errors).toBeUndefined()
  expect(json[1].errors[0].message).toBe('query: exceeds the alias limit of 30, asks for 31')
  // The remaining budget is too small for another operation.
  expect(json[2].errors[0].message).toContain('asks for 31')
})

test('an invalid entry does not affect the others', async () => {
  const { json } = await send([null, 5, [one], {}, one])
  expect(json.map((answer: { errors?: unknown }) => answer.errors === undefined)).toEqual([
    false,
    false,
    false,
    false,
    true,
  ])
})

test('a subscription cannot be part of a batch', async () => {
  async function* ticks() {
    yield { tick: 1 }
  }
  const typeDefs = 'type Query { tick: Int } type Subscription { tick: Int }'
  const resolvers = { Query: { tick: () => 0 }, Subscription: { tick: { subscribe: ticks } } }
  const schema = createSchema({ typeDefs, resolvers })
  const yoga = createYoga({ schema, batching: true, logging: false, maskedErrors: false, plugins: [batchPlugin] })
  const ask = async (body: object) => {
    const headers = { 'content-type': 'application/json' }
    const response = await yoga.fetch('http://x.test/graphql', { method: 'POST', headers, body: JSON.stringify(body) })
    return response.text()
  }
  const operations = [{ query: '{ tick }' }, { query: 'subscription { tick }' }]
  expect(JSON.parse(await ask(operations))).toMatchObject([
    { data: { tick: 0 } },
    { errors: [{ message: 'query: a subscription cannot be part of a batch' }] },
  ])
  expect(await ask({ query: 'subscription { tick }' })).toContain('"tick":1')
})
