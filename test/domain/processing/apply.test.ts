import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { endOfDeliveries } from '../../../src/domain/delivery/known-files.ts'
import { PRIORITY_STEP } from '../../../src/domain/processing/queue/tasks.ts'
import type { Services } from '../../../src/platform/context.ts'
import { unique } from '../../spec/support.ts'
import { data, signIn } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { exhaust, failingFromPut, runTask } from '../../support/jobs.ts'
import { eventsOf, measureFile, processed, readTrack } from '../../support/processed.ts'
import { changeEntries, deleteEntries, makeEntriesDue, readEntry } from '../../support/queue.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'
import { variantId, variantsAs } from '../../support/variants.ts'

const service = useTestService()
let owner: string
let sound: Uint8Array<ArrayBuffer>
let variants: ReturnType<typeof variantsAs>
beforeAll(async () => {
  owner = (await signIn(service)).token
  variants = variantsAs(service, owner)
  await service.services.db.variant.updateMany({ where: { index: { not: 'hq' } }, data: { deletedAt: new Date() } })
  sound = await tone(1)
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

describe('files of an applied variant', () => {
  test('are made where missing, and again when stale; the old file plays until then', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const variant = await newVariant()
    const first = await variants.apply(variant.id)
    await service.runJobs()
    expect(await variants.batch(first.id)).toMatchObject({ state: 'DONE', total: 1, done: 1, progressPercent: 100 })
    const fileBefore = (await readTrack(service, id)).files[variant.index]
    expect((await measureFile(service, fileBefore)).channels).toBe(2)

    await variants.update(variant.id, { isStereo: false })
    const { storage } = service.services
    const during: unknown[] = []
    const put: typeof storage.put = async (...args) => {
      await storage.put(...args)
      const { track, files } = await readTrack(service, id)
      during.push(track.track_status_id, (await measureFile(service, files[variant.index])).channels)
    }
    const second = await variants.apply(variant.id)
    await fill(second.id)
    const [waiting] = await job(second.id, 'queued')
    expect((await readTrack(service, id)).track.track_status_id).toBe('ready')
    await applyJob(waiting?.id ?? '', { ...service.services, storage: { ...storage, put } })
    expect(during).toEqual(['processing', 2])
    const { track, files } = await readTrack(service, id)
    expect([track.track_status_id, files[variant.index].path]).toEqual(['ready', fileBefore.path])
    // An edge delivers the old file for a moment longer (decision 0048).
    await endOfDeliveries()
    expect((await measureFile(service, files[variant.index])).channels).toBe(1)
    const third = await variants.apply(variant.id)
    await service.runJobs()
    expect((await variants.batch(third.id)).total).toBe(0)
    expect((await eventsOf(service, id)).filter(({ type }) => type === 'track_file.failed')).toEqual([])
    await variants.remove(variant.id)
  }, 30_000)

  test('stay as they were when a rebuild fails; the job has the reason', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const hq = await variantId(service, 'hq')
    const before = (await readTrack(service, id)).files.hq
    const { db } = service.services
    const { props } = await db.variant.findUniqueOrThrow({ where: { id: hq } })
    await db.variant.update({
      where: { id: hq },
      data: { props: { ...(props as object), codec: 'opus', bitrate: -5 } },
    })
    const batch = await variants.apply(hq)
    await service.runJobs()
    expect(await variants.batch(batch.id)).toMatchObject({ state: 'DONE', failed: 1, done: 0 })
    const [failed] = await job(batch.id)
    expect(failed).toMatchObject({ state: 'failed', error: expect.stringMatching(/^[a-z_]+$/) })
    const { track, files } = await readTrack(service, id)
    expect(track.track_status_id).toBe('ready')
    expect(files.hq).toMatchObject({ path: before.path, is_success: true, size: before.size })
    await measureFile(service, files.hq)
    const { data: view } = await service.graphql(`{ track(id: "${id}") { files { isStale } } }`)
    expect(view.track.files).toEqual([{ isStale: true }])

    await db.variant.update({ where: { id: hq }, data: { props: props as object } })
    const { data: fresh } = await service.graphql(`{ track(id: "${id}") { files { isStale } } }`)
    expect(fresh.track.files).toEqual([{ isStale: false }])
  }, 30_000)

  test('are left to another worker that has the job by now', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const variant = await newVariant()
    await fill((await variants.apply(variant.id)).id)
    const { db, pool } = service.services
    const where = { variantId: variant.id }
    const waiting = await db.job.findFirstOrThrow({ where })
    await changeEntries(pool, { lockedBy: 'pool-b' }, { key: waiting.id })
    const { id: entryId } = await readEntry(pool, { key: waiting.id })
    const begin = (lockedBy: string) => applyJob(waiting.id, service.services, { entry: { id: entryId, lockedBy } })
    expect(await begin('pool-a')).toBe('superseded')
    expect(await db.job.findFirstOrThrow({ where })).toMatchObject({ state: 'queued', attempts: 0, startedAt: null })
    expect((await readTrack(service, id)).track.track_status_id).toBe('ready')
    expect(await begin('pool-b')).toBe('done')
    await variants.remove(variant.id)
  }, 30_000)

  test('wait for a busy track without counting attempts', async () => {
    const id = await uploadTrack(service, sound)
    const variant = await newVariant({ applyToExisting: true })
    const { db } = service.services
    await db.variant.update({ where: { id: variant.id }, data: { deletedAt: new Date() } })
    await runTask(service.services, 'process_track', {
      jobId: (await db.job.findFirstOrThrow({ where: { trackId: id } })).id,
    })
    await db.variant.update({ where: { id: variant.id }, data: { deletedAt: null } })
    await db.track.update({ where: { id }, data: { status: 'processing' } })
    await service.runJobs()
    const where = { variantId: variant.id }
    const waiting = await db.job.findFirstOrThrow({ where })
    expect(waiting).toMatchObject({ state: 'queued', attempts: 0, startedAt: null })
    expect(await readEntry(service.services.pool, { key: waiting.id })).toMatchObject({
      attempts: 0,
      priority: 2 * PRIORITY_STEP,
      isDue: false,
    })

    await db.track.update({ where: { id }, data: { status: 'ready' } })
    await makeEntriesDue(service.services.pool)
    await service.runJobs()
    expect((await db.job.findFirstOrThrow({ where })).state).toBe('done')
    expect(Object.keys((await readTrack(service, id)).files).sort()).toEqual(['hq', variant.index])
    await variants.remove(variant.id)
  }, 30_000)

  test('of a failed run are made by the next; the last attempt gives up and releases the track', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const variant = await newVariant()
    const batch = await variants.apply(variant.id)
    await fill(batch.id)
    const [waiting] = await job(batch.id)
    const failing = failingFromPut(1, service.services)
    await applyJob(waiting?.id ?? '', failing)
    const delayed = await readTrack(service, id)
    expect(delayed.track).toMatchObject({ track_status_id: 'processing', status_code: 'processing_delayed' })
    await exhaust(service.services, waiting?.id ?? '')
    await applyJob(waiting?.id ?? '', failing)
    const { track, files } = await readTrack(service, id)
    expect([track.track_status_id, files[variant.index].is_success]).toEqual(['incomplete', false])
    const [failed] = await job(batch.id)
    expect(failed).toMatchObject({ state: 'failed', error: 'processing_failed' })

    const query = 'mutation ($id: ID!) { retryJob(id: $id) { job { id state track { id } variant { id } } } }'
    const { retryJob } = await data(service, query, { id: failed?.id }, owner)
    expect(retryJob.job).toMatchObject({ state: 'QUEUED', track: { id }, variant: { id: variant.id } })
    expect((await data(service, query, { id: failed?.id }, owner)).retryJob.job.id).toBe(retryJob.job.id)
    await service.runJobs()
    const { track: now, files: then } = await readTrack(service, id)
    expect([now.track_status_id, then[variant.index].is_success]).toEqual(['ready', true])
    await variants.remove(variant.id)
  }, 30_000)
})
