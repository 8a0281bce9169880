import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { fillBatchTask } from '../../../src/domain/processing/batch/fill.task.ts'
import { PRIORITY_STEP } from '../../../src/domain/processing/queue/tasks.ts'
import type { Services } from '../../../src/platform/context.ts'
import { createCollection, unique } from '../../spec/support.ts'
import { data, signIn, sql, whileLocked } from '../../support/administrators.ts'
import { runTask } from '../../support/jobs.ts'
import { deleteEntries, readEntries } from '../../support/queue.ts'
import { useTestService } from '../../support/service.ts'
import { BATCH, variantsAs } from '../../support/variants.ts'

const service = useTestService()
let owner: string
let variants: ReturnType<typeof variantsAs>
beforeAll(async () => {
  owner = (await signIn(service)).token
  variants = variantsAs(service, owner)
  await service.services.db.variant.updateMany({ where: { index: { not: 'hq' } }, data: { deletedAt: new Date() } })
}, 60_000)
beforeEach(async () => {
  // Each test has the organization to itself.
  await deleteEntries(service.services.pool)
  await service.services.db.track.updateMany({ data: { deletedAt: new Date() } })
  await service.services.db.variant.updateMany({ where: { index: { not: 'hq' } }, data: { deletedAt: new Date() } })
})

const job = (batchId: string, state?: 'queued') => service.services.db.job.findMany({ where: { batchId, state } })
const fill = (batchId: string) => runTask(service.services, 'fill_batch', { batchId })
const applyJob = (jobId: string, services: Services = service.services, run = {}) =>
  runTask(services, 'apply_variant', { jobId }, run)
const newVariant = async (input: object = {}) =>
  (await variants.create({ variantTypeId: 'TRANSCODE', index: unique('v'), codec: 'mp3', ...input })).variant

/** Tracks that look processed, without a recording: where only the queue is looked at. */
async function seedTracks(count: number, collectionId = service.demo.collection_id): Promise<void> {
  await sql(
    service,
    `INSERT INTO track (id, organization_id, collection_id, index, "order", status, file_name, base_path,
       upload_expires_at, upload_completed_at, source_bytes, source_key, source_sha256, updated_at, created_at)
     SELECT gen_random_uuid(), $1, $2, gen_random_uuid(), n, 'ready', 'a.wav', gen_random_uuid(), now(), now(), 1, gen_random_uuid(),
       repeat('a', 64), now(), now() - n * interval '1 second' FROM generate_series(1, $3::int) AS n`,
    [service.demo.organization_id, collectionId, count],
  )
}
const endAll = (batchId: string) =>
  sql(service, `UPDATE job SET state = 'done', finished_at = now() WHERE batch_id = $1 AND state = 'queued'`, [batchId])

describe('queueing a batch', () => {
  test('queues one job for each of 200 tracks after all uploads, keeps the tracks ready, and adds nothing twice', async () => {
    await seedTracks(200)
    const { id } = await newVariant()
    const batch = await variants.apply(id)
    expect(batch).toMatchObject({ state: 'QUEUED', total: 0, isFilled: false, progressPercent: 0, finishedAt: null })
    await fill(batch.id)
    expect(await variants.batch(batch.id)).toMatchObject({ state: 'QUEUED', total: 200, queued: 200, isFilled: true })
    expect(new Set((await job(batch.id)).map(({ trackId }) => trackId)).size).toBe(200)
    const { rows } = await sql(service, `SELECT DISTINCT status FROM track WHERE deleted_at IS NULL`)
    expect(rows).toEqual([{ status: 'ready' }])
    const queuedIds = new Set((await job(batch.id)).map(({ id: jobId }) => jobId))
    const entries = (await readEntries(service.services.pool)).filter(({ key }) => queuedIds.has(key ?? ''))
    expect(entries.map(({ priority }) => priority)).toEqual(
      Array.from({ length: 200 }, (_, i) => 2 * PRIORITY_STEP + i),
    )

    const again = await variants.apply(id)
    await fill(again.id)
    expect(await variants.batch(again.id)).toMatchObject({ state: 'DONE', total: 0, progressPercent: 100 })
    await fill(batch.id)
    expect((await job(batch.id)).length).toBe(200)
  })

  test('divides the tracks between two batches that are filled at the same time', async () => {
    await seedTracks(300)
    const { id } = await newVariant()
    const batches = [await variants.apply(id), await variants.apply(id), await variants.apply(id)]
    await Promise.all(batches.map((batch) => fill(batch.id)))
    const totals = await Promise.all(batches.map(async (batch) => (await variants.batch(batch.id)).total))
    expect(totals.reduce((sum, total) => sum + total)).toBe(300)
  })

  test('skips a file that is being made, unless the variant changed since its start', async () => {
    await seedTracks(3)
    const { id } = await newVariant()
    const first = await variants.apply(id)
    await fill(first.id)
    await sql(service, `UPDATE job SET state = 'running', started_at = now() WHERE batch_id = $1`, [first.id])
    const again = await variants.apply(id)
    await fill(again.id)
    expect((await variants.batch(again.id)).total).toBe(0)
    await variants.update(id, { bitrate: 64 })
    const changed = await variants.apply(id)
    await fill(changed.id)
    expect((await variants.batch(changed.id)).total).toBe(3)
  })

  test('queues 12,000 tracks in chunks, and continues a run that died between two of them', async () => {
    await seedTracks(12_000)
    const { id } = await newVariant()
    const batch = await variants.apply(id)
    const began = performance.now()
    const stopping = new AbortController()
    const { db } = service.services
    const $transaction = (async (...args: Parameters<typeof db.$transaction>) => {
      const result = await (db.$transaction as (...all: unknown[]) => unknown)(...args)
      stopping.abort(new Error('killed'))
      return result
    }) as typeof db.$transaction
    const dying = new Proxy(db, {
      get: (target, key) => (key === '$transaction' ? $transaction : Reflect.get(target, key)),
    })
    const run = { signal: stopping.signal, attempt: 1 }
    const services = { ...service.services, db: dying }
    await expect(fillBatchTask.run(services, { batchId: batch.id }, run)).rejects.toThrow('killed')
    expect(await variants.batch(batch.id)).toMatchObject({ total: 5000, isFilled: false })
    await fill(batch.id)
    expect(await variants.batch(batch.id)).toMatchObject({ total: 12_000, queued: 12_000, isFilled: true })
    expect(performance.now() - began).toBeLessThan(20_000)
    await variants.cancel(batch.id)
  }, 40_000)

  test('queues only the tracks that match the filter', async () => {
    const { id: collectionId } = await createCollection(service)
    await seedTracks(3)
    await seedTracks(2, collectionId)
    const { id } = await newVariant()
    const batch = await variants.apply(id, { collectionId })
    await fill(batch.id)
    expect((await variants.batch(batch.id)).total).toBe(2)
    const unknown = await variants.tryApply(id, { collectionId: id })
    expect(unknown.json.errors[0]).toMatchObject({
      extensions: { code: 'not_found' },
      message: expect.stringContaining('collectionId'),
    })
  })
})

describe('the end of a batch', () => {
  test('cancels the queued jobs; another batch can take their tracks', async () => {
    await seedTracks(20)
    const { id } = await newVariant()
    const batch = await variants.apply(id)
    await fill(batch.id)
    const [first] = await job(batch.id)
    const cancelled = await variants.cancel(batch.id)
    expect(cancelled).toMatchObject({ state: 'CANCELLED', total: 20, cancelled: 20, progressPercent: 100 })
    expect(cancelled.finishedAt).toBeString()
    await applyJob(first?.id ?? '')
    expect(await variants.cancel(batch.id)).toEqual(cancelled)
    const next = await variants.apply(id)
    await fill(next.id)
    expect((await variants.batch(next.id)).total).toBe(20)
  })

  test('leaves a batch empty that is cancelled before it was filled', async () => {
    await seedTracks(5)
    const batch = await variants.apply((await newVariant()).id)
    expect(await variants.cancel(batch.id)).toMatchObject({ state: 'CANCELLED', total: 0 })
    await fill(batch.id)
    expect(await job(batch.id)).toEqual([])
  })

  test('follows the deletion of its variant', async () => {
    await seedTracks(5)
    const { id } = await newVariant()
    const [waiting, unfilled] = [await variants.apply(id), await variants.apply(id)]
    await fill(waiting.id)
    await variants.remove(id)
    await fill(unfilled.id)
    await runTask(service.services, 'clear_variant', { variantId: id })
    const cancelled = { state: 'CANCELLED', variant: null, queued: 0 }
    const batches = [await variants.batch(waiting.id), await variants.batch(unfilled.id)]
    expect(batches).toMatchObject([cancelled, cancelled])
  })

  test('is recorded once, by the last of the jobs that end at the same time', async () => {
    const ends: unknown[] = []
    for (let round = 0; round < 2; round++) {
      await service.services.db.track.updateMany({ data: { deletedAt: new Date() } })
      await seedTracks(2)
      const batch = await variants.apply((await newVariant()).id)
      await fill(batch.id)
      await service.services.db.track.updateMany({ data: { deletedAt: new Date() } })
      const jobs = await job(batch.id)
      await sql(service, `UPDATE job SET state = 'running' WHERE batch_id = $1`, [batch.id])
      const lock = ['SELECT FROM batch WHERE id = $1 FOR UPDATE', [batch.id]] as [string, unknown[]]
      await whileLocked(service, [lock], () => Promise.all(jobs.map(({ id }) => applyJob(id))), 2)
      const { state, cancelled, finishedAt } = await variants.batch(batch.id)
      ends.push([state, cancelled, typeof finishedAt])
    }
    expect(ends).toEqual(Array(2).fill(['DONE', 2, 'string']))
  })

  test('deletes jobs after 30 days, keeps the counts of the batch, and keeps the jobs of a running batch', async () => {
    await seedTracks(4)
    const [ended, open] = [await variants.apply((await newVariant()).id), await variants.apply((await newVariant()).id)]
    for (const batch of [ended, open]) await fill(batch.id)
    const [running] = await job(open.id)
    await sql(service, `UPDATE job SET state = 'running' WHERE id = $1`, [running?.id])
    for (const batch of [ended, open]) await endAll(batch.id)
    await variants.cancel(ended.id)
    const counts = { total: 4, done: 4, failed: 0, cancelled: 0, progressPercent: 100 }
    const forgetAfter = async (days: number) => {
      service.clock.now = new Date(Date.now() + days * 86_400_000)
      await runTask(service.services, 'forget_jobs')
      service.clock.now = null
      return [(await job(ended.id)).length, (await job(open.id)).length]
    }
    expect(await forgetAfter(29.9)).toEqual([4, 4])
    expect(await forgetAfter(30.1)).toEqual([0, 4])
    expect(await variants.batch(ended.id)).toMatchObject(counts)
  })

  test('counts the jobs of all batches of a list in one statement', async () => {
    await seedTracks(3)
    const batches = [await variants.apply((await newVariant()).id), await variants.apply((await newVariant()).id)]
    for (const { id } of batches) await fill(id)
    const query = `{ batches(first: 2, filter: { isFinished: false }) { totalCount nodes { ${BATCH}
      jobs(first: 1) { totalCount nodes { state track { id } variant { id } } } } } }`
    const { pool } = service.services.graphql
    const counts: unknown[] = []
    const { query: original } = pool
    pool.query = ((...args: unknown[]) => {
      if (JSON.stringify(args[0]).includes('count_batches')) counts.push(args)
      return (original as (...all: unknown[]) => unknown).apply(pool, args)
    }) as typeof pool.query
    const list = async () => {
      const { nodes } = (await data(service, query, {}, owner)).batches
      return { nodes, statements: counts.length }
    }
    const lists = [await list(), await list()]
    pool.query = original
    const nodes = batches.toReversed().map(({ id }) => ({ id, queued: 3, jobs: { totalCount: 3 } }))
    expect(lists).toMatchObject([
      { nodes, statements: 1 },
      { nodes, statements: 2 },
    ])
  })
})
