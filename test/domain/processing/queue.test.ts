import { beforeAll, expect, test } from 'bun:test'
import { queueVariantAgain } from '../../../src/domain/processing/queue/queue.ts'
import { createTrack } from '../../spec/support.ts'
import { readEntries } from '../../support/queue.ts'
import { useTestService } from '../../support/service.ts'
import { untilBlocked } from '../../support/until.ts'

const service = useTestService()
let trackId: string
let variantId: string
beforeAll(async () => {
  const { organization_id: organizationId } = service.demo
  trackId = (await createTrack(service)).id
  variantId = (await service.services.db.variant.findFirstOrThrow({ where: { organizationId, index: 'hq' } })).id
})

const queueAgain = (tx = service.services.db) => queueVariantAgain(tx, service.demo.organization_id, trackId, variantId)
const start = (id: string) =>
  service.services.pool.query("UPDATE job SET state = 'running', started_at = now() WHERE id = $1", [id])
async function entries(): Promise<number> {
  const jobs = await service.services.db.job.findMany({ where: { trackId } })
  const ids = new Set(jobs.map(({ id }) => id))
  return (await readEntries(service.services.pool)).filter(({ key }) => ids.has(key ?? '')).length
}

test('a file that is queued already is not queued again, and its job does not begin before the answer', async () => {
  const { db, pool } = service.services
  const queued = await queueAgain()
  let begun: Promise<unknown> = Promise.resolve()
  const jobId = await db.$transaction(async (tx) => {
    const id = await queueAgain(tx)
    begun = start(queued)
    await untilBlocked(pool)
    expect(await tx.job.count({ where: { id, state: 'queued' } })).toBe(1)
    return id
  })
  await begun
  expect(jobId).toBe(queued)
  expect(await entries()).toBe(1)
  // The one that runs may have read the variant before its latest change.
  const next = await queueAgain()
  expect(next).not.toBe(queued)
  expect(await entries()).toBe(2)
})
