import { beforeAll, describe, expect, test } from 'bun:test'
import { StorageError } from '../../../src/platform/storage/storage.ts'
import { tone } from '../../support/audio.ts'
import { exhaust, runTask } from '../../support/jobs.ts'
import { eventsOf, measureFile, readTrack } from '../../support/processed.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const service = useTestService()
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  sound = await tone(2)
}, 60_000)

const AUDIO = ['hq', 'lq', 'preview']
const jobIdOf = async (trackId: string) =>
  (await service.services.db.job.findFirstOrThrow({ where: { trackId }, orderBy: { id: 'desc' } })).id
const eventLines = async (trackId: string) =>
  (await eventsOf(service, trackId)).map(({ type, data }) => `${type} ${data.file?.variant.index ?? data.status}`)
const createdOf = (lines: readonly string[]) => lines.filter((line) => line.startsWith('track_file.created'))
const finishedOf = async (trackId: string) =>
  Object.values((await readTrack(service, trackId)).files)
    .filter((file) => file.is_success)
    .map((file) => file.variant.index)
    .sort()

/** Services that do something when the run copies the recording of a track, after all audio files are finished. */
function atCopy(trackId: string, act: () => Promise<unknown>) {
  const { storage } = service.services
  const copy: typeof storage.copy = async (...args) => {
    await until('the audio files', 20_000, async () => {
      const finished = await finishedOf(trackId)
      return AUDIO.every((index) => finished.includes(index))
    })
    await act()
    return storage.copy(...args)
  }
  return { ...service.services, storage: { ...storage, copy } }
}
/** Services whose storage fails when the run copies the recording of a track. */
const failingAtCopy = (trackId: string) =>
  atCopy(trackId, () => Promise.reject(new StorageError('copy', null, new Error('no answer'))))

describe('a finished file of an upload', () => {
  test('is delivered with its event while other files are made', async () => {
    const id = await uploadTrack(service, sound)
    let during: Awaited<ReturnType<typeof readTrack>> | undefined
    let lines: string[] = []
    const services = atCopy(id, async () => {
      during = await readTrack(service, id)
      lines = await eventLines(id)
      expect((await measureFile(service, during.files.hq)).durationSeconds).toBeCloseTo(2, 1)
    })
    await runTask(services, 'process_track', { jobId: await jobIdOf(id) })
    expect(during?.track.track_status_id).toBe('processing')
    for (const index of AUDIO) expect(during?.files[index]?.is_success).toBe(true)
    expect(during?.files.original?.is_success).toBe(false)
    expect(lines).toEqual(expect.arrayContaining(AUDIO.map((index) => `track_file.created ${index}`)))
    const after = await eventLines(id)
    expect(createdOf(after).sort()).toEqual(
      [...AUDIO, 'original', 'waveform'].map((i) => `track_file.created ${i}`).sort(),
    )
    expect(after.at(-1)).toBe('track.status_changed ready')
  }, 30_000)

  test('is kept by the next attempt after a fault of the service', async () => {
    const id = await uploadTrack(service, sound)
    const jobId = await jobIdOf(id)
    await runTask(failingAtCopy(id), 'process_track', { jobId })
    expect(await finishedOf(id)).toEqual(expect.arrayContaining(AUDIO))
    const before = await service.services.db.trackFile.findMany({ where: { trackId: id, state: 'done' } })
    await runTask(service.services, 'process_track', { jobId }, { attempt: 2 })
    const { track, files } = await readTrack(service, id)
    expect(track).toMatchObject({ track_status_id: 'ready', status_code: null, duration: 2 })
    expect(files.waveform.data.waveform.variant_index).toBe('hq')
    for (const { id: fileId, storageKey } of before) {
      const row = await service.services.db.trackFile.findUniqueOrThrow({ where: { id: fileId } })
      expect(row.storageKey).toBe(storageKey)
    }
    const lines = await eventLines(id)
    expect(new Set(lines).size).toBe(lines.length)
  }, 30_000)

  test('plays on when the job is given up: incomplete, the other files fail', async () => {
    const id = await uploadTrack(service, sound)
    const jobId = await jobIdOf(id)
    await exhaust(service.services, jobId)
    await runTask(failingAtCopy(id), 'process_track', { jobId })
    const { track, files } = await readTrack(service, id)
    expect(track.track_status_id).toBe('incomplete')
    for (const index of AUDIO) expect(files[index].is_success).toBe(true)
    const lines = await eventLines(id)
    expect(lines).toContain('track_file.failed original')
    expect(lines.filter((line) => line.endsWith(' hq'))).toEqual(['track_file.created hq'])
  }, 30_000)

  test('plays on when the next attempt finds a fault of the recording', async () => {
    const id = await uploadTrack(service, sound)
    const jobId = await jobIdOf(id)
    await runTask(failingAtCopy(id), 'process_track', { jobId })
    const storage = { ...service.services.storage, size: async () => null }
    await runTask({ ...service.services, storage }, 'process_track', { jobId }, { attempt: 2 })
    const { track, files } = await readTrack(service, id)
    expect(track).toMatchObject({ track_status_id: 'incomplete', status_code: null })
    expect(files.hq.is_success).toBe(true)
    expect(files.original).toMatchObject({ is_success: false, status_code: 'source_missing' })
    const lines = await eventLines(id)
    expect(new Set(lines).size).toBe(lines.length)
  }, 30_000)

  test('is not published for a track that was deleted', async () => {
    const id = await uploadTrack(service, sound)
    let before: string[] = []
    const services = atCopy(id, async () => {
      before = await eventLines(id)
      await service.v1('DELETE', `/track/${id}`)
    })
    await runTask(services, 'process_track', { jobId: await jobIdOf(id) })
    expect(createdOf(await eventLines(id)).filter((line) => line.endsWith('original'))).toEqual([])
    expect(before.length).toBeGreaterThan(0)
    const original = await service.services.db.trackFile.findFirstOrThrow({
      where: { trackId: id, variant: { type: 'original' } },
    })
    expect(original).toMatchObject({ state: 'queued', storageKey: null })
  }, 30_000)

  test('of a rebuild is replaced at the end of the run, with all others', async () => {
    const id = await uploadTrack(service, sound)
    await runTask(service.services, 'process_track', { jobId: await jobIdOf(id) })
    const rows = () =>
      service.services.db.trackFile.findMany({
        where: { trackId: id, state: 'done' },
        orderBy: { id: 'asc' },
        select: { storageKey: true },
      })
    const before = await rows()
    const { json } = await service.v1('POST', `/track/${id}/rebuild`)
    let during: unknown
    const services = atCopy(id, async () => {
      during = await rows()
    })
    await runTask(services, 'rebuild_track', { jobId: json.job_id })
    expect(during).toEqual(before)
    expect(await rows()).not.toEqual(before)
  }, 30_000)
})
