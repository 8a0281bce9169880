import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Pool, PoolClient } from 'pg'
import { statementTimeoutMs } from '../../../src/cli/services.ts'
import { loadConfig } from '../../../src/config.ts'
import { startDeadline } from '../../../src/platform/graphql/deadline.ts'
import { startTestService, useTestService } from '../../support/service.ts'
import { until, untilBlocked } from '../../support/until.ts'

const service = useTestService({ GRAPHQL_TIMEOUT_SECONDS: '1' })
let other: PoolClient

/** Another transaction, which blocks every statement on these tables. */
beforeEach(async () => {
  other = await service.services.pool.connect()
  await other.query('BEGIN')
  await other.query('LOCK TABLE collection, creator IN ACCESS EXCLUSIVE MODE')
})
afterEach(async () => {
  await other.query('ROLLBACK')
  other.release()
})

/** Asked outside of that transaction: inside, what was once seen stays. */
async function active(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
  )
  return rows.map(({ query }) => query)
}

/** Waits until the statements that run are as expected. */
async function untilActive(
  isExpected: (statements: string[]) => boolean,
  withinMs: number,
  pool = service.services.pool,
): Promise<void> {
  const deadline = performance.now() + withinMs
  let statements = await active(pool)
  while (!isExpected(statements)) {
    if (performance.now() > deadline) throw new Error(`still active: ${statements.join('; ') || 'nothing'}`)
    statements = await active(pool)
  }
}
const isNone = (statements: string[]) => statements.length === 0
const isSome = (statements: string[]) => statements.length > 0

const list = '{ collections { totalCount edges { node { id } } } }'
const create = 'mutation { createCreator(input: { organizationIndex: "late" }) { creator { id } } }'

async function expectLate(query: string): Promise<void> {
  const began = performance.now()
  const request = service.request('POST', '/graphql', { body: { query } })
  await untilActive(isSome, 900)
  const { status, json } = await request
  expect(performance.now() - began).toBeWithin(900, 1900)
  expect(status).toBe(200)
  expect(json.errors[0]).toMatchObject({
    message: 'query: exceeds the time limit of 1 s',
    extensions: { code: 'timeout' },
  })
  expect(json.data).toBeUndefined()
  expect(json.extensions.cost.requested).toBeGreaterThan(0)
}

test('a query that takes too long is answered with `timeout`, and ends in the database', async () => {
  await expectLate(list)
  await untilActive(isNone, 500)
})

test('a mutation that takes too long is answered with `timeout`, and may be carried out', async () => {
  await expectLate(create)
  await other.query('ROLLBACK')
  await until('the creator', 20_000, async () => (await service.services.db.creator.count()) === 1)
  await other.query('BEGIN')
})

test.each([
  ['gateway', '1', 15],
  ['gateway,edge,worker', '2', 15],
  ['edge', '120', 120],
  ['worker', '1', 300],
])(
  'the time limit of GraphQL does not shorten statements: roles %s, %s s',
  (ROLES, GRAPHQL_TIMEOUT_SECONDS, seconds) => {
    const others = { DATABASE_URL: 'postgres://localhost/x', SECRET: 's'.repeat(32) }
    expect(statementTimeoutMs(loadConfig({ ROLES, GRAPHQL_TIMEOUT_SECONDS, ...others }))).toBe(seconds * 1000)
  },
)

test('clients that accept the response media type get status 504', async () => {
  const headers = { accept: 'application/graphql-response+json' }
  expect((await service.request('POST', '/graphql', { body: { query: list }, headers })).status).toBe(504)
})

test('with a batch, each operation is', async () => {
  const { json } = await service.request('POST', '/graphql', { body: [{ query: '{ __typename }' }, { query: list }] })
  expect(json[0].data).toEqual({ __typename: 'Query' })
  expect(json[1].errors[0].extensions.code).toBe('timeout')
  await untilActive(isNone, 500)
})

test('REST: a statement that takes too long is a `timeout` too', async () => {
  const request = service.v1('GET', '/creator')
  // As after the time limit of statements, which is not that of GraphQL.
  const [pid] = await untilBlocked(service.services.pool)
  await service.services.pool.query('SELECT pg_cancel_backend($1)', [pid])
  const { status, json } = await request
  expect([status, json.code]).toEqual([504, 'timeout'])
})

test('the statements of a disconnected client are canceled', async () => {
  const patient = await startTestService({ GRAPHQL_TIMEOUT_SECONDS: '60' })
  const lock = await patient.services.pool.connect()
  await lock.query('BEGIN')
  await lock.query('LOCK TABLE collection IN ACCESS EXCLUSIVE MODE')
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => patient.gateway(request) })
  const client = new AbortController()
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${patient.demo.api_key}` }
  const body = JSON.stringify({ query: list })
  const response = fetch(`${server.url}graphql`, { method: 'POST', headers, body, signal: client.signal })
  await untilActive(isSome, 5000, patient.services.pool)
  client.abort()
  await expect(response).rejects.toThrow()
  await untilActive(isNone, 5000, patient.services.pool)
  await lock.query('ROLLBACK')
  lock.release()
  await server.stop(true)
  await patient.stop()
})

test('the signal of a request fires once it has been answered, so that nothing outlives it', () => {
  const client = new AbortController()
  const deadline = startDeadline(60, client.signal)
  expect(deadline.signal.aborted).toBe(false)
  deadline.end()
  expect(deadline.signal.aborted).toBe(true)
  client.abort()
  expect(deadline.signal.reason.message).toBe('The request has been answered.')
})
