import type { Transaction } from '../../../platform/db/client.ts'
import { Prisma, type Variant } from '../../../platform/db/generated/client/client.ts'
import { encodeAll } from '../../../platform/media/encode.ts'
import type { Probe } from '../../../platform/media/probe.ts'
import type { Span } from '../../../platform/media/trim.ts'
import { VALUE_SEPARATOR } from '../../track/recording/record.ts'
import type { FileWithVariant } from '../../track/service.ts'
import { lockVariants, organizationVariantWhere } from '../../variant/service.ts'
import { variantType } from '../../variant/types/index.ts'
import type { FilePlan } from '../../variant/types/type.ts'
import { lockAttempt } from '../job/end.ts'
import { makers } from '../make/makers.ts'
import { inProgress } from '../outcome.ts'
import { type LoadedTrack, loadTrack, type Run } from '../run/run.ts'

/** Plans the files of the job: adds rows that the track lacks, and derives from the probe how to make each file. */
export async function planFiles(run: Run): Promise<void> {
  if (run.job.kind === 'rebuild_track') await begin(run, addRebuiltRows)
  else if (run.track.info === null) await begin(run, addFirstRows)
  // Clips of a recording that announces no length can be placed only after a decode.
  run.claimedSeconds =
    run.probe.durationSeconds ?? (await encodeAll(run.services.tools, run, [])).decoded.durationSeconds
  run.files = rowsOf(run).map((row) => ({ row, plan: planFile(row, run.probe, run.claimedSeconds) }))
  run.progress.begin(run.files.map(({ plan }) => makers[plan.kind].weight))
}

/**
 * How to make the file of a row.
 * @param durationSeconds best known length of the recording
 * @param heard span of its sound. Null until measured, and for silence
 */
export const planFile = (
  { variant, props }: FileWithVariant,
  probe: Probe,
  durationSeconds: number,
  heard: Span | null = null,
): FilePlan => variantType(variant.type).plan(props, probe, durationSeconds, heard)

/** Rows of the files to make. A finished file keeps the parameters in its row until it is replaced. */
function rowsOf({ job, track }: Run): FileWithVariant[] {
  if (job.kind === 'process_track')
    return track.files.filter(({ state }) => state === 'queued' || state === 'processing')
  const variantIds = job.kind === 'rebuild_track' ? job.variantIds : [job.variantId]
  return track.files
    .filter(({ variantId }) => variantIds.includes(variantId))
    .map((row) => ({ ...row, props: row.variant.props }))
}

/** Writes the probe and the rows of files that the track lacks. */
async function begin(run: Run, write: (tx: Transaction, run: Run) => Promise<void>): Promise<void> {
  await run.services.db.$transaction((tx) => write(tx, run))
  const track = await loadTrack(run.services, run.track.id)
  // The next attempt ends the job.
  if (!track) throw new Error('the track was deleted while it was processed')
  run.track = track
}

/** `initialized` -> `processing`, with the files of the organization-wide variants. */
async function addFirstRows(tx: Transaction, run: Run): Promise<void> {
  const { track, probe } = run
  const { count } = await tx.track.updateMany({
    where: {
      id: track.id,
      // `processing` after an attempt that was delayed.
      status: { in: ['initialized', 'processing'] },
      info: { equals: Prisma.DbNull },
      deletedAt: null,
    },
    data: { status: 'processing', durationSeconds: probe.durationSeconds, ...describedBy(run) },
  })
  // Another run of the job has added the rows.
  if (count === 0) return
  await addRows(tx, track, await lockVariants(tx, organizationVariantWhere(track.organizationId)))
}

async function addRebuiltRows(tx: Transaction, run: Run): Promise<void> {
  const { job, track } = run
  if (!(await lockAttempt(tx, job))) return
  const variants = await lockVariants(tx, { id: { in: job.variantIds } })
  await tx.track.updateMany({ where: { id: track.id, status: { in: inProgress } }, data: describedBy(run) })
  await addRows(tx, track, variants)
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
