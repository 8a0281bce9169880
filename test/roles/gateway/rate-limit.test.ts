import { expect, test } from 'bun:test'
import { createKeyString } from '../../../src/domain/access/key/key.ts'
import { listTables } from '../../../src/platform/db/tables.ts'
import { createGateway } from '../../../src/roles/gateway/app.ts'
import { createForeign } from '../../spec/support.ts'
import { post } from '../../support/administrators.ts'
import { expectRefused } from '../../support/refused.ts'
import { type Answer, startTestService, type TestService, toAnswer, useTestService } from '../../support/service.ts'
import { watchStatements } from '../../support/statements.ts'

const service = useTestService({ RATE_LIMITS: 'on' })

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

async function ask(gateway: TestService['gateway'], path: string, address: string, key?: string) {
  const headers = key ? { authorization: `Bearer ${key}` } : undefined
  return toAnswer(await gateway(new Request(`http://localhost:3000/v1${path}`, { headers }), address))
}

test('600 requests per minute and address without a key, over all replicas; the 601st is 429', async () => {
  const replica = createGateway(service.services)
  const path = `/upload_session/${UNKNOWN}`
  for (let requestCount = 0; requestCount < 600; requestCount += 50) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => ask(i % 2 === 0 ? service.gateway : replica, path, '192.0.2.1')),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(404))
  }
  const refused = await ask(service.gateway, path, '192.0.2.1')
  expect([refused.status, refused.json.code]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
  expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=600;w=60')
  expect(refused.headers.get('ratelimit')).toMatch(/^"address";r=0;t=\d+$/)
  expect((await ask(replica, path, '192.0.2.1')).status).toBe(429)
  expect((await ask(service.gateway, path, '192.0.2.2')).status).toBe(404)

  const share = (accept: string, file = '') =>
    service.gateway(new Request(`http://localhost:3000/s/${UNKNOWN}/x${file}`, { headers: { accept } }), '192.0.2.1')
  const page = await share('text/html')
  expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
  expect(Number(page.headers.get('retry-after'))).toBeWithin(1, 61)
  expect(await page.text()).toContain('<h1>Too many requests</h1>')
  for (const file of ['', '/cover.jpg'])
    expect(await (await share('*/*', file)).json()).toMatchObject({ ok: false, code: 'rate_limited' })
})

test('a key has its own limit, reported in every answer', async () => {
  const first = await ask(service.gateway, '/variant', '192.0.2.3', service.demo.api_key)
  const second = await ask(service.gateway, '/variant', '192.0.2.4', service.demo.api_key)
  expect(first.headers.get('ratelimit-policy')).toBe('"key";q=6000;w=60')
  const unknown = await ask(service.gateway, `/track/${UNKNOWN}`, '192.0.2.3', service.demo.api_key)
  expect(unknown.status).toBe(404)
  expect([first, second, unknown].map(({ headers }) => headers.get('ratelimit')?.split(';')[1])).toEqual([
    'r=5999',
    'r=5998',
    'r=5997',
  ])
})

/** Counts for an organization what its other keys have used. */
async function useUp(counter: string, organizationId: string, points: number): Promise<void> {
  await service.services.pool.query(
    `INSERT INTO rate_limit (key, points, expire) VALUES ($1, $2, $3)
     ON CONFLICT (key) DO UPDATE SET points = $2, expire = $3`,
    [`${counter}:${organizationId}`, points, Date.now() + 30_000],
  )
}
/** Repeats a request until it is refused. A process learns the sum of all processes with its first report. */
async function untilRefused(send: () => Promise<Answer>): Promise<Answer> {
  let answer = await send()
  expect(answer.status).toBe(200)
  for (let sent = 0; sent < 100 && answer.status === 200 && !answer.json.errors; sent++) answer = await send()
  return answer
}

test('all keys of an organization together have 60,000 requests per minute; others keep theirs', async () => {
  const { key, organizationId: id } = await createForeign(service)
  await useUp('organization', id, 60_000)
  const gateway = createGateway(service.services)
  const refused = await untilRefused(() => ask(gateway, '/variant', '192.0.2.30', key))
  expect([refused.status, refused.json.code]).toEqual([429, 'rate_limited'])
  expect(refused.headers.get('ratelimit-policy')).toBe('"organization";q=60000;w=60')
  expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 31)
  expect((await ask(gateway, '/variant', '192.0.2.30', service.demo.api_key)).status).toBe(200)
})

test('all keys of an organization together have 6,000,000 points per minute', async () => {
  const { key, organizationId: id } = await createForeign(service)
  await useUp('points_organization', id, 6_000_000)
  const gateway = createGateway(service.services)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const body = JSON.stringify({ query: '{ viewer { __typename } }' })
  const send = async () =>
    toAnswer(await gateway(new Request('http://localhost:3000/graphql', { method: 'POST', headers, body })))
  const refused = await untilRefused(send)
  expect(refused.json.errors[0].extensions.code).toBe('rate_limited')
  expect(refused.json.errors[0].message).toBe('query: asks for 1 points, 0 of 6000000 a minute are left')
  expect(refused.json.extensions.cost).toMatchObject({ requested: 1, remaining: 0 })
})

test('a request with a key writes no counter of its own', async () => {
  const gateway = createGateway(service.services)
  const watched = watchStatements(service.services.pool)
  try {
    for (let requestCount = 0; requestCount < 10; requestCount++) {
      await Promise.all(Array.from({ length: 12 }, () => ask(gateway, '/variant', '192.0.2.3', service.demo.api_key)))
    }
    const counters = watched.texts.filter((text) => text.includes('rate_limit'))
    expect(counters.length).toBeWithin(1, 62)
  } finally {
    watched.stop()
  }
})

test('guesses at keys count against the address', async () => {
  const guess = (address: string) => ask(service.gateway, '/variant', address, 'guess')
  for (let requestCount = 0; requestCount < 600; requestCount += 50)
    await Promise.all(Array.from({ length: 50 }, () => guess('192.0.2.5')))
  expect((await guess('192.0.2.5')).status).toBe(429)
  const inGraphql = await post(service, '{ viewer { __typename } }', {}, { key: 'guess', address: '192.0.2.5' })
  expectRefused(inGraphql, 429, 'rate_limited')
  expect(inGraphql.json.errors[0].extensions.retryAfterSeconds).toBeWithin(1, 61)
  expect((await guess('192.0.2.6')).status).toBe(401)
})

/** Well-formed keys that no one has. */
const guesses = (count: number) => Array.from({ length: count }, () => createKeyString(UNKNOWN, 'api').key)
const isLookUp = (text: string) => text.includes('"api_key"') || text.includes('rate_limit')

test('guesses at once cost the database no more look-ups than the limit, and none after that', async () => {
  const looked: string[] = []
  const { reader } = service.services
  const counting = Object.assign(Object.create(reader), {
    readMany: (model: 'ApiKey', query: { where: { hash: { in: string[] } } }) => {
      looked.push(...query.where.hash.in)
      return reader.readMany(model, query as never)
    },
  })
  const gateway = createGateway({ ...service.services, reader: counting })
  const address = '192.0.2.7'
  // A client that works behind the same address.
  expect((await ask(gateway, '/variant', address, service.demo.api_key)).status).toBe(200)
  const answers = await Promise.all(guesses(1000).map((key) => ask(gateway, '/variant', address, key)))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(600)
  expect(statuses.filter((status) => status === 429)).toHaveLength(400)
  expect(new Set(looked).size).toBe(601)

  const watched = watchStatements(service.services.pool)
  try {
    for (const key of guesses(20)) {
      const refused = await ask(gateway, '/variant', address, key)
      expect([refused.status, refused.headers.get('ratelimit')?.split(';')[1]]).toEqual([429, 'r=0'])
      expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
    }
    expect(watched.texts.filter(isLookUp)).toEqual([])
  } finally {
    watched.stop()
  }
  expect((await ask(gateway, '/variant', address, service.demo.api_key)).status).toBe(200)
  expect((await ask(gateway, '/variant', '192.0.2.8', guesses(1)[0])).status).toBe(401)
})

test('an address that reached its limit without a key gets no look-up of a key', async () => {
  const gateway = createGateway(service.services)
  const path = `/upload_session/${UNKNOWN}`
  for (let requestCount = 0; requestCount < 600; requestCount += 50) {
    await Promise.all(Array.from({ length: 50 }, () => ask(gateway, path, '192.0.2.9')))
  }
  const watched = watchStatements(service.services.pool)
  try {
    expect((await ask(gateway, '/variant', '192.0.2.9', guesses(1)[0])).status).toBe(429)
    expect(watched.texts).toEqual([])
  } finally {
    watched.stop()
  }
})

test('streams have no limit, nor does a service with limits off', async () => {
  const open = () => ask(service.gateway, `/stream/${UNKNOWN}/x`, '192.0.2.1')
  const answers = await Promise.all(Array.from({ length: 700 }, open))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
  const free = await startTestService()
  const answer = await free.v1('GET', '/variant')
  expect(answer.headers.has('ratelimit')).toBe(false)
  await free.stop()
})

test('counters cost no write-ahead log, and are not part of a backup', async () => {
  const { pool } = service.services
  const { rows } = await pool.query("SELECT relpersistence FROM pg_class WHERE oid = 'rate_limit'::regclass")
  expect(rows).toEqual([{ relpersistence: 'u' }])
  const tables = await listTables(pool)
  expect(tables.map(({ name }) => name)).toContain('api_key')
  expect(tables.map(({ name }) => name)).not.toContain('rate_limit')
})
