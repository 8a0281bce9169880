import type { Transaction } from '../../../platform/db/client.ts'
import type { Prisma, Variant } from '../../../platform/db/generated/client/client.ts'
import { describeMissing, findMissing, type Missing } from '../../../platform/media/missing.ts'
import { recordFileEvents } from '../../track/record-events.ts'
import { type FileWithVariant, lockTrack } from '../../track/service.ts'
import { processingStates } from '../../track/states.ts'
import { changeStatus } from '../../track/status.ts'
import { offerTranscription } from '../../track/transcript/upload.ts'
import { lockVariants } from '../../variant/service.ts'
import type { Note } from '../../variant/types/type.ts'
import { type Ending, endingAfterDeletion, endJob, lockAttempt } from '../job/end.ts'
import { readOutcome, reasonFor } from '../outcome.ts'
import { putFile } from '../put-file.ts'
import { type PlannedFile, type Run, requireRecording } from '../run/run.ts'

/**
 * Publishes a file as soon as it is finished, with its event. Files of a rebuild wait for the end of the run, so that a
 * file and the waveform that was measured on it are replaced together, and a repeated run sends each event once.
 */
export async function publishFinished(run: Run, file: PlannedFile): Promise<void> {
  const { services, job, track } = run
  const isFinished = run.results.get(file.row.id)?.state === 'done'
  // The colors of a cover are written with the results of the run.
  if (job.kind !== 'process_track' || !isFinished || file.plan.kind === 'cover') return
  const published = await services.db.$transaction(async (tx) => {
    if (!(await lockAttempt(tx, job))) return
    const variants = await lockVariants(tx, { id: file.row.variantId })
    const { deletedAt, sourceKey } = await lockTrack(tx, track.id)
    requireRecording(run, sourceKey)
    // If the track is restored before the end of the run, the end publishes the file.
    if (deletedAt) return
    await publishFiles(tx, run, [file], variants)
    return file.row.id
  })
  if (published) run.published.add(published)
}

/**
 * Writes the results that are not published yet, and the state that follows from all files, in one transaction with
 * events and job.
 */
export async function publish(run: Run): Promise<void> {
  const { services, job, track, files, published } = run
  await services.db.$transaction(async (tx) => {
    if (!(await lockAttempt(tx, job))) return
    const variants = await lockVariants(tx, { id: { in: files.map(({ row }) => row.variantId) } })
    const { deletedAt, coverUploadedAt, theme, sourceKey } = await lockTrack(tx, track.id)
    requireRecording(run, sourceKey)
    // The stored bytes stay on the list of unused objects.
    if (deletedAt) return void (await endJob(tx, job, endingAfterDeletion(job), services.clock()))
    // A cover that was uploaded during the run has its own job. Its colors count, whichever job ends first.
    const isCoverStale = coverUploadedAt?.getTime() !== track.coverUploadedAt?.getTime()
    const remainingFiles = files.filter(({ row }) => !published.has(row.id))
    await publishFiles(tx, run, remainingFiles, variants, isCoverStale)
    const outcome = await readOutcome(tx, track.id)
    const reason = await reasonFor(tx, track.id, outcome, { hasFiles: files.length > 0, note: noteOn(run) })
    // A theme is the client's, or of a cover whose job has ended.
    const isThemeSet = Array.isArray(theme) && theme.length > 0
    const colors =
      run.theme && !isCoverStale && !isThemeSet ? { theme: run.theme as unknown as Prisma.InputJsonArray } : {}
    await changeStatus(services, tx, track.id, {
      from: processingStates,
      to: outcome,
      data: { ...measurements(run), ...colors, ...reason, filesCompletedAt: services.clock() },
    })
    if (job.kind === 'process_track' && outcome !== 'error') await offerTranscription(services, tx, track.id)
    await endJob(tx, job, toEnding(run), services.clock())
  })
}

/**
 * Writes the results of files, and records their events.
 * @param variants of the files, locked; without those that were deleted
 */
async function publishFiles(
  tx: Transaction,
  run: Run,
  files: readonly PlannedFile[],
  variants: readonly Variant[],
  isCoverStale = false,
): Promise<void> {
  const changed: string[] = []
  for (const { row, plan } of files) {
    const variant = variants.find(({ id }) => id === row.variantId)
    // A file that is finished before a first run ends has its event: from an earlier attempt, or the job of a cover.
    const isOutdated = run.job.kind === 'process_track' || (plan.kind === 'cover' && isCoverStale)
    if (variant && (await publishFile(tx, run, { row, variant, isOutdated }))) changed.push(row.id)
  }
  await recordFileEvents(run.services, tx, run.track.id, changed)
}

/** Lengths of tracks are rounded to it. */
const LENGTH_RESOLUTION_SECONDS = 0.001

/** A remark on a recording that plays. Null for a whole one. */
function noteOn({ probe, analysis, decoded, track }: Run): Note | null {
  const damagedAt = analysis?.damaged_at_seconds ?? null
  if (damagedAt !== null) return damaged(damagedAt)
  const roundedProbe = { ...probe, paddingSeconds: probe.paddingSeconds + LENGTH_RESOLUTION_SECONDS }
  const missing = decoded
    ? findMissing(probe, decoded.durationSeconds)
    : track.durationSeconds !== null && findMissing(roundedProbe, track.durationSeconds)
  if (missing) return truncated(missing)
  return probe.lacksEnd ? endMissing : null
}

const truncated = (missing: Missing): Note => ({
  code: 'truncated',
  text: `The file is incomplete: a part of it is missing.${
    missing.seconds > 0 ? ` ${describeMissing(missing)}` : ''
  } Upload the complete file if you have it.`,
})

const damaged = (seconds: number): Note => ({
  code: 'damaged',
  text: `The file is damaged ${seconds.toFixed(1)} seconds after the start of the sound, where a part may be missing or wrong. Listen to it there, and upload an undamaged file if you have one.`,
})

/** The file announces no length, so the missing part is unknown. Recorders that are stopped leave complete files like this. */
const endMissing: Note = {
  code: 'end_missing',
  text: 'The file lacks the mark that ends a recording, or a part before it, so its last part may be missing. If it ends too early, upload the whole file.',
}

function measurements({ decoded, analysis, quality }: Run) {
  return {
    ...(decoded && { durationSeconds: Math.round(decoded.durationSeconds * 1000) / 1000 }),
    ...(decoded && analysis && { analysis: analysis as unknown as Prisma.InputJsonObject }),
    ...(quality && { quality: quality as unknown as Prisma.InputJsonObject }),
  }
}

/**
 * A job for one file fails with it. A rebuild fails if any file fails, because the earlier file hides the failure. A
 * job for a whole track is done however many files failed.
 */
function toEnding({ job, files, results }: Run): Ending {
  if (job.kind === 'rebuild_track') {
    const failed = [...results.values()].find(({ state }) => state === 'failed')
    return failed?.state === 'failed' ? { state: 'failed', error: failed.code } : { state: 'done', error: null }
  }
  if (!job.variantId) return { state: 'done', error: null }
  const file = files.find(({ row }) => row.variantId === job.variantId)
  // Its variant was deleted while the job waited.
  if (!file) return { state: 'cancelled', error: null }
  const result = results.get(file.row.id)
  return result?.state === 'failed' ? { state: 'failed', error: result.code } : { state: 'done', error: null }
}

interface Publication {
  row: FileWithVariant
  /** Its current state, locked. */
  variant: Variant
  /** Whether a finished file must not be replaced. */
  isOutdated: boolean
}

/**
 * Writes the result of one file to its row. A finished file is replaced by a finished one only. The row of a file that
 * the recording has nothing for is deleted.
 * @returns whether to record an event
 */
async function publishFile(tx: Transaction, run: Run, { row, variant, isOutdated }: Publication): Promise<boolean> {
  const result = run.results.get(row.id)
  const unmade: Prisma.TrackFileWhereInput = { id: row.id, state: { not: 'done' } }
  if (!result || result.state === 'absent') {
    await tx.trackFile.deleteMany({ where: unmade })
    return false
  }
  if (result.state === 'failed') {
    const data = { state: 'failed' as const, statusCode: result.code, statusText: result.text }
    return (await tx.trackFile.updateMany({ where: unmade, data })).count > 0
  }
  const where = isOutdated ? unmade : { id: row.id }
  const place = { where, track: run.track, variant, recipe: row.props as object }
  return putFile(run.services, tx, result, place)
}
