import { expect, test } from 'bun:test'
import { EgressError } from '../../src/platform/egress/error.ts'
import { toAppError } from '../../src/platform/errors.ts'
import { useTestService } from '../support/service.ts'
import { untilBlocked } from '../support/until.ts'

const service = useTestService()

test('a deadlock is a conflict to try again, not an internal error', async () => {
  const { db, pool } = service.services
  const lock = (tx: Pick<typeof db, '$executeRaw'>, key: number) =>
    tx.$executeRaw`SELECT pg_advisory_xact_lock(${key}::int)`
  const isFirstReady = Promise.withResolvers<void>()
  const isSecondReady = Promise.withResolvers<void>()
  const first = db.$transaction(async (tx) => {
    await lock(tx, 1)
    isFirstReady.resolve()
    await isSecondReady.promise
    await lock(tx, 2)
  })
  const second = db.$transaction(async (tx) => {
    await lock(tx, 2)
    isSecondReady.resolve()
    await isFirstReady.promise
    await untilBlocked(pool)
    await lock(tx, 1)
  })
  const outcomes = await Promise.allSettled([first, second])
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => toAppError(reason))
  expect(failed.map(({ code, status, retryAfterSeconds }) => [code, status, retryAfterSeconds])).toEqual([
    ['unavailable', 503, 1],
  ])
})

/** As Prisma wraps an error of its driver adapter. */
const byPrisma = (code: string, cause: object) =>
  Object.assign(new Error('Invalid `prisma.creator.create()` invocation'), {
    code,
    meta: { driverAdapterError: { name: 'DriverAdapterError', cause } },
  })
const coded = (code: string) => Object.assign(new Error('a failure'), { code })

test.each<[what: string, error: Error]>([
  ...['57P01', '57P02', '57P03', '57P05', '08000', '08003', '08006', '53300', '53400', '25006'].map(
    (code): [string, Error] => [`PostgreSQL's ${code}`, coded(code)],
  ),
  ...['P1001', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'].map((code): [string, Error] => [
    `Prisma's ${code}`,
    coded(code),
  ]),
  ...['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN'].map((code): [string, Error] => [
    code,
    coded(code),
  ]),
  ['a terminated connection', new Error('Connection terminated unexpectedly')],
  ['a connection terminated on time-out', new Error('Connection terminated due to connection timeout')],
  [
    'a client after its connection was cut',
    new Error('Client has encountered a connection error and is not queryable'),
  ],
  ['a client that was ended', new Error('Client was closed and is not queryable')],
  ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
  ['a pool that was ended', new Error('Cannot use a pool after calling end on the pool')],
  ['a closed connection by Prisma', byPrisma('P2010', { kind: 'ConnectionClosed' })],
  ['a shutdown by Prisma', byPrisma('P2039', { kind: 'postgres', originalCode: '57P01' })],
  ['a reset below another error', new Error('failed', { cause: coded('ECONNRESET') })],
])('%s is unavailable, with Retry-After', (_, error) => {
  const { code, status, retryAfterSeconds } = toAppError(error)
  expect([code, status, retryAfterSeconds]).toEqual(['unavailable', 503, 5])
})

test('a transaction that exceeds its time limit is a timeout, not an unreachable database', async () => {
  const { db } = service.services
  const late = db.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT pg_sleep(0.1)::text`
      await tx.$queryRaw`SELECT 1`
    },
    { timeout: 20 },
  )
  const failed = await late.catch(toAppError)
  expect(failed).toMatchObject({ code: 'timeout', message: 'The service took too long to answer.' })
})

test.each<[what: string, error: Error]>([
  [
    'another host that refuses a connection',
    Object.assign(coded('ECONNREFUSED'), { path: 'https://login.example.com/' }),
  ],
  ['an address chosen by others', new EgressError('unreachable', coded('ECONNREFUSED'))],
  ['a broken constraint', coded('23505')],
  ['an unknown table', coded('42P01')],
  ["Prisma's P2002", coded('P2002')],
  ['a sentence about a connection', new Error('the connection has no title')],
  ['a fault of the code', new TypeError('x is not a function')],
])('%s is internal', (_, error) => expect(toAppError(error).code).toBe('internal'))
