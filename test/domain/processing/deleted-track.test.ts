import { beforeAll, describe, expect, test } from 'bun:test'
import type { Services } from '../../../src/platform/context.ts'
import { mediaError } from '../../../src/platform/media/ffmpeg/reasons.ts'
import { tone } from '../../support/audio.ts'
import { runTask } from '../../support/jobs.ts'
import { eventsOf } from '../../support/processed.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'

const service = useTestService()
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  sound = await tone(2)
}, 60_000)

const storedFiles = async (id: string) => (await service.objects.keys()).filter((key) => key.includes(id))
const jobOf = (trackId: string) =>
  service.services.db.job.findFirstOrThrow({ where: { trackId }, orderBy: { id: 'desc' } })

/** Services that delete a track, and do `afterwards`, before the run's first file is stored. */
function deletingAtPut(id: string, afterwards = async () => {}): Services {
  const { storage } = service.services
  let deletion: Promise<unknown> | undefined
  const deleteTrack = async () => {
    expect((await service.v1('DELETE', `/track/${id}`)).status).toBe(200)
    await afterwards()
  }
  const put: typeof storage.put = async (...args) => {
    deletion ??= deleteTrack()
    await deletion
    return storage.put(...args)
  }
  return { ...service.services, storage: { ...storage, put } }
}

describe('a track that is deleted while it is processed', () => {
  test('gets no files and no events, and its job ends', async () => {
    const id = await uploadTrack(service, sound)
    const { id: jobId } = await jobOf(id)
    await runTask(deletingAtPut(id), 'process_track', { jobId })
    expect(await eventsOf(service, id)).toEqual([])
    const files = await service.services.db.trackFile.findMany({ where: { trackId: id } })
    expect(files.map(({ state, storageKey }) => [state, storageKey])).toEqual(files.map(() => ['queued', null]))
    expect(await jobOf(id)).toMatchObject({ state: 'done', finishedAt: expect.any(Date) })
  }, 30_000)

  test('cancels the job of one more file', async () => {
    const id = await uploadTrack(service, sound)
    await runTask(service.services, 'process_track', { jobId: (await jobOf(id)).id })
    const body = { variant_type_id: 'transcode', index: 'more', codec: 'mp3' }
    await service.v1('POST', `/track/${id}/variant`, { body })
    const before = await eventsOf(service, id)
    await runTask(deletingAtPut(id), 'process_variant', { jobId: (await jobOf(id)).id })
    expect(await jobOf(id)).toMatchObject({ state: 'cancelled', error: 'track_deleted' })
    expect(await eventsOf(service, id)).toEqual(before)
  }, 30_000)

  test('gets no event when its recording is at fault', async () => {
    const id = await uploadTrack(service, sound)
    const { id: jobId } = await jobOf(id)
    const { storage } = service.services
    const fetch: typeof storage.fetch = async () => {
      await service.v1('DELETE', `/track/${id}`)
      throw mediaError('decoder_failed', '')
    }
    await runTask({ ...service.services, storage: { ...storage, fetch } }, 'process_track', { jobId })
    expect(await eventsOf(service, id)).toEqual([])
    expect(await jobOf(id)).toMatchObject({ state: 'done' })
  })

  test('leaves no bytes, even if the purge has run before the end of the job', async () => {
    const { db, config } = service.services
    const keepingNothing = { ...service.services, config: { ...config, deletedFilesKeptDays: 0 } }
    const id = await uploadTrack(service, sound)
    const { id: jobId } = await jobOf(id)
    const purge = async () => void (await runTask(keepingNothing, 'purge_deleted'))
    await runTask(deletingAtPut(id, purge), 'process_track', { jobId })
    expect((await db.track.findUniqueOrThrow({ where: { id } })).purgedAt).not.toBeNull()
    expect(await storedFiles(id)).not.toEqual([])
    await db.unusedObject.updateMany({ data: { removeAfter: new Date(0) } })
    await purge()
    expect(await storedFiles(id)).toEqual([])
  }, 30_000)
})
