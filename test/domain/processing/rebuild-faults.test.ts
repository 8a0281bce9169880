import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Services } from '../../../src/platform/context.ts'
import { tone } from '../../support/audio.ts'
import { exhaust, failingFromPut, runTask } from '../../support/jobs.ts'
import { eventsOf, measureFile, processed, readTrack } from '../../support/processed.ts'
import { deleteEntries } from '../../support/queue.ts'
import { rebuildAs } from '../../support/rebuild.ts'
import { recordingOf, replaceRecording } from '../../support/recording.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'
import { variantId } from '../../support/variants.ts'

const service = useTestService()
const noSound = new Uint8Array(new TextEncoder().encode('no sound at all\n'.repeat(100)))
let sound: Uint8Array<ArrayBuffer>
let rebuild: ReturnType<typeof rebuildAs>['rebuild']
beforeAll(async () => {
  ;({ rebuild } = rebuildAs(service))
  const index = { notIn: ['hq', 'waveform', 'cover'] }
  await service.services.db.variant.updateMany({ where: { index }, data: { deletedAt: new Date() } })
  sound = await tone(1)
}, 60_000)
beforeEach(async () => {
  // Jobs are run by hand here; those that wait must not be run by another test's `runJobs`.
  await deleteEntries(service.services.pool)
})

const runJob = (jobId: string, services: Services = service.services, run = {}) =>
  runTask(services, 'rebuild_track', { jobId }, run)
const jobOf = (id: string) => service.services.db.job.findUniqueOrThrow({ where: { id } })

/** Everything of before is there, and plays. */
async function expectUnharmed(id: string, before: Awaited<ReturnType<typeof readTrack>>) {
  const { track, files } = await readTrack(service, id)
  expect(track.track_status_id).toBe('ready')
  expect(Object.keys(files).sort()).toEqual(Object.keys(before.files).sort())
  for (const [index, { path, size, is_success }] of Object.entries(before.files)) {
    expect(files[index]).toMatchObject({ path, size, is_success })
  }
  await measureFile(service, files.hq)
}

describe('a failed run', () => {
  test('is repeated, with one set of files and events', async () => {
    const before = await processed(service, sound, 'a.wav')
    const { id } = before
    const { jobId } = await rebuild(id)
    await runJob(jobId, failingFromPut(2, service.services))
    expect((await readTrack(service, id)).track.track_status_id).toBe('processing')
    expect((await service.fetchEdge(before.files.hq.url)).status).toBe(200)
    await runJob(jobId, service.services, { attempt: 2 })
    await runJob(jobId, service.services, { attempt: 3 })
    await expectUnharmed(id, before)
    expect(await jobOf(jobId)).toMatchObject({ state: 'done', attempts: 2 })
    const types = (await eventsOf(service, id)).map(({ type }) => type)
    expect(types.filter((type) => type === 'track_file.created')).toHaveLength(4)
    expect(types.filter((type) => type === 'track.status_changed')).toHaveLength(2)
  }, 30_000)

  test('leaves one set of files when another run of the job is active, and no row without bytes', async () => {
    const before = await processed(service, sound, 'a.wav')
    const { jobId } = await rebuild(before.id)
    await Promise.all([runJob(jobId), runJob(jobId, service.services, { attempt: 2 })])
    await expectUnharmed(before.id, before)
    // The recording has no cover.
    expect(await service.services.db.trackFile.count({ where: { trackId: before.id } })).toBe(2)
    expect((await eventsOf(service, before.id)).filter(({ type }) => type === 'track.status_changed')).toHaveLength(2)
  }, 30_000)

  test('leaves no row without bytes when another run has ended the job', async () => {
    const before = await processed(service, sound, 'a.wav')
    const { jobId } = await rebuild(before.id)
    const { storage } = service.services
    const fetch: typeof storage.fetch = async (...args) => {
      await runJob(jobId, service.services, { attempt: 2 })
      return storage.fetch(...args)
    }
    await runJob(jobId, { ...service.services, storage: { ...storage, fetch } })
    await expectUnharmed(before.id, before)
    expect(await service.services.db.trackFile.count({ where: { trackId: before.id } })).toBe(2)
  }, 30_000)

  test('is given up after more than a day, with a reason', async () => {
    const before = await processed(service, sound, 'a.wav')
    const { jobId } = await rebuild(before.id, { variantIds: [await variantId(service, 'hq')] })
    await exhaust(service.services, jobId)
    await runJob(jobId, failingFromPut(1, service.services))
    expect(await jobOf(jobId)).toMatchObject({ state: 'failed', error: 'processing_failed' })
    await expectUnharmed(before.id, before)
  }, 30_000)

  test('ends when the track is deleted', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const { jobId } = await rebuild(id)
    await service.v1('DELETE', `/track/${id}`)
    await runJob(jobId)
    expect(await jobOf(jobId)).toMatchObject({ state: 'cancelled', error: 'track_deleted' })
  }, 30_000)
})

describe('a file that cannot be rebuilt stays as it was', () => {
  test('fails the job and makes the other files when one encoder fails', async () => {
    const before = await processed(service, sound, 'a.wav')
    const { db } = service.services
    const where = { id: await variantId(service, 'hq') }
    const { props } = await db.variant.findUniqueOrThrow({ where })
    await db.variant.update({ where, data: { props: { ...(props as object), codec: 'opus', bitrate: -5 } } })
    const { jobId } = await rebuild(before.id)
    await runJob(jobId)
    expect(await jobOf(jobId)).toMatchObject({ state: 'failed', error: expect.stringMatching(/^[a-z_]+$/) })
    await expectUnharmed(before.id, before)
    await db.variant.update({ where, data: { props: props as object } })
  }, 30_000)

  test('keeps all files when the recording is missing in storage', async () => {
    const before = await processed(service, sound, 'a.wav')
    const { jobId } = await rebuild(before.id)
    await service.objects.remove(await recordingOf(service, before.id))
    await runJob(jobId)
    expect(await jobOf(jobId)).toMatchObject({ state: 'failed', error: 'source_missing' })
    await expectUnharmed(before.id, before)
  }, 30_000)

  test('keeps all files when the recording cannot be read any more', async () => {
    const before = await processed(service, sound, 'a.wav')
    const { jobId } = await rebuild(before.id)
    await replaceRecording(service, before.id, noSound)
    await runJob(jobId)
    expect(await jobOf(jobId)).toMatchObject({ state: 'failed', error: 'not_audio' })
    await expectUnharmed(before.id, before)
  }, 30_000)
})

describe('a recording that could not be read at upload', () => {
  test('is examined again: init_error without sound, ready with sound', async () => {
    const id = await uploadTrack(service, noSound)
    await service.runJobs()
    const { track } = await readTrack(service, id)
    expect(track).toMatchObject({ track_status_id: 'init_error', status_code: 'not_audio' })
    const first = await rebuild(id)
    await runJob(first.jobId)
    const { track: still, files } = await readTrack(service, id)
    expect(still).toMatchObject({ track_status_id: 'init_error', status_code: 'not_audio', info: null })
    expect(files).toEqual({})
    // As if a newer program could make sense of the same bytes.
    await replaceRecording(service, id, sound)
    const second = await rebuild(id)
    await runJob(second.jobId)
    const { track: now, files: rebuiltFiles } = await readTrack(service, id)
    expect(now).toMatchObject({ track_status_id: 'ready', status_code: null, duration: 1, info: { channels: 2 } })
    expect(Object.keys(rebuiltFiles).sort()).toEqual(['hq', 'waveform'])
    await measureFile(service, rebuiltFiles.hq)
  }, 30_000)

  test('cannot be rebuilt when nothing was uploaded', async () => {
    const { json } = await service.v1('POST', '/track', {
      body: { collection_id: service.demo.collection_id, file_name: 'a.wav' },
    })
    const reason = { statusCode: 'upload_expired', statusText: 'Nothing came.' }
    await service.services.db.track.update({ where: { id: json.track_id }, data: { status: 'init_error', ...reason } })
    expect((await service.v1('POST', `/track/${json.track_id}/rebuild`)).json.code).toBe('no_source_file')
  })
})
