import { rename } from 'node:fs/promises'
import type { Services } from '../../platform/context.ts'
import type { Job } from '../../platform/db/generated/client/client.ts'
import type { TaskRun } from '../../platform/jobs/task.ts'
import { MediaError, mediaError } from '../../platform/media/ffmpeg/reasons.ts'
import { withScratch } from '../../platform/media/ffmpeg/run.ts'
import type { Analysis } from '../../platform/media/meter/sound.ts'
import type { Probe } from '../../platform/media/probe.ts'
import { type FileWithVariant, sourceKey, withDomain, withFiles } from '../track/service.ts'
import { endJob } from './endings.ts'
import { makeFiles } from './make-files.ts'
import { fail, finish, giveUp, type LoadedTrack } from './outcome.ts'
import { reportProgress } from './progress.ts'
import type { Source } from './source.ts'

/** A track with what its jobs need to know; null once it is deleted. */
export const loadTrack = (services: Services, id: string): Promise<LoadedTrack | null> =>
  services.db.track.findFirst({ where: { id, deletedAt: null }, include: { ...withDomain, ...withFiles } })

/** Gives up a job after its last attempt, with the files that attempts have planned by then. */
export async function giveUpTrack(services: Services, job: Job & { trackId: string }): Promise<void> {
  const track = await loadTrack(services, job.trackId)
  if (track) return giveUp(services, job, track)
  await endJob(services.db, job, { state: 'cancelled', error: 'track_deleted' }, services.clock())
}

/** A recording on the local disk. */
export type Fetched = Pick<Source, 'file' | 'inputs' | 'folder' | 'signal'>

/** What a look at the recording led to. */
export interface Planned {
  found: Probe
  track: LoadedTrack
  /** What is to be made, with the parameters in `props`. */
  files: readonly FileWithVariant[]
}

/**
 * Runs the pipeline over a recording: fetches it, makes the planned files and records the outcome. A fault of the
 * recording ends the job with a reason; anything else is thrown, for `attempt` to repeat.
 * @param plan examines the recording and plans the files; null when the job ends there
 */
export async function runOverSource(
  services: Services,
  job: Job,
  track: LoadedTrack,
  run: TaskRun,
  plan: (fetched: Fetched) => Promise<Planned | null>,
): Promise<void> {
  const { id: trackId, organizationId, fileName, basePath, coverUploadedAt } = track
  const stopTimer = services.metrics.processingSeconds.startTimer()
  await withScratch(async ({ inputs, work }) => {
    const hasUploadedCover = coverUploadedAt !== null
    const subject = { jobId: job.id, trackId, organizationId, fileName, basePath, hasUploadedCover }
    const progress = reportProgress(services, job.id, trackId)
    let current = track
    try {
      const file = await fetchSource(services, track, inputs)
      const fetched = { file, inputs, folder: work, signal: run.signal }
      const planned = await plan(fetched)
      if (!planned) return
      current = planned.track
      // What is made anew is measured anew.
      const analysis = job.kind === 'rebuild_track' ? null : (track.analysis as Analysis | null)
      const { found: probe } = planned
      const { sourceSha256: sha256, sourceBytes } = current
      const received = sha256 && sourceBytes !== null ? { size: Number(sourceBytes), sha256 } : null
      const source: Source = { ...subject, ...fetched, probe, analysis, received, report: progress.report }
      const result = await makeFiles(services, source, planned.files, () => fallBack(services, trackId))
      await finish(services, job, planned.track, planned.files, result)
    } catch (error) {
      if (!(error instanceof MediaError)) throw error
      await fail(services, job, current, { statusCode: error.code, statusText: error.message })
    } finally {
      progress.end()
    }
  }).finally(stopTimer)
}

/** @throws MediaError `source_missing`; StorageError */
async function fetchSource({ storage }: Services, { organizationId, id, fileName }: LoadedTrack, folder: string) {
  const key = sourceKey(organizationId, id)
  if ((await storage.size(key)) === null) throw mediaError('source_missing', key)
  return named(await storage.fetch(key, folder), fileName)
}

/**
 * An MP3 with so much padding in front that no format shows through is one by its name alone; no other name is
 * believed.
 */
async function named(file: string, fileName: string): Promise<string> {
  if (!/\.mp3$/i.test(fileName)) return file
  await rename(file, `${file}.mp3`)
  return `${file}.mp3`
}

async function fallBack(services: Services, id: string): Promise<void> {
  await services.db.track.updateMany({ where: { id, status: 'processing' }, data: { status: 'fallback_processing' } })
}
