import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createGateway } from '../../../src/roles/gateway/app.ts'
import { type Answer, startTestService, type TestService, toAnswer } from '../../support/service.ts'
import { until } from '../../support/until.ts'

let service: TestService
let free: TestService
beforeAll(async () => {
  service = await startTestService({ RATE_LIMITS: 'on' })
  free = await startTestService()
})
afterAll(() => Promise.all([service.stop(), free.stop()]))

/** 1 and, for each of 200 tracks, 1 and 10 files with a variant and its ID: 4,301 points. */
const WIDE = 'tracks(first: 200) { edges { node { files { variant { id } } } } }'
function aliased(count: number, field: string): string {
  return Array.from({ length: count }, (_, i) => `${field.slice(0, 1)}${i}: ${field}`).join(' ')
}
/** 24,881 points and, for each of `$n` variants, 1.05 more. */
const LARGE = `query ($n: Int) { ${aliased(5, WIDE)} ${aliased(16, 'collections(first: 200) { edges { node { id } } }')}
  variants(first: $n) { edges { node { id } } } }`
const EXACT = { query: LARGE, variables: { n: 112 } }

/** As a client at that address. */
async function ask(gateway: TestService['gateway'], body: object, address: string, key: string | null = null) {
  const headers = new Headers({ 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) })
  const request = new Request('http://localhost:3000/graphql', { method: 'POST', headers, body: JSON.stringify(body) })
  return toAnswer(await gateway(request, address))
}

describe('one request', () => {
  test('25,000 points are executed, 25,001 rejected, with limits on or off', async () => {
    const inside = await free.graphql(LARGE, { n: 112 })
    expect(inside.errors).toBeUndefined()
    expect(inside.extensions.cost).toEqual({ requested: 25_000, limit: 25_000, remaining: null, resetSeconds: null })
    const outside = await free.graphql(LARGE, { n: 113 })
    expect(outside.data).toBeUndefined()
    expect(outside.errors[0]).toMatchObject({
      message: 'query: exceeds the cost limit of 25000 points, asks for 25001',
      extensions: { code: 'invalid_input' },
    })
    expect(outside.extensions.cost.requested).toBe(25_001)
  })

  test('the operations of a batch share the budget; those beyond it are rejected', async () => {
    const one = { query: '{ viewer { __typename } }' }
    const { json } = await free.request('POST', '/graphql', { body: [EXACT, one] })
    expect(json[0].errors).toBeUndefined()
    expect(json[1].errors[0].message).toContain('asks for 25001')
    expect(json[1].extensions.cost.requested).toBe(1)
  })
})

describe('a minute', () => {
  const refusal = (answer: Answer) => {
    const { code, retryAfterSeconds } = answer.json.errors[0].extensions
    expect(retryAfterSeconds).toBeWithin(1, 61)
    expect(answer.headers.get('retry-after')).toBe(String(retryAfterSeconds))
    return code
  }

  test('600,000 points per key, over all replicas', async () => {
    const key = service.demo.api_key
    const budgets: number[] = []
    for (let i = 0; i < 24; i++) {
      const { json } = await ask(service.gateway, EXACT, '192.0.2.1', key)
      budgets.push(json.extensions.cost.remaining)
      expect(json.extensions.cost.resetSeconds).toBeWithin(1, 61)
    }
    expect(budgets).toEqual(Array.from({ length: 24 }, (_, i) => 575_000 - i * 25_000))
    const one = { query: '{ viewer { __typename } }' }
    const refused = await ask(service.gateway, one, '192.0.2.2', key)
    expect(refusal(refused)).toBe('rate_limited')
    expect(refused.json.extensions.cost).toMatchObject({ requested: 1, remaining: 0 })
    // Free operations are still accepted.
    expect((await ask(service.gateway, { query: '{ __typename }' }, '192.0.2.1', key)).json.errors).toBeUndefined()

    // A replica that has not reported its first operation yet does not know the balance.
    const replica = createGateway(service.services)
    expect((await ask(replica, one, '192.0.2.1', key)).json.errors).toBeUndefined()
    const answer = await until('the replica to know the balance', 20_000, async () => {
      const next = await ask(replica, one, '192.0.2.1', key)
      return next.json.errors && next
    })
    expect(refusal(answer)).toBe('rate_limited')
    expect(answer.json.extensions.cost.remaining).toBe(0)
  })

  test('60,000 points per address without a key; concurrent requests cannot exceed it', async () => {
    const from = (address: string) => ask(service.gateway, { query: `{ ${WIDE} }` }, address)
    const answers = await Promise.all(Array.from({ length: 27 }, () => from('192.0.2.3')))
    const codes = answers.map(({ json }) => json.errors[0].extensions.code)
    expect(codes.sort()).toEqual([...Array(14).fill('rate_limited'), ...Array(13).fill('unauthenticated')])
    expect((await from('192.0.2.4')).json.errors[0].extensions.code).toBe('unauthenticated')
  })

  test('60,000 points per /64 of IPv6', async () => {
    const from = (address: string) => ask(service.gateway, { query: `{ ${WIDE} }` }, address)
    const answers = await Promise.all(Array.from({ length: 13 }, (_, i) => from(`2001:db8::${i + 1}`)))
    expect(answers.map(({ json }) => json.errors[0].extensions.code)).toEqual(Array(13).fill('unauthenticated'))
    expect(refusal(await from('2001:db8::ffff'))).toBe('rate_limited')
    expect((await from('2001:db8:0:1::1')).json.errors[0].extensions.code).toBe('unauthenticated')
  })
})
