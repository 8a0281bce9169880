import { z } from 'zod'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Job } from '../../../platform/db/generated/client/client.ts'
import { type EnqueueOptions, enqueue, type TaskDefinition } from '../../../platform/jobs/task.ts'
import { slotFlag } from './slots.ts'

const job = z.object({ jobId: z.string() })

/**
 * Highest turn. Jobs beyond it run in the order of their arrival until `share_turns` gives them a lower one
 * (src/decisions/0013).
 */
export const MAX_TURN = 1000
/** Distance of the priorities of uploads, rebuilds and batches: more than a turn adds. */
export const PRIORITY_STEP = 2000

/** A task that does the work of one row of `job`. */
export type JobTask = TaskDefinition<z.infer<typeof job>>

/** Queues a job under its ID. */
export const enqueueJob = (
  tx: Transaction,
  definition: JobTask,
  { id, organizationId }: Pick<Job, 'id' | 'organizationId'>,
  options: Pick<EnqueueOptions, 'runAt' | 'turn'> = {},
) => enqueue(tx, definition, { jobId: id }, { jobKey: id, flags: [slotFlag(organizationId)], ...options })

/**
 * Attempts that the queue itself makes while the database cannot record a failure. All other failures are counted in
 * the job's row, by `attempt` in retry.ts.
 */
const ATTEMPTS = 25

export const processTrackJob: JobTask = {
  name: 'process_track',
  lane: 'processing',
  payload: job,
  maxAttempts: ATTEMPTS,
}
export const processVariantJob: JobTask = {
  name: 'process_variant',
  lane: 'processing',
  payload: job,
  maxAttempts: ATTEMPTS,
}

/** Makes one file of a ready track: of a batch, or again after a failure. */
export const applyVariantJob: JobTask = {
  name: 'apply_variant',
  lane: 'processing',
  payload: job,
  maxAttempts: ATTEMPTS,
  // After all uploads, which clients wait for.
  priority: 2 * PRIORITY_STEP,
}

/** Rebuilds files of a track from its recording. */
export const rebuildTrackJob: JobTask = {
  name: 'rebuild_track',
  lane: 'processing',
  payload: job,
  maxAttempts: ATTEMPTS,
  // After all uploads and before all batches: its track is not ready until it ends.
  priority: PRIORITY_STEP,
}

/** Makes the transcription of a track with the recognition of speech. */
export const transcribeTrackJob: JobTask = {
  name: 'transcribe_track',
  lane: 'speech',
  payload: job,
  maxAttempts: ATTEMPTS,
  // Turns are counted by level of priority, and not together with those of files.
  priority: 3 * PRIORITY_STEP,
}

const batch = z.object({ batchId: z.string() })

/** Queues the jobs of a batch. */
export const fillBatchJob: TaskDefinition<z.infer<typeof batch>> = {
  name: 'fill_batch',
  payload: batch,
  maxAttempts: ATTEMPTS,
}

export const processCoverJob: JobTask = {
  name: 'process_cover',
  lane: 'processing',
  payload: job,
  maxAttempts: ATTEMPTS,
}
