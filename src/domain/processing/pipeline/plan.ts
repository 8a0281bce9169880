import type { Transaction } from '../../../platform/db/client.ts'
import { Prisma, type Variant } from '../../../platform/db/generated/client/client.ts'
import type { Probe } from '../../../platform/media/probe.ts'
import type { Span } from '../../../platform/media/trim.ts'
import { VALUE_SEPARATOR } from '../../track/recording/record.ts'
import { type FileWithVariant, lockTrack } from '../../track/service.ts'
import { processingStates } from '../../track/states.ts'
import { lockVariants, organizationVariantWhere } from '../../variant/service.ts'
import { variantType } from '../../variant/types/index.ts'
import type { FilePlan } from '../../variant/types/type.ts'
import { endingAfterDeletion, endJob, lockAttempt } from '../job/end.ts'
import { makers } from '../make/makers.ts'
import { type LoadedTrack, loadTrack, type Run, RunEnded, requireRecording } from '../run/run.ts'

/** Plans the files of the job: adds rows that the track lacks, and derives from the probe how to make each file. */
export async function planFiles(run: Run): Promise<void> {
  if (run.job.kind === 'rebuild_track') await begin(run, { id: { in: run.job.variantIds } })
  else if (run.track.info === null) await begin(run, firstVariants(run.track))
  run.claimedSeconds = run.probe.durationSeconds ?? 0
  run.files = selectRows(run).map((row) => ({ row, plan: planFile(row, run.probe, run.claimedSeconds) }))
  run.progress.begin(run.files.map(({ plan }) => makers[plan.kind].weight))
}

/** Variants of the first run of a recording. One that replaces another has those of its track, too. */
function firstVariants({ organizationId, replacesId }: LoadedTrack): Prisma.VariantWhereInput {
  if (replacesId === null) return organizationVariantWhere(organizationId)
  return { organizationId, deletedAt: null, OR: [{ trackId: null }, { trackId: replacesId }] }
}

/**
 * How to make the file of a row.
 * @param durationSeconds best known length of the recording
 * @param soundSpan span of its sound. Null until measured, and for silence
 */
export const planFile = (
  { variant, props }: FileWithVariant,
  probe: Probe,
  durationSeconds: number,
  soundSpan: Span | null = null,
): FilePlan => variantType(variant.type).plan(props, probe, durationSeconds, soundSpan)

/** Rows of the files to make. A finished file keeps the parameters in its row until it is replaced. */
function selectRows({ job, track }: Run): FileWithVariant[] {
  if (job.kind === 'process_track')
    return track.files.filter(({ state }) => state === 'queued' || state === 'processing')
  const variantIds = job.kind === 'rebuild_track' ? job.variantIds : [job.variantId]
  const rows = track.files.filter(({ variantId }) => variantIds.includes(variantId))
  return [...rows, ...outdatedLevels(track.files, rows)].map((row) => ({ ...row, props: row.variant.props }))
}

/**
 * Files of levels that a run makes again because it replaces the file that their waveform is measured on: the oldest
 * organization-wide transcode that is complete.
 */
function outdatedLevels(files: readonly FileWithVariant[], rows: readonly FileWithVariant[]): FileWithVariant[] {
  const transcodes = files.filter(({ variant }) => variant.type === 'transcode' && variant.trackId === null)
  const delivered = transcodes.findIndex(({ state }) => state === 'done')
  const candidates = delivered < 0 ? transcodes : transcodes.slice(0, delivered + 1)
  if (!candidates.some((row) => rows.includes(row))) return []
  return files.filter((row) => row.variant.type === 'levels' && row.state === 'done' && !rows.includes(row))
}

/**
 * Writes the probe and the rows of files that the track lacks, and loads the track with them.
 * @param planned the variants whose files the run makes
 * @throws RunEnded when the track is deleted, or a later attempt has begun
 */
async function begin(run: Run, planned: Prisma.VariantWhereInput): Promise<void> {
  const { services, job } = run
  const track = await services.db.$transaction(async (tx) => {
    if (!(await lockAttempt(tx, job))) return null
    const variants = await lockVariants(tx, planned)
    const { deletedAt, sourceKey } = await lockTrack(tx, run.track.id)
    requireRecording(run, sourceKey)
    if (deletedAt) return void (await endJob(tx, job, endingAfterDeletion(job), services.clock()))
    if (await describe(tx, run)) await addRows(tx, run.track, variants)
    return loadTrack(tx, run.track.id)
  })
  if (!track) throw new RunEnded()
  run.track = track
}

/**
 * Writes what the probe has found. `initialized` -> `processing` in the first run of a recording.
 * @returns false if an earlier attempt has described the recording, and added its rows
 */
async function describe(tx: Transaction, run: Run): Promise<boolean> {
  const { id } = run.track
  if (run.job.kind === 'rebuild_track') {
    await tx.track.updateMany({ where: { id, status: { in: processingStates } }, data: describedBy(run) })
    return true
  }
  const { count } = await tx.track.updateMany({
    // `processing` after an attempt that was delayed.
    where: { id, status: { in: ['initialized', 'processing'] }, info: { equals: Prisma.DbNull } },
    data: { status: 'processing', durationSeconds: run.probe.durationSeconds, ...describedBy(run) },
  })
  return count > 0
}

async function addRows(tx: Transaction, { id: trackId, organizationId }: LoadedTrack, variants: readonly Variant[]) {
  const data = variants.map(({ id: variantId, props }) => ({
    organizationId,
    trackId,
    variantId,
    props: props as Prisma.InputJsonValue,
  }))
  await tx.trackFile.createMany({ data, skipDuplicates: true })
}

/** Columns that describe the recording. `info` is as /v1 shows it (contract, section 3). */
function describedBy({ probe, tagged: { tags, chapters } }: Run) {
  const several = Object.entries(tags).filter(([, values]) => values.length > 1)
  return {
    info: {
      container: probe.container,
      codec: probe.codec,
      sample_rate: probe.sampleRate,
      bit_depth: probe.bitDepth,
      channels: probe.channels,
      channel_layout: probe.channelLayout,
      bit_rate: probe.bitRate,
      tags: Object.fromEntries(Object.entries(tags).map(([name, values]) => [name, values.join(VALUE_SEPARATOR)])),
    },
    sourceChapters: chapters as unknown as Prisma.InputJsonArray,
    sourceTags:
      several.length > 0 ? Object.fromEntries(several.map(([name, values]) => [name, [...values]])) : Prisma.DbNull,
  }
}
