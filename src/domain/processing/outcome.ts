import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import { type Job, Prisma, type Variant } from '../../platform/db/generated/client/client.ts'
import type { TrackStatus } from '../../platform/db/generated/client/enums.ts'
import { adopt, dataAt, discard, storedKeys } from '../track/file/bytes.ts'
import { type FileWithVariant, type TrackWithDomain, undeletedFiles } from '../track/service.ts'
import { changeStatus, recordFileEvents } from '../track/status.ts'
import { lockVariants } from '../variant/service.ts'
import type { Note } from '../variant/types/type.ts'
import { type Ending, endJob, settleBatch } from './endings.ts'
import type { RunResult } from './make-files.ts'
import { queueCoverProcessing } from './queue.ts'
import type { FileResult } from './source.ts'

export type LoadedTrack = TrackWithDomain & { files: FileWithVariant[] }

export const inProgress: TrackStatus[] = ['processing', 'fallback_processing']

/** Writes what was made, and the state that follows from all files, in one transaction with events and job. */
export async function finish(
  services: Services,
  job: Job,
  track: LoadedTrack,
  files: readonly FileWithVariant[],
  { results, durationSeconds, theme, analysis, note }: RunResult,
): Promise<void> {
  await services.db.$transaction(async (tx) => {
    // Fences two runs of one job, should there ever be two: the second finds the job ended.
    const { count } = await tx.job.updateMany({
      where: { id: job.id, state: 'running' },
      data: { ...endingOf(job, files, results), finishedAt: services.clock() },
    })
    if (count === 0) return
    const variants = await lockVariants(tx, { id: { in: files.map(({ variantId }) => variantId) } })
    // The colours of a cover that came meanwhile count, whoever ends first: it is made once more.
    const isCoverStale = await hasNewerCover(tx, track)
    if (isCoverStale) await queueCoverProcessing(tx, track.organizationId, { trackId: track.id })
    const told: string[] = []
    for (const file of files) {
      const variant = variants.find(({ id }) => id === file.variantId)
      const isOutdated = isCoverStale && file.variant.type === 'cover'
      const isKept =
        variant && (await keepResult(services, tx, { track, file, variant, isOutdated }, results.get(file.id)))
      if (isKept) told.push(file.id)
    }
    await recordFileEvents(services, tx, track.id, told)
    const measured = {
      ...(durationSeconds !== null && { durationSeconds: Math.round(durationSeconds * 1000) / 1000 }),
      ...(analysis && { analysis: analysis as unknown as Prisma.InputJsonObject }),
    }
    const colors = theme && !isCoverStale ? { theme: theme as unknown as Prisma.InputJsonArray } : {}
    const outcome = await outcomeOf(tx, track.id)
    const reason = await reasonFor(tx, track.id, outcome, { planned: files, note })
    await changeStatus(services, tx, track.id, {
      from: inProgress,
      to: outcome,
      data: { ...measured, ...colors, ...reason, filesCompletedAt: services.clock() },
    })
    if (job.batchId) await settleBatch(tx, job.batchId, services.clock())
  })
}

/**
 * A job for one file fails with it, one that makes files anew with any of them: where the file of before stays, nothing
 * else tells. One for a whole track has done its work however many files failed.
 */
function endingOf(job: Job, files: readonly FileWithVariant[], results: RunResult['results']): Ending {
  if (job.kind === 'rebuild_track') {
    const failed = [...results.values()].find(({ state }) => state === 'failed')
    return failed?.state === 'failed' ? { state: 'failed', error: failed.code } : { state: 'done', error: null }
  }
  if (!job.variantId) return { state: 'done', error: null }
  const file = files.find(({ variantId }) => variantId === job.variantId)
  // Its variant was deleted while it waited.
  if (!file) return { state: 'cancelled', error: null }
  const result = results.get(file.id)
  return result?.state === 'failed' ? { state: 'failed', error: result.code } : { state: 'done', error: null }
}

/** Whether a cover was uploaded since the run began. */
async function hasNewerCover(tx: Transaction, { id, coverUploadedAt }: LoadedTrack): Promise<boolean> {
  // Locked: whatever changes a track and its files takes the track first.
  await tx.$queryRaw`SELECT id FROM track WHERE id = ${id}::uuid FOR UPDATE`
  const now = await tx.track.findUniqueOrThrow({ where: { id }, select: { coverUploadedAt: true } })
  return now.coverUploadedAt?.getTime() !== coverUploadedAt?.getTime()
}

const nothingPlays = {
  statusCode: 'no_playable_file',
  statusText: 'No file that plays could be made of the recording.',
}

export const noVariants: Reason = {
  statusCode: 'no_variants',
  statusText: 'No file was made: the organization has no variants. Create a variant and apply it to this track.',
}

/**
 * The reason that a track shows with its outcome.
 * @param planned the files that the run was to make
 * @param note of the recording, for a track that plays
 */
export async function reasonFor(
  tx: Transaction,
  trackId: string,
  outcome: Awaited<ReturnType<typeof outcomeOf>>,
  { planned = [], note = null }: { planned?: readonly FileWithVariant[]; note?: Note | null } = {},
): Promise<Reason | { statusCode: null; statusText: null }> {
  if (outcome === 'error') return nothingPlays
  if (note) return { statusCode: note.code, statusText: note.text }
  if (planned.length > 0) return noReason
  const file = await tx.trackFile.findFirst({ where: { trackId, ...undeletedFiles }, select: { id: true } })
  return file ? noReason : noVariants
}

const noReason = { statusCode: null, statusText: null }

interface Made {
  track: Pick<LoadedTrack, 'basePath' | 'sourceSha256'>
  file: Pick<FileWithVariant, 'id' | 'props'>
  /** As it is now, held. */
  variant: Variant
  /** What a newer run has put there is to be left alone. */
  isOutdated: boolean
}

/**
 * What became of one file, into its row. A good file is replaced by a good one only; a file that there was nothing to
 * make of leaves no row.
 * @returns whether there is something to be told
 */
async function keepResult(
  services: Services,
  tx: Transaction,
  { track, file, variant, isOutdated }: Made,
  result: FileResult | undefined,
): Promise<boolean> {
  const unmade: Prisma.TrackFileWhereInput = { id: file.id, state: { not: 'done' } }
  if (!result || result.state === 'absent') {
    await tx.trackFile.deleteMany({ where: unmade })
    return false
  }
  if (result.state === 'failed') {
    const { code: statusCode, text: statusText } = result
    const data = { state: 'failed' as const, statusCode, statusText }
    return (await tx.trackFile.updateMany({ where: unmade, data })).count > 0
  }
  const { state, props, ...made } = result
  const recipe = file.props as object
  const where = isOutdated ? unmade : { id: file.id }
  const isPut = await putFile(services, tx, { ...made, props: props ?? recipe }, { where, track, variant, recipe })
  return isPut || isOutdated
}

type MadeFile = Omit<Extract<FileResult, { state: 'done' }>, 'state'> & { props: object }

interface Place {
  where: Prisma.TrackFileWhereInput
  /** With the recording that the file was made of. */
  track: Pick<LoadedTrack, 'basePath' | 'sourceSha256'>
  /** As it is now, held: its index says at which address the file is delivered, whatever it was when the run began. */
  variant: Pick<Variant, 'index'>
  recipe: object
}

/**
 * Puts a file that was made in the place of what was there; the bytes of that go a little later, for somebody may
 * still be reading them.
 * @returns false where its row has gone: its bytes then go too
 */
export async function putFile(
  services: Services,
  tx: Transaction,
  { storageKey, extension, data: made, note, ...file }: MadeFile,
  { where, track, variant: { index }, recipe }: Place,
): Promise<boolean> {
  const before = await tx.trackFile.findFirst({ where })
  if (!before) return false
  const path = `${track.basePath}_${index}.${extension}`
  const placed = dataAt(made, path)
  const { count } = await tx.trackFile.updateMany({
    where,
    data: {
      ...file,
      ...{ path, storageKey, index, state: 'done' },
      ...{ statusCode: note?.code ?? null, statusText: note?.text ?? null },
      ...{ ffmpegVersion: services.tools.version, sourceSha256: track.sourceSha256 },
      props: file.props as Prisma.InputJsonObject,
      recipe: recipe as Prisma.InputJsonObject,
      data: placed === null ? Prisma.DbNull : (placed as Prisma.InputJsonObject),
      completedAt: services.clock(),
    },
  })
  if (count === 0) return false
  const keys = storedKeys({ path, storageKey, data: placed as Prisma.JsonObject | null })
  await adopt(tx, keys)
  const replaced = storedKeys(before).filter((key) => !keys.includes(key))
  await discard(tx, replaced, new Date(services.clock().getTime() + STILL_READ_MS))
  return true
}

/** For this long replaced bytes stay: as long as an address is valid. */
const STILL_READ_MS = 3_600_000

/** `ready` when nothing failed, else `incomplete` while something plays, else `error` (contract, section 4). */
export async function outcomeOf(tx: Transaction, trackId: string): Promise<'ready' | 'incomplete' | 'error'> {
  const files = await tx.trackFile.findMany({
    where: { trackId, ...undeletedFiles },
    include: { variant: { select: { type: true } } },
  })
  if (files.every((file) => file.state === 'done')) return 'ready'
  const plays = files.some(({ state, variant }) => state === 'done' && ['transcode', 'preview'].includes(variant.type))
  return plays ? 'incomplete' : 'error'
}

export interface Reason {
  statusCode: string
  statusText: string
}

/**
 * Ends a run without results, for one reason: the files to be made have failed, files of earlier runs stay.
 * A recording in which no run has found sound is `init_error`.
 */
export const fail = (services: Services, job: Job, track: LoadedTrack, reason: Reason) =>
  endWithout(services, job, track, reason, track.info === null ? 'init_error' : null)

/** Ends a job that failed for more than a day through no fault of the recording, hence never with `init_error`. */
export const giveUp = (services: Services, job: Job, track: LoadedTrack) =>
  endWithout(services, job, track, gaveUp, track.info === null ? 'error' : null)

const gaveUp: Reason = {
  statusCode: 'processing_failed',
  statusText:
    'The recording could not be processed for more than a day because of faults on our side. It is still stored: rebuild the track to try again.',
}

/** @param to the new status; null to derive it from the track's files */
async function endWithout(
  services: Services,
  job: Job,
  track: LoadedTrack,
  reason: Reason,
  to: TrackStatus | null,
): Promise<void> {
  await services.db.$transaction(async (tx) => {
    const unmade = track.files.filter(({ state }) => state === 'queued' || state === 'processing').map(({ id }) => id)
    await tx.trackFile.updateMany({ where: { id: { in: unmade } }, data: { state: 'failed', ...reason } })
    await recordFileEvents(services, tx, track.id, unmade)
    const status = to ?? (await outcomeOf(tx, track.id))
    const data = status === 'error' || status === 'init_error' ? reason : { statusCode: null, statusText: null }
    await changeStatus(services, tx, track.id, { from: ['initialized', ...inProgress], to: status, data })
    await endJob(tx, job, { state: 'failed', error: reason.statusCode }, services.clock())
  })
}
