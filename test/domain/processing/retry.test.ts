import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { crashPauseMs, failurePauseMs } from '../../../src/domain/processing/pauses.ts'
import type { Services } from '../../../src/platform/context.ts'
import { recoverJobs } from '../../../src/platform/jobs/recovery.ts'
import { StorageError } from '../../../src/platform/storage/storage.ts'
import { tone } from '../../support/audio.ts'
import { test as folderTest } from '../../support/folder-only.ts'
import { failingFromPut, runKilledAtPut, runTask } from '../../support/jobs.ts'
import { eventsOf, processed, readTrack } from '../../support/processed.ts'
import { changeEntries, deleteEntries, makeEntriesDue, readEntries, readEntry } from '../../support/queue.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'

const HOUR_MS = 3_600_000
const LOCK_OF_DEAD = { lockedBy: 'pool-dead', lockedFor: 60 }
const service = useTestService()
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  sound = await tone(1)
}, 60_000)
beforeEach(async () => {
  await deleteEntries(service.services.pool)
  await service.services.pool.query(`UPDATE job SET state = 'cancelled' WHERE state IN ('queued', 'running')`)
})

const jobOf = (trackId: string) =>
  service.services.db.job.findFirstOrThrow({ where: { trackId }, orderBy: { id: 'desc' } })
const payload = async (trackId: string) => ({ jobId: (await jobOf(trackId)).id })
const run = async (trackId: string, services = service.services) =>
  runTask(services, 'process_track', await payload(trackId))
/** Seconds until the queue runs the job again, and the attempts that the queue has counted. */
async function queued(trackId: string) {
  return await readEntries(service.services.pool, { key: (await jobOf(trackId)).id, isLocked: false })
}
/** Makes all delayed jobs due and runs them. */
async function runDelayed(): Promise<void> {
  await makeEntriesDue(service.services.pool)
  await service.runJobs()
}
const expectReady = async (trackId: string) =>
  expect((await readTrack(service, trackId)).track).toMatchObject({
    track_status_id: 'ready',
    status_code: null,
    status_text: null,
  })

describe('pauses', () => {
  test('after failures never shrink and are bounded', () => {
    const pauses = Array.from({ length: 20 }, (_, i) => failurePauseMs(i + 1))
    expect(pauses.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000])
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
    expect(pauses.at(-1)).toBe(600_000)
  })

  test('after crashes start with the fifth, never shrink and are bounded', () => {
    expect([1, 2, 3, 4].map(crashPauseMs)).toEqual([0, 0, 0, 0])
    const pauses = Array.from({ length: 30 }, (_, i) => crashPauseMs(i + 5))
    expect(pauses[0]).toBe(15_000)
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
    expect(pauses.at(-1)).toBe(9 * HOUR_MS)
  })
})

describe('work is given up by the time since its first failure', () => {
  const began = new Date('2030-01-01T00:00:00Z')
  const at = (hours: number) => {
    service.clock.now = new Date(began.getTime() + hours * HOUR_MS)
  }
  afterEach(() => {
    service.clock.now = null
  })

  /** Fails an attempt, or counts one whose worker died. @returns the state of the job, and hours until the next attempt */
  async function fail(id: string, how: 'failure' | 'crash') {
    if (how === 'crash') {
      await service.services.db.job.update({
        where: { id: (await jobOf(id)).id },
        data: { state: 'running', retryAt: null },
      })
      await run(id)
    } else await run(id, failingFromPut(1, service.services))
    const { state, retryAt } = await jobOf(id)
    return { state, pause: retryAt && (retryAt.getTime() - (service.clock.now as Date).getTime()) / HOUR_MS }
  }

  test.each(['failure', 'crash'] as const)(
    '25 hours after the first %s, however few there were',
    async (how) => {
      const id = await uploadTrack(service, sound)
      at(0)
      await fail(id, 'failure')
      if (how === 'crash') await service.services.db.job.updateMany({ where: { trackId: id }, data: { crashes: 30 } })
      at(24)
      const { state, pause } = await fail(id, how)
      expect(state).toBe('running')
      expect(pause).toBeCloseTo(how === 'crash' ? 1 : 1 / 6 / 60, how === 'crash' ? 6 : 2)
      at(24.999)
      expect((await fail(id, how)).state).toBe('running')
      expect((await readTrack(service, id)).track.status_code).toBe('processing_delayed')
      at(25)
      expect((await fail(id, how)).state).toBe('failed')
      expect((await readTrack(service, id)).track.status_code).toBe('processing_failed')
    },
    60_000,
  )

  test('and the time of each attempt is added to its job', async () => {
    const id = await uploadTrack(service, sound)
    at(0)
    const { storage } = service.services
    const size = async () => {
      at(0.5)
      throw new StorageError('size', null, new Error('no answer'))
    }
    await run(id, { ...service.services, storage: { ...storage, size } })
    expect((await jobOf(id)).spentSeconds).toBe(1800)
  }, 60_000)

  test('not by their number', async () => {
    const id = await uploadTrack(service, sound)
    at(0)
    await fail(id, 'failure')
    await service.services.db.job.updateMany({ where: { trackId: id }, data: { failures: 10_000, crashes: 10_000 } })
    at(1)
    expect((await fail(id, 'failure')).state).toBe('running')
    expect((await fail(id, 'crash')).state).toBe('running')
  }, 60_000)
})

describe('a host fault delays a track and never ends it', () => {
  test('delays when storage fails before the recording was examined', async () => {
    const id = await uploadTrack(service, sound)
    const size = async () => Promise.reject(new StorageError('size', null, new Error('no answer')))
    await run(id, { ...service.services, storage: { ...service.services.storage, size } })
    const { track } = await readTrack(service, id)
    expect(track).toMatchObject({ track_status_id: 'processing', status_code: 'processing_delayed' })
    expect(track.status_text).toMatch(/storage is unavailable/)
    expect(await eventsOf(service, id)).toEqual([])
    expect(await jobOf(id)).toMatchObject({ state: 'running', attempts: 1, crashes: 0, retryAt: expect.any(Date) })
    const [entry] = await queued(id)
    expect(entry?.attempts).toBe(0)
    expect(entry?.dueIn).toBeCloseTo(5, 0)
    await runDelayed()
    await expectReady(id)
    expect(await jobOf(id)).toMatchObject({ state: 'done', attempts: 2, crashes: 0 })
  }, 30_000)

  test('sets init_error for a file that is not audio after a delay', async () => {
    const id = await uploadTrack(service, new Uint8Array(new TextEncoder().encode('no sound at all\n'.repeat(100))))
    const size = async () => Promise.reject(new StorageError('size', null, new Error('no answer')))
    await run(id, { ...service.services, storage: { ...service.services.storage, size } })
    await runDelayed()
    expect((await readTrack(service, id)).track).toMatchObject({
      track_status_id: 'init_error',
      status_code: 'not_audio',
    })
  }, 30_000)

  folderTest(
    'delays when the storage folder is not mounted',
    async () => {
      const id = await uploadTrack(service, sound)
      const folder = join(service.dataDir, 'storage')
      await rename(folder, `${folder}.away`)
      try {
        await run(id)
      } finally {
        await rename(`${folder}.away`, folder)
      }
      expect((await readTrack(service, id)).track.status_code).toBe('processing_delayed')
      await runDelayed()
      await expectReady(id)
    },
    30_000,
  )

  test('grows the pauses when storing files fails several times', async () => {
    const id = await uploadTrack(service, sound)
    for (const seconds of [5, 10, 20]) {
      await run(id, failingFromPut(2, service.services))
      const [entry] = await queued(id)
      expect(entry?.dueIn).toBeCloseTo(seconds, 0)
    }
    await runDelayed()
    await expectReady(id)
    const types = (await eventsOf(service, id)).map(({ type }) => type)
    expect(types.filter((type) => type === 'track_file.failed')).toEqual([])
    expect(types.filter((type) => type === 'track.status_changed')).toHaveLength(1)
  }, 30_000)

  test('delays when the final transaction fails once', async () => {
    const id = await uploadTrack(service, sound)
    const { pool } = service.services
    await pool.query(`
      CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'failed once'; END $$;
      CREATE TRIGGER fail_once BEFORE UPDATE ON track FOR EACH ROW WHEN (NEW.status = 'ready') EXECUTE FUNCTION fail_once()`)
    try {
      await run(id)
    } finally {
      await pool.query('DROP TRIGGER fail_once ON track; DROP FUNCTION fail_once')
    }
    expect((await readTrack(service, id)).track.status_code).toBe('processing_delayed')
    await runDelayed()
    await expectReady(id)
  }, 30_000)

  test('counts an attempt that is aborted by a stop neither as failure nor as crash', async () => {
    const id = await uploadTrack(service, sound)
    const stopping = new AbortController()
    const size = async () => {
      stopping.abort(new Error('the process stops'))
      throw stopping.signal.reason
    }
    const services = { ...service.services, storage: { ...service.services.storage, size } }
    const jobPayload = await payload(id)
    for (let stops = 1; stops <= 3; stops++) {
      const aborted = runTask(services, 'process_track', jobPayload, { signal: stopping.signal })
      await expect(aborted).rejects.toThrow('the process stops')
    }
    expect((await readTrack(service, id)).track.status_code).toBeNull()
    await run(id, failingFromPut(1, service.services))
    expect((await queued(id))[0]?.dueIn).toBeWithin(0, 6)
    expect(await jobOf(id)).toMatchObject({ state: 'running', attempts: 4, crashes: 0, failures: 1 })
    await runDelayed()
    expect(await jobOf(id)).toMatchObject({ state: 'done', crashes: 0, failures: 1 })
  }, 30_000)
})

describe('a killed worker', () => {
  /** State of the queue after a worker took the job and died: locked, with one attempt more. */
  const lockAsDead = async (trackId: string, attempts: number | 'all') =>
    changeEntries(service.services.pool, { ...LOCK_OF_DEAD, attempts }, { key: (await jobOf(trackId)).id })

  test('delays the track after the fifth crash and does not lose it', async () => {
    await service.services.pool.query(
      "INSERT INTO worker_pool (id, alive_since) VALUES ('pool-own', now() - interval '1 hour')",
    )
    const id = await uploadTrack(service, sound)
    for (let kills = 1; kills <= 5; kills++) {
      await lockAsDead(id, 'all')
      await runKilledAtPut(1, service.services, 'process_track', await payload(id))
      await recoverJobs(service.services, ['pool-own'])
      const [entry] = await queued(id)
      expect(entry?.attempts).toBeLessThan(25)
      expect(entry?.dueIn).toBeLessThan(1)
    }
    // The attempt after the fifth crash waits.
    await run(id)
    expect(await jobOf(id)).toMatchObject({ state: 'running', crashes: 5, retryAt: expect.any(Date) })
    expect((await readTrack(service, id)).track.status_text).toMatch(/the worker that processed it stopped/)
    await runDelayed()
    await expectReady(id)
    expect(await jobOf(id)).toMatchObject({ state: 'done', crashes: 5 })
  }, 60_000)

  test('ends the track with a reason after crashes for a day', async () => {
    const id = await uploadTrack(service, sound)
    const { db } = service.services
    const failingSince = new Date(Date.now() - 25 * HOUR_MS)
    const data = { state: 'running' as const, attempts: 9, crashes: 9, retryAt: null, failingSince }
    await db.job.update({ where: { id: (await jobOf(id)).id }, data })
    await run(id)
    const { track } = await readTrack(service, id)
    expect(track).toMatchObject({ track_status_id: 'error', status_code: 'processing_failed' })
    expect((await jobOf(id)).state).toBe('failed')
  })
})

test('a worker that stood still begins no attempt of a job that another worker has', async () => {
  const id = await uploadTrack(service, sound)
  await changeEntries(service.services.pool, { lockedBy: 'pool-b' })
  const { id: entryId } = await readEntry(service.services.pool)
  const begin = async (lockedBy: string) =>
    runTask(service.services, 'process_track', await payload(id), { entry: { id: entryId, lockedBy } })
  expect(await begin('pool-a')).toBe('superseded')
  expect(await jobOf(id)).toMatchObject({ state: 'queued', attempts: 0 })
  expect(await begin('pool-b')).toBe('done')
}, 30_000)

describe('a job lost by the queue', () => {
  const requeue = async (services: Services = service.services) => {
    service.clock.now = new Date(Date.now() + 61_000)
    try {
      await runTask(services, 'requeue_lost_jobs')
    } finally {
      service.clock.now = null
    }
  }

  test.each([
    { what: 'because its entry is gone', lose: deleteEntries },
    {
      what: 'because its attempts are used up',
      lose: (pool: Pool) => changeEntries(pool, { attempts: 'all' }),
    },
  ])(
    '$what is queued again and done',
    async ({ lose }) => {
      const id = await uploadTrack(service, sound)
      await lose(service.services.pool)
      await service.runJobs()
      expect((await readTrack(service, id)).track.track_status_id).toBe('initialized')
      await requeue()
      await service.runJobs()
      await expectReady(id)
    },
    30_000,
  )

  test('is found for one more variant, a cover and a rebuild', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const body = { variant_type_id: 'transcode', index: 'more', codec: 'mp3' }
    await service.v1('POST', `/track/${id}/variant`, { body })
    await deleteEntries(service.services.pool)
    await requeue()
    await service.runJobs()
    expect((await readTrack(service, id)).files.more.is_success).toBe(true)
    await service.v1('POST', `/track/${id}/rebuild`)
    await deleteEntries(service.services.pool)
    await requeue()
    await service.runJobs()
    await expectReady(id)
    const { organization_id: organizationId } = service.demo
    const cover = await service.services.db.job.create({ data: { organizationId, kind: 'process_organization_cover' } })
    await requeue()
    expect((await readEntry(service.services.pool)).key).toBe(cover.id)
  }, 30_000)

  test('is not a queued, running or ended job', async () => {
    const waiting = await uploadTrack(service, sound)
    const readRuns = async () =>
      (await readEntries(service.services.pool)).map(({ id, attempts, runAt }) => ({ id, attempts, runAt }))
    const before = await readRuns()
    await requeue()
    expect(await readRuns()).toEqual(before)
    expect(before.length).toBeGreaterThan(0)
    await changeEntries(service.services.pool, { attempts: 'all', lockedBy: 'pool-x' })
    await requeue()
    const locks = (await readEntries(service.services.pool)).map(({ lockedBy }) => lockedBy)
    expect(locks).toEqual(before.map(() => 'pool-x'))
    await deleteEntries(service.services.pool)
    await service.services.db.job.updateMany({
      where: { trackId: waiting },
      data: { state: 'done', finishedAt: new Date() },
    })
    await service.services.db.job.deleteMany({ where: { state: { in: ['queued', 'running'] } } })
    await requeue()
    expect(await readEntries(service.services.pool)).toEqual([])
  })
})
