import { expect, test } from 'bun:test'
import type { PoolClient } from 'pg'
import { createTrack } from '../../support/live.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
const relations = { organization: true, collection: true, creator: true, files: { include: { variant: true } } }

/** The most statements that one connection has had at a time while `work` ran. */
async function mostAtOnce(work: () => Promise<unknown>): Promise<number> {
  let most = 0
  const watched: PoolClient[] = []
  const watch = (client: PoolClient) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
    watched.push(client)
    let running = 0
    client.query = ((...args: unknown[]) => {
      running += 1
      most = Math.max(most, running)
      return query(...args).finally(() => {
        running -= 1
      })
    }) as typeof client.query
  }
  service.services.pool.on('acquire', watch)
  try {
    await work()
  } finally {
    service.services.pool.off('acquire', watch)
    for (const client of watched) Reflect.deleteProperty(client, 'query')
  }
  return most
}

test('a transaction reads the relations of a record one after the other', async () => {
  const id = await createTrack(service)
  const { db } = service.services
  const most = await mostAtOnce(() =>
    db.$transaction(async (tx) => {
      expect(await tx.track.findUnique({ where: { id }, include: relations })).toMatchObject({ id, files: [] })
      await Promise.all([tx.track.count(), tx.variant.count(), tx.collection.count()])
    }),
  )
  expect(most).toBe(1)
})

test('an error of a statement ends the transaction, and only that', async () => {
  const { db } = service.services
  const before = await db.folder.count()
  const failed = db.$transaction(async (tx) => {
    await tx.folder.create({ data: { organizationId: service.demo.organization_id } })
    await tx.$executeRaw`SELECT 1 / 0`
  })
  await expect(failed).rejects.toThrow('division by zero')
  expect(await db.$transaction((tx) => tx.folder.count())).toBe(before)
})
