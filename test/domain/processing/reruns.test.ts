import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { formatWriter } from '../../../src/domain/processing/run/store.ts'
import { newStorageKey } from '../../../src/domain/track/file/bytes.ts'
import type { Services } from '../../../src/platform/context.ts'
import { mediaError } from '../../../src/platform/media/ffmpeg/reasons.ts'
import { StorageError } from '../../../src/platform/storage/storage.ts'
import { tone } from '../../support/audio.ts'
import { exhaust, failingFromPut, runKilledAtPut, runTask } from '../../support/jobs.ts'
import { eventsOf, measureFile, processed, readTrack } from '../../support/processed.ts'
import { deleteEntries } from '../../support/queue.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const service = useTestService()
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  sound = await tone(2)
}, 60_000)
// Jobs are run by hand here; those that wait must not be run by another test's `runJobs`.
beforeEach(async () => {
  await deleteEntries(service.services.pool)
  await service.services.storage.removeUnfinished(new Date(Date.now() + 60_000))
})

const EXPECTED = ['hq', 'lq', 'original', 'preview', 'waveform']
const jobOf = async (trackId: string) =>
  service.services.db.job.findFirstOrThrow({ where: { trackId }, orderBy: { id: 'desc' } })
const payload = async (trackId: string) => ({ jobId: (await jobOf(trackId)).id })
const typesOf = async (trackId: string) => (await eventsOf(service, trackId)).map(({ type }) => type).sort()
const CREATED_ONCE = [...Array(EXPECTED.length).fill('track_file.created'), 'track.status_changed'].sort()

async function expectWhole(trackId: string) {
  const { track, files } = await readTrack(service, trackId)
  expect(track.track_status_id).toBe('ready')
  expect(Object.keys(files).sort()).toEqual(EXPECTED)
  for (const index of ['hq', 'lq', 'preview']) await measureFile(service, files[index])
  expect(await typesOf(trackId)).toEqual(CREATED_ONCE)
  expect(await service.objects.unfinished()).toEqual([])
}

describe('a job that runs twice leaves one set of files and one event for each', () => {
  test('after a run whose worker was killed', async () => {
    const id = await uploadTrack(service, sound)
    await runKilledAtPut(4, service.services, 'process_track', await payload(id))
    const died = await until('the files that were finished', 20_000, async () => {
      const read = await readTrack(service, id)
      return Object.values(read.files).some((file) => file.is_success) && read
    })
    expect(died.track.track_status_id).toBe('processing')
    const finished = Object.values(died.files).filter((file) => file.is_success)
    expect(finished.length).toBeLessThan(EXPECTED.length)
    expect((await typesOf(id)).filter((type) => type !== 'track_file.created')).toEqual([])
    await runTask(service.services, 'process_track', await payload(id), { attempt: 2 })
    await expectWhole(id)
  }, 30_000)

  test('after a run that had ended', async () => {
    const id = await uploadTrack(service, sound)
    await runTask(service.services, 'process_track', await payload(id))
    const first = await readTrack(service, id)
    await runTask(service.services, 'process_track', await payload(id), { attempt: 2 })
    await runTask(service.services, 'process_track', await payload(id), { attempt: 3 })
    await expectWhole(id)
    expect((await readTrack(service, id)).track).toEqual(first.track)
  }, 30_000)

  test('when both run at the same time', async () => {
    const id = await uploadTrack(service, sound)
    const job = await payload(id)
    await Promise.all([
      runTask(service.services, 'process_track', job),
      runTask(service.services, 'process_track', job, { attempt: 2 }),
    ])
    await expectWhole(id)
    expect((await jobOf(id)).state).toBe('done')
  }, 30_000)

  test('after a run that was aborted', async () => {
    const id = await uploadTrack(service, sound)
    const stopping = new AbortController()
    const { storage } = service.services
    const copy: typeof storage.copy = async (...args) => {
      stopping.abort(new Error('the process stops'))
      stopping.signal.throwIfAborted()
      return storage.copy(...args)
    }
    const services = { ...service.services, storage: { ...storage, copy } }
    await expect(runTask(services, 'process_track', await payload(id), { signal: stopping.signal })).rejects.toThrow()
    await runTask(service.services, 'process_track', await payload(id), { attempt: 2 })
    await expectWhole(id)
  }, 30_000)

  test('without files for a deleted track', async () => {
    const id = await uploadTrack(service, sound)
    await service.v1('DELETE', `/track/${id}`)
    await runTask(service.services, 'process_track', await payload(id))
    expect((await jobOf(id)).state).toBe('done')
    expect(await service.services.db.trackFile.count({ where: { trackId: id } })).toBe(0)
    expect(await typesOf(id)).toEqual([])
  })
})

describe('an attempt whose worker was presumed dead changes nothing once the next has begun', () => {
  /** Starts an attempt that waits before it fetches its recording. `proceed` lets it fetch, or fail. */
  async function begin(jobId: string, signal?: AbortSignal) {
    const arrived = Promise.withResolvers<void>()
    const waiting = Promise.withResolvers<void>()
    const { storage } = service.services
    const fetch: typeof storage.fetch = async (...args) => {
      arrived.resolve()
      await waiting.promise
      return storage.fetch(...args)
    }
    const services = { ...service.services, storage: { ...storage, fetch } }
    const ended = runTask(services, 'process_track', { jobId }, signal && { signal }).catch(() => {})
    await arrived.promise
    const proceed = (fault?: Error) => {
      if (fault) waiting.reject(fault)
      else waiting.resolve()
      return ended
    }
    return { proceed }
  }

  test.each([
    { end: 'with files' },
    { end: 'with a fault of the recording', fault: mediaError('decoder_failed', '') },
    { end: 'with a fault of the service', fault: new StorageError('fetch', null, new Error('no answer')) },
    { end: 'aborted', fault: new Error('the worker cannot reach the database'), isAborted: true },
  ])(
    '$end',
    async ({ fault, isAborted }) => {
      const id = await uploadTrack(service, sound)
      const { id: jobId } = await jobOf(id)
      const losing = new AbortController()
      const late = await begin(jobId, losing.signal)
      const next = await begin(jobId)
      const before = await jobOf(id)
      expect(before).toMatchObject({ state: 'running', attempts: 2, crashes: 1, retryAt: null })
      if (isAborted) losing.abort(fault)
      await late.proceed(fault)
      expect(await jobOf(id)).toEqual(before)
      expect(await typesOf(id)).toEqual([])
      expect((await readTrack(service, id)).track.status_code).toBeNull()
      await next.proceed()
      await expectWhole(id)
      expect(await jobOf(id)).toMatchObject({ state: 'done', attempts: 2 })
    },
    30_000,
  )

  test('it gives its objects other keys, so that it never overwrites those of the next', async () => {
    const id = await uploadTrack(service, sound)
    const job = await jobOf(id)
    const track = await service.services.db.track.findUniqueOrThrow({ where: { id } })
    const keyIn = (crashes: number) =>
      newStorageKey(
        { basePath: track.basePath, trackId: id, variantId: id },
        formatWriter({ ...job, crashes }),
        {},
        'mp3',
      )
    expect(new Set([keyIn(0), keyIn(1), keyIn(2)]).size).toBe(3)
    await runKilledAtPut(3, service.services, 'process_track', { jobId: job.id })
    const { db } = service.services
    await runTask(service.services, 'process_track', { jobId: job.id })
    const unusedKeys = (await db.unusedObject.findMany({ where: { key: { contains: id } } })).map(({ key }) => key)
    const files = await db.trackFile.findMany({ where: { trackId: id, state: 'done' } })
    // The keys of the attempt that was killed, which the purge removes later. Shared ones would be in use.
    expect(unusedKeys.length).toBeGreaterThan(0)
    expect(files.filter(({ storageKey }) => unusedKeys.includes(storageKey ?? ''))).toEqual([])
  }, 30_000)
})

describe('the last attempt gives up with a reason', () => {
  /** Storage that answers nothing at all. */
  function withoutStorage(): Services {
    const size = async () => Promise.reject(new StorageError('size', null, new Error('no answer')))
    return { ...service.services, storage: { ...service.services.storage, size } }
  }

  test('before the recording was examined: error, because the recording is not at fault', async () => {
    const id = await uploadTrack(service, sound)
    await exhaust(service.services, (await jobOf(id)).id)
    await runTask(withoutStorage(), 'process_track', await payload(id))
    const { track } = await readTrack(service, id)
    expect(track).toMatchObject({ track_status_id: 'error', status_code: 'processing_failed' })
    expect(track.status_text).toMatch(/still stored/)
    expect((await jobOf(id)).state).toBe('failed')
    expect(await typesOf(id)).toEqual(['track.status_changed'])
    const rebuilt = await service.v1('POST', `/track/${id}/rebuild`)
    await runTask(service.services, 'rebuild_track', { jobId: rebuilt.json.job_id })
    expect((await readTrack(service, id)).track.track_status_id).toBe('ready')
  }, 30_000)

  test('after runs that failed: error, each file failed with an event', async () => {
    const id = await uploadTrack(service, sound)
    await runTask(failingFromPut(1, service.services), 'process_track', await payload(id))
    await exhaust(service.services, (await jobOf(id)).id)
    await runTask(failingFromPut(1, service.services), 'process_track', await payload(id))
    const { track, files } = await readTrack(service, id)
    expect(track).toMatchObject({ track_status_id: 'error', status_code: 'processing_failed' })
    expect(Object.keys(files).length).toBeGreaterThan(0)
    for (const file of Object.values(files)) {
      expect(file).toMatchObject({ is_success: false, url: null, status_text: expect.any(String) })
    }
    const types = await typesOf(id)
    expect(types.filter((type) => type === 'track.status_changed')).toHaveLength(1)
    expect(types.filter((type) => type === 'track_file.failed')).toHaveLength(Object.keys(files).length)
  }, 30_000)

  test('of one more variant: incomplete, the other files play', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const body = { variant_type_id: 'transcode', index: 'more', codec: 'mp3' }
    await service.v1('POST', `/track/${id}/variant`, { body })
    await exhaust(service.services, (await jobOf(id)).id)
    await runTask(withoutStorage(), 'process_variant', await payload(id))
    const { track, files } = await readTrack(service, id)
    expect(track.track_status_id).toBe('incomplete')
    expect(files.more.is_success).toBe(false)
    expect(files.hq.is_success).toBe(true)
    const again = { variant_type_id: 'transcode', index: 'again', codec: 'mp3' }
    expect((await service.v1('POST', `/track/${id}/variant`, { body: again })).status).toBe(200)
  }, 30_000)
})

describe('a variant whose file cannot be made', () => {
  const audio = { is_stereo: true, is_strip_tags: true, is_strip_cover: true }

  /** A recipe that no rule lets in, and that the encoder refuses. */
  async function withBroken<T>(use: () => Promise<T>): Promise<T> {
    const { db } = service.services
    const organizationId = service.demo.organization_id
    const { id } = await db.variant.create({
      data: { organizationId, type: 'transcode', index: 'broken', props: { ...audio, codec: 'opus', bitrate: -5 } },
    })
    try {
      return await use()
    } finally {
      await db.variant.update({ where: { id }, data: { deletedAt: new Date() } })
    }
  }

  test('does not affect other files: incomplete, after fallback_processing', async () => {
    const { id, track, files } = await withBroken(() => processed(service, sound, 'a.wav'))
    expect(track.track_status_id).toBe('incomplete')
    expect(files.broken).toMatchObject({ is_success: false, url: null })
    expect(files.broken.status_text).toMatch(/\w/)
    expect(files.broken.status_text).not.toMatch(/ffmpeg|\/tmp|opus @/)
    for (const index of EXPECTED) expect([index, files[index].is_success]).toEqual([index, true])
    expect(files.waveform.data.levels).toHaveLength(320)
    // The run of the broken one did not spoil the signal.
    expect(files.waveform.data.avg).toBeGreaterThan(0.05)
    expect((await measureFile(service, files.hq)).durationSeconds).toBeCloseTo(2, 1)
    const events = await eventsOf(service, id)
    expect(events.filter(({ type }) => type === 'track_file.failed')).toHaveLength(1)
    expect(events.at(-1)?.data).toMatchObject({ status: 'incomplete', previous_status: 'fallback_processing' })
  }, 30_000)

  test('makes the track an error when no file plays', async () => {
    const { db } = service.services
    const playing = { type: { in: ['transcode' as const, 'preview' as const] }, index: { not: 'broken' } }
    const { track, files } = await withBroken(async () => {
      await db.variant.updateMany({ where: playing, data: { deletedAt: new Date() } })
      try {
        return await processed(service, sound, 'a.wav')
      } finally {
        await db.variant.updateMany({ where: { ...playing, trackId: null }, data: { deletedAt: null } })
      }
    })
    expect(track).toMatchObject({ track_status_id: 'error', status_text: expect.any(String) })
    expect(files.original.is_success).toBe(true)
  }, 30_000)
})
