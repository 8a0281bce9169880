import type { Transaction } from '../../../platform/db/client.ts'
import { Prisma } from '../../../platform/db/generated/client/client.ts'
import type { JobKind } from '../../../platform/db/generated/client/enums.ts'
import { IS_UNENDED } from '../job-states.ts'
import {
  applyVariantJob,
  enqueueJob,
  type JobTask,
  MAX_TURN,
  processCoverJob,
  processTrackJob,
  processVariantJob,
  rebuildTrackJob,
  transcribeTrackJob,
} from './tasks.ts'

interface JobSubject {
  trackId?: string
  collectionId?: string
  variantId?: string
  variantIds?: string[]
}

/** Queues the processing of an uploaded recording. */
export const queueTrackProcessing = (tx: Transaction, organizationId: string, trackId: string) =>
  queue(tx, processTrackJob, organizationId, 'process_track', { trackId })

/** Queues one more file of a processed track. */
export const queueVariantProcessing = (tx: Transaction, organizationId: string, trackId: string, variantId: string) =>
  queue(tx, processVariantJob, organizationId, 'process_variant', { trackId, variantId })

/**
 * Queues the file of a variant for a track where it is missing or failed.
 * @returns ID of the job, or of the one that is queued already
 */
export async function queueVariantAgain(
  tx: Transaction,
  organizationId: string,
  trackId: string,
  variantId: string,
): Promise<string> {
  const { turn, turns } = await takeTurn(tx, organizationId, 'process_variant', trackId)
  const id = Bun.randomUUIDv7()
  // The partial unique index `job_queued_once` allows one queued job. The update locks it, so that it does not start
  // before it is read.
  const [job] = await tx.$queryRaw<{ id: string }[]>`
    INSERT INTO job (id, organization_id, kind, track_id, variant_id, turns)
    VALUES (${id}::uuid, ${organizationId}::uuid, 'process_variant', ${trackId}::uuid, ${variantId}::uuid, ${turns})
    ON CONFLICT (track_id, variant_id) WHERE state = 'queued' AND kind = 'process_variant'
      DO UPDATE SET track_id = excluded.track_id
    RETURNING id`
  if (!job) throw new Error('no job was queued')
  if (job.id === id) await enqueueJob(tx, applyVariantJob, { id, organizationId }, { turn })
  return job.id
}

/** Queues a rebuild of the files of these variants. */
export const queueRebuild = (tx: Transaction, organizationId: string, trackId: string, variantIds: string[]) =>
  queue(tx, rebuildTrackJob, organizationId, 'rebuild_track', { trackId, variantIds })

/** Records a rebuild that has nothing to make. @returns ID of the job */
export async function recordEmptyRebuild(tx: Transaction, organizationId: string, trackId: string, now: Date) {
  const ended = { state: 'done' as const, startedAt: now, finishedAt: now }
  const data = { organizationId, kind: 'rebuild_track' as const, trackId, ...ended }
  return (await tx.job.create({ data, select: { id: true } })).id
}

/** Queues the processing of an uploaded cover: of a track, a collection, or else of the organization. */
export function queueCoverProcessing(
  tx: Transaction,
  organizationId: string,
  subject: { trackId?: string; collectionId?: string },
) {
  const ofCollection = subject.collectionId ? 'process_collection_cover' : 'process_organization_cover'
  return queue(tx, processCoverJob, organizationId, subject.trackId ? 'process_track_cover' : ofCollection, subject)
}

/** Input of a transcription. */
export interface TranscriptionOrder {
  /** BCP 47 tag. Null: the one that the provider recognizes. */
  language: string | null
  prompt: string
  /** Length of the recording. */
  recordingSeconds: number
}

/** Queues the transcription of a track. @returns ID of the job */
export async function queueTranscription(
  tx: Transaction,
  organizationId: string,
  trackId: string,
  order: TranscriptionOrder,
): Promise<string> {
  const jobId = await queue(tx, transcribeTrackJob, organizationId, 'transcribe_track', { trackId })
  await tx.transcription.create({ data: { ...order, id: jobId } })
  return jobId
}

/** @returns ID of the job */
async function queue(
  tx: Transaction,
  definition: JobTask,
  organizationId: string,
  kind: JobKind,
  subject: JobSubject,
): Promise<string> {
  const { turn, turns } = await takeTurn(tx, organizationId, kind, subject.trackId)
  const { id } = await tx.job.create({ data: { organizationId, kind, turns, ...subject }, select: { id: true } })
  await enqueueJob(tx, definition, { id, organizationId }, { turn })
  return id
}

/** Seconds of sound for which a job takes a turn, and bytes of a second where the length is not known yet. */
const [TURN_SECONDS, SECOND_BYTES] = [300, 40_000]
const MAX_TURNS = 20

/**
 * Returns the turn of an organization's next job: the turns that its unfinished ones and this one take, so that
 * organizations take turns however many jobs one of them queues, and a short job of another organization starts before
 * a long one. Rebuilds, files of batches and transcriptions have turns of their own. Covers take one turn.
 */
async function takeTurn(tx: Transaction, organizationId: string, kind: JobKind, trackId?: string) {
  const ofSound = kind === 'process_track_cover' ? null : (trackId ?? null)
  const [line] = await tx.$queryRaw<{ ahead: number; turns: number }[]>`
    SELECT (
      SELECT coalesce(sum(turns), 0)::int FROM (
        SELECT turns FROM job WHERE organization_id = ${organizationId}::uuid AND ${Prisma.raw(IS_UNENDED)}
          AND batch_id IS NULL AND (kind = 'rebuild_track') = ${kind === 'rebuild_track'}::boolean
          AND (kind = 'transcribe_track') = ${kind === 'transcribe_track'}::boolean
        LIMIT ${MAX_TURN}) ahead
    ) AS ahead, coalesce((
      SELECT greatest(1, least(${MAX_TURNS}::int, ceil(
        coalesce(duration_seconds, source_bytes / ${SECOND_BYTES}::float8, 0) / ${TURN_SECONDS}::int)))::int
      FROM track WHERE id = ${ofSound}::uuid
    ), 1) AS turns`
  const { ahead, turns } = line ?? { ahead: 0, turns: 1 }
  return { turn: Math.min(MAX_TURN, ahead + turns - 1), turns }
}
