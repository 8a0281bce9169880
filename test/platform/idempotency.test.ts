import { expect, test } from 'bun:test'
import type { Context } from '../../src/platform/context.ts'
import { withIdempotency } from '../../src/platform/http/idempotency.ts'
import { useTestService } from '../support/service.ts'
import { until } from '../support/until.ts'

const service = useTestService()

const newContext = (): Context => ({
  ...service.services,
  viewer: null,
  requestId: Bun.randomUUIDv7(),
  address: null,
  userAgent: null,
})

/** Runs an operation for a key of the demo organization. */
const run = (key: string, operation: (ctx: Context) => Promise<string>, payload = 'payload') => {
  const organizationId = service.demo.organization_id
  return withIdempotency(newContext(), { organizationId, ownerId: organizationId, key, payload }, operation)
}

const createCollection = (ctx: Context, title: string) =>
  ctx.db.collection.create({ data: { organizationId: service.demo.organization_id, title } })
const collections = (title: string) => service.services.db.collection.count({ where: { title } })

test('an operation that fails after its last write is rolled back, and runs again', async () => {
  const title = crypto.randomUUID()
  const failing = run(title, async (ctx) => {
    await ctx.db.$transaction((tx) => createCollection({ ...ctx, db: tx }, title))
    throw new Error('the answer cannot be read')
  })
  await expect(failing).rejects.toThrow('the answer cannot be read')
  expect(await collections(title)).toBe(0)
  const second = await run(title, async (ctx) => (await createCollection(ctx, title)).id)
  expect(await run(title, async () => 'never')).toEqual({ ...second, isReplay: true })
  expect(await collections(title)).toBe(1)
})

test('an operation reads its own writes', async () => {
  const title = crypto.randomUUID()
  const { body } = await run(title, async (ctx) => {
    const { id } = await createCollection(ctx, title)
    const [many, first, count] = await Promise.all([
      ctx.reader.readMany('Collection', { where: { id }, select: { title: true } }),
      ctx.reader.readFirst('Collection', { where: { id }, select: { title: true } }),
      ctx.reader.count('Collection', { id }),
    ])
    return JSON.stringify({ many, first, count })
  })
  expect(JSON.parse(body)).toEqual({ many: [{ title }], first: { title }, count: 1 })
})

test('the first of two operations cannot commit once PostgreSQL has ended its transaction', async () => {
  const title = crypto.randomUUID()
  const { pool } = service.services
  const stalled = Promise.withResolvers<number>()
  const resumed = Promise.withResolvers<void>()
  const first = run(title, async (ctx) => {
    await createCollection(ctx, title)
    const [{ pid }] = await ctx.db.$queryRaw<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`
    await ctx.db.$executeRaw`SET LOCAL idle_in_transaction_session_timeout = 1`
    stalled.resolve(pid)
    await resumed.promise
    return 'first'
  })
  const outcome = first.catch((error) => error)
  const pid = await stalled.promise
  const connection = () => pool.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid])
  await until('the end of the connection', 20_000, async () => (await connection()).rowCount === 0)
  const second = await run(title, async (ctx) => (await createCollection(ctx, title)).id)
  resumed.resolve()
  expect(await outcome).toBeInstanceOf(Error)
  expect(await run(title, async () => 'never')).toEqual({ ...second, isReplay: true })
  expect(await collections(title)).toBe(1)
})

test('PostgreSQL ends the transaction of a lost process within 60 s', async () => {
  const { body } = await run(crypto.randomUUID(), async (ctx) => {
    const settings = await ctx.db.$queryRaw<{ name: string; setting: string }[]>`
      SELECT name, setting FROM pg_settings WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout')`
    return JSON.stringify(settings)
  })
  const limits = JSON.parse(body).map(({ setting }: { setting: string }) => Number(setting))
  expect(limits).toHaveLength(2)
  for (const ms of limits) expect(ms).toBeGreaterThan(0)
  expect(limits[0] + limits[1]).toBeLessThan(60_000)
})
