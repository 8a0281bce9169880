import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import { Prisma } from '../../platform/db/generated/client/client.ts'
import type { JobState, TrackStatus } from '../../platform/db/generated/client/enums.ts'
import { checkDecodable } from '../../platform/media/decodable.ts'
import { type Probe, probe } from '../../platform/media/probe.ts'
import { MediaError, withScratch } from '../../platform/media/run.ts'
import { type TaskRun, task } from '../../platform/task.ts'
import { type FileWithVariant, sourceKey, type TrackWithDomain, withDomain, withFiles } from '../track/service.ts'
import { changeStatus, tellOfFiles } from '../track/status.ts'
import { organizationVariantWhere } from '../variant/service.ts'
import { makeFiles, type RunResult } from './make-files.ts'
import { reportProgress } from './progress.ts'
import { queueCoverProcessing } from './queue.ts'
import { processTrack, processVariant } from './schema.ts'
import { digest, type FileResult, type Source } from './source.ts'

type LoadedTrack = TrackWithDomain & { files: FileWithVariant[] }

const inProgress: TrackStatus[] = ['processing', 'fallback_processing']

/** A whole track: from the uploaded bytes to all files of the organization-wide variants. */
export const processTrackTask = task(processTrack, (services, { jobId }, run) => process(services, jobId, run))

/** One more file of a track that was ready. */
export const processVariantTask = task(processVariant, (services, { jobId }, run) => process(services, jobId, run))

async function process(services: Services, jobId: string, run: TaskRun): Promise<void> {
  const job = await services.db.job.findUniqueOrThrow({ where: { id: jobId } })
  if (job.state === 'done' || job.state === 'failed' || !job.trackId) return
  const track = await load(services, job.trackId)
  if (!track) return endJob(services.db, jobId, 'done', services.clock())
  if (run.isLastAttempt) return fail(services, jobId, track, gaveUp)
  await services.db.job.update({
    where: { id: jobId },
    data: { state: 'running', attempts: run.attempt, startedAt: services.clock() },
  })
  const stopTimer = services.metrics.processingSeconds.startTimer()
  await withScratch(async (folder) => {
    const file = await services.storage.fetch(sourceKey(track.organizationId, track.id), folder)
    // Bytes that came past us were never seen until now.
    if (!track.sourceSha256) await services.db.track.update({ where: { id: track.id }, data: await checksum(file) })
    const found = await examine(services, jobId, track, file, folder, run.signal)
    if (!found) return
    const begun = track.status === 'initialized' ? await begin(services, track, found) : track
    const { id: trackId, organizationId, basePath, fileName, coverUploadedAt } = track
    const hasUploadedCover = coverUploadedAt !== null
    const { signal } = run
    const progress = reportProgress(services, jobId, trackId)
    const source: Source = {
      trackId,
      organizationId,
      basePath,
      fileName,
      hasUploadedCover,
      probe: found,
      file,
      folder,
      signal,
      report: progress.report,
    }
    const files = begun.files.filter(({ state }) => state === 'queued' || state === 'processing')
    try {
      const result = await makeFiles(services, source, files, () => fallBack(services, trackId))
      await finish(services, jobId, begun, files, result)
    } catch (error) {
      if (!(error instanceof MediaError)) throw error
      await fail(services, jobId, begun, { statusCode: error.code, statusText: error.message })
    } finally {
      progress.end()
    }
  })
  stopTimer()
}

const checksum = async (file: string) => ({ sourceSha256: (await digest(file)).sha256 })

const load = (services: Services, id: string): Promise<LoadedTrack | null> =>
  services.db.track.findFirst({ where: { id, deletedAt: null }, include: { ...withDomain, ...withFiles } })

/** Probes the source. What is no audio ends here, with a reason; null then. */
async function examine(
  services: Services,
  jobId: string,
  track: LoadedTrack,
  file: string,
  folder: string,
  signal: AbortSignal,
): Promise<Probe | null> {
  try {
    const found = await probe(services.tools, file, signal)
    if (track.status === 'initialized') await checkDecodable(services.tools, file, found, folder, signal)
    return found
  } catch (error) {
    if (!(error instanceof MediaError) || track.status !== 'initialized') throw error
    services.log.info({ trackId: track.id, code: error.code, detail: error.detail }, 'not decodable audio')
    await services.db.$transaction(async (tx) => {
      const data = { statusCode: error.code, statusText: error.message }
      await changeStatus(services, tx, track.id, { from: ['initialized'], to: 'init_error', data })
      await endJob(tx, jobId, 'failed', services.clock(), error.code)
    })
    return null
  }
}

/** `initialized` -> `processing`: the files to be made are known from here on. */
async function begin(services: Services, track: LoadedTrack, found: Probe): Promise<LoadedTrack> {
  const { id: trackId, organizationId } = track
  await services.db.$transaction(async (tx) => {
    const { durationSeconds, container, codec, channels, tags, sampleRate: sample_rate, bitRate: bit_rate } = found
    const info = { container, codec, sample_rate, channels, bit_rate, tags }
    const { count } = await tx.track.updateMany({
      where: { id: trackId, status: 'initialized', deletedAt: null },
      data: { status: 'processing', durationSeconds, info },
    })
    // Another run of this job was faster: its files are there.
    if (count === 0) return
    const variants = await tx.variant.findMany({ where: organizationVariantWhere(organizationId) })
    await tx.trackFile.createMany({
      data: variants.map(({ id: variantId, props }) => ({
        organizationId,
        trackId,
        variantId,
        props: props as Prisma.InputJsonValue,
      })),
      skipDuplicates: true,
    })
  })
  const begun = await load(services, trackId)
  if (!begun) throw new Error('the track was deleted meanwhile')
  return begun
}

async function fallBack(services: Services, id: string): Promise<void> {
  await services.db.track.updateMany({ where: { id, status: 'processing' }, data: { status: 'fallback_processing' } })
}

/** Writes what was made, and the state that follows from all files, in one transaction with events and job. */
async function finish(
  services: Services,
  jobId: string,
  track: LoadedTrack,
  files: readonly FileWithVariant[],
  { results, durationSeconds, theme }: RunResult,
): Promise<void> {
  await services.db.$transaction(async (tx) => {
    // Fences two runs of one job, should there ever be two: the second finds the job ended.
    const { count } = await tx.job.updateMany({
      where: { id: jobId, state: 'running' },
      data: { state: 'done', finishedAt: services.clock() },
    })
    if (count === 0) return
    for (const file of files) await keepResult(services, tx, file, results.get(file.id))
    // The bytes of a cover that came meanwhile may have been written over by this run's: they are made once more.
    const isCoverStale = await hasNewerCover(tx, track)
    if (isCoverStale) await queueCoverProcessing(tx, track.organizationId, { trackId: track.id })
    const fileIds = files.map(({ id }) => id)
    await tellOfFiles(services, tx, track.id, fileIds)
    const measured = durationSeconds === null ? {} : { durationSeconds: Math.round(durationSeconds * 1000) / 1000 }
    const colors = theme && !isCoverStale ? { theme: theme as unknown as Prisma.InputJsonArray } : {}
    const outcome = await outcomeOf(tx, track.id)
    const reason = outcome === 'error' ? nothingPlays : { statusCode: null, statusText: null }
    await changeStatus(services, tx, track.id, {
      from: inProgress,
      to: outcome,
      data: { ...measured, ...colors, ...reason, filesCompletedAt: services.clock() },
    })
  })
}

/** Whether a cover was uploaded since the run began. */
async function hasNewerCover(tx: Transaction, { id, coverUploadedAt }: LoadedTrack): Promise<boolean> {
  const now = await tx.track.findUniqueOrThrow({ where: { id }, select: { coverUploadedAt: true } })
  return now.coverUploadedAt?.getTime() !== coverUploadedAt?.getTime()
}

const nothingPlays = {
  statusCode: 'no_playable_file',
  statusText: 'No file that plays could be made of the recording.',
}

/**
 * What became of one file, into its row; a file that there was nothing to make of leaves none. A row that is done
 * already is a newer cover's.
 */
async function keepResult(
  services: Services,
  tx: Transaction,
  { id }: FileWithVariant,
  result: FileResult | undefined,
): Promise<void> {
  const where: Prisma.TrackFileWhereInput = { id, state: { in: ['queued', 'processing'] } }
  if (!result || result.state === 'absent') {
    await tx.trackFile.deleteMany({ where })
  } else if (result.state === 'failed') {
    const { code: statusCode, text: statusText } = result
    await tx.trackFile.updateMany({ where, data: { state: 'failed', statusCode, statusText } })
  } else {
    const { data: made, props, ...rest } = result
    const data = made === null ? Prisma.DbNull : (made as Prisma.InputJsonObject)
    const resolved = props && { props: props as Prisma.InputJsonObject }
    await tx.trackFile.updateMany({ where, data: { ...rest, data, ...resolved, completedAt: services.clock() } })
  }
}

/** `ready` when nothing failed, else `incomplete` while something plays, else `error` (contract, section 4). */
async function outcomeOf(tx: Transaction, trackId: string): Promise<TrackStatus> {
  const files = await tx.trackFile.findMany({ where: { trackId }, include: { variant: { select: { type: true } } } })
  if (files.every((file) => file.state === 'done')) return 'ready'
  const plays = files.some(({ state, variant }) => state === 'done' && ['transcode', 'preview'].includes(variant.type))
  return plays ? 'incomplete' : 'error'
}

interface Reason {
  statusCode: string
  statusText: string
}

/** The last attempt: earlier ones died or failed for reasons that are not the file's own. */
const gaveUp: Reason = {
  statusCode: 'processing_failed',
  statusText: 'The recording could not be processed. Upload it again.',
}

/** Ends a run without results: what was to be made has failed, for one reason. */
async function fail(services: Services, jobId: string, track: LoadedTrack, reason: Reason): Promise<void> {
  await services.db.$transaction(async (tx) => {
    const unmade = track.files.filter(({ state }) => state === 'queued' || state === 'processing').map(({ id }) => id)
    await tx.trackFile.updateMany({ where: { id: { in: unmade } }, data: { state: 'failed', ...reason } })
    await tellOfFiles(services, tx, track.id, unmade)
    const to = track.status === 'initialized' ? 'init_error' : await outcomeOf(tx, track.id)
    const data = to === 'error' || to === 'init_error' ? reason : {}
    await changeStatus(services, tx, track.id, { from: ['initialized', ...inProgress], to, data })
    await endJob(tx, jobId, 'failed', services.clock(), reason.statusCode)
  })
}

async function endJob(tx: Transaction, id: string, state: JobState, finishedAt: Date, error?: string): Promise<void> {
  await tx.job.updateMany({ where: { id, state: { in: ['queued', 'running'] } }, data: { state, finishedAt, error } })
}
