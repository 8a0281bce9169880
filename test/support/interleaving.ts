import { expect } from 'bun:test'
import { createCollection } from '../spec/support.ts'
import { signIn } from './administrators.ts'
import { tone } from './audio.ts'
import { runTask } from './jobs.ts'
import { eventsOf, readTrack } from './processed.ts'
import { makeEntriesDue, readEntries } from './queue.ts'
import { rebuildAs } from './rebuild.ts'
import { restoring } from './restore.ts'
import type { TestService } from './service.ts'
import { type Happening, runWith } from './steps.ts'
import { variantsAs } from './variants.ts'

/** A track in a collection of its own, with a job that is about to run. */
export interface Subject {
  run: RunName
  id: string
  collectionId: string
  jobId: string
  /** Events that the track is to have in the end, by type. */
  events: { 'track_file.created': number; 'track.status_changed': number }
  /** Indexes of its files in the end. */
  files: string[]
  /** Storage keys that the job replaces. */
  replaced: (string | null)[]
}

/** Tasks that run over a track. */
export const runs = ['process_track', 'rebuild_track', 'process_variant', 'apply_variant'] as const
type RunName = (typeof runs)[number]

/** Tracks of a service whose runs are interleaved with requests. The organization keeps two variants. */
export async function interleaving(service: TestService) {
  const { db, pool, storage } = service.services
  const studio = restoring(service)
  const sound = await tone(0.3, 'wav', { rate: 8_000, channels: 1 })
  const variants = variantsAs(service, (await signIn(service)).token)
  /** Deletes the variants that earlier tests have added. */
  const clear = () =>
    db.variant.updateMany({ where: { index: { notIn: ['lq', 'waveform'] } }, data: { deletedAt: new Date() } })

  async function upload(): Promise<Subject> {
    await clear()
    const { id: collectionId } = await createCollection(service)
    const { json } = await service.v1('POST', '/track', { body: { collection_id: collectionId, file_name: 'a.wav' } })
    const put = { method: 'PUT', body: new Blob([sound]) }
    expect((await service.fetchEdge(json.track_upload.upload_url, put)).status).toBe(200)
    const id = json.track_id
    const events = { 'track_file.created': 2, 'track.status_changed': 1 }
    const files = ['lq', 'waveform']
    return { run: 'process_track', id, collectionId, jobId: await newestJob(id), events, files, replaced: [] }
  }

  /** Tracks that were ready after a run, which the next run of the same task takes: processing is what costs time. */
  const readyTracks = new Map<RunName, Subject>()

  /** @returns a track that is ready */
  async function takeReady(name: RunName): Promise<Subject> {
    const ready = readyTracks.get(name)
    // Until it has passed once more: no row depends on one that has failed.
    readyTracks.delete(name)
    if (ready) {
      await clear()
      return ready
    }
    const uploaded = await upload()
    await service.runJobs()
    return uploaded
  }

  const newIndex = () => `v${Bun.randomUUIDv7().slice(-12)}`

  const newestJob = async (trackId: string) =>
    (await db.job.findFirstOrThrow({ where: { trackId }, orderBy: { id: 'desc' } })).id

  /** Applies a new variant to the collection of a track. @returns its index */
  async function apply({ collectionId }: Subject): Promise<string> {
    const index = newIndex()
    const { variant } = await variants.create({ variantTypeId: 'TRANSCODE', index, codec: 'mp3' })
    const batch = await variants.apply(variant.id, { collectionId })
    await runTask(service.services, 'fill_batch', { batchId: batch.id })
    return index
  }

  async function prepare(run: RunName): Promise<Subject> {
    if (run === 'process_track') return upload()
    const ready = await takeReady(run)
    const follow = async (changes: Partial<Subject>, createdFiles: number): Promise<Subject> => {
      const { 'track_file.created': created, 'track.status_changed': changed } = ready.events
      const events = { 'track_file.created': created + createdFiles, 'track.status_changed': changed + 1 }
      return { ...ready, run, jobId: await newestJob(ready.id), events, ...changes }
    }
    if (run === 'rebuild_track') {
      const rows = await db.trackFile.findMany({ where: { trackId: ready.id } })
      const { jobId } = await rebuildAs(service).rebuild(ready.id)
      return follow({ jobId, replaced: rows.map(({ storageKey }) => storageKey) }, rows.length)
    }
    const index = run === 'apply_variant' ? await apply(ready) : await createVariant(ready)
    return follow({ files: [...ready.files, index] }, 1)
  }

  /** Creates a variant of a track. @returns its index */
  async function createVariant({ id }: Subject): Promise<string> {
    const index = newIndex()
    const body = { variant_type_id: 'transcode', index, codec: 'mp3' }
    expect((await service.v1('POST', `/track/${id}/variant`, { body })).status).toBe(200)
    return index
  }

  return {
    studio,
    prepare,
    apply,
    remove: async ({ id, collectionId }: Subject, what: 'track' | 'collection') => {
      const path = what === 'track' ? `/track/${id}` : `/collection/${collectionId}`
      expect((await service.v1('DELETE', path)).status).toBe(200)
    },
    /** Restores, and resumes at once, as a worker does that is free. */
    restore: async ({ id, collectionId }: Subject, what: 'track' | 'collection') => {
      const restored = what === 'track' ? studio.restoreTrack(id) : studio.restoreCollection(collectionId)
      expect(await restored).toBeNull()
      await runTask(service.services, 'resume_tracks', { trackIds: [id] })
    },
    /** Runs the job of the track while things happen, and then all that is queued. */
    run: async (name: RunName, { jobId }: Subject, happenings: readonly Happening[]) => {
      await runWith(service.services, happenings, (services) => runTask(services, name, { jobId }))
      // Jobs of batches wait 10 s for a track that is processed.
      await makeEntriesDue(pool)
      await service.runJobs()
    },
    /** No job of the track waits or runs, and the queue is empty. */
    expectNoJobs: async (trackId: string) => {
      expect(await db.job.findMany({ where: { trackId, state: { in: ['queued', 'running'] } } })).toEqual([])
      expect(await readEntries(pool)).toEqual([])
    },
    /** The track is ready with all files and their bytes, and each event was recorded once. */
    expectReady: async (subject: Subject) => {
      const { id, files, events, replaced } = subject
      expect((await readTrack(service, id)).track).toMatchObject({ track_status_id: 'ready', status_code: null })
      const rows = await db.trackFile.findMany({ where: { trackId: id } })
      const states = rows.map(({ index, state }) => `${index} ${state}`)
      expect(states.sort()).toEqual(files.map((index) => `${index} done`).sort())
      for (const { storageKey, size } of rows) {
        expect(replaced).not.toContain(storageKey)
        expect(await storage.size(storageKey ?? '')).toBe(Number(size))
      }
      const keys = rows.map(({ storageKey }) => storageKey ?? '')
      expect(await db.unusedObject.count({ where: { key: { in: keys } } })).toBe(0)
      const types = (await eventsOf(service, id)).map(({ type }) => type)
      const counts = Object.groupBy(types, (type) => type)
      expect(Object.fromEntries(Object.entries(counts).map(([type, all]) => [type, all?.length]))).toEqual(events)
      readyTracks.set(subject.run, subject)
    },
  }
}
