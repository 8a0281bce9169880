import { z } from 'zod'
import type { TaskDefinition } from '../../../platform/jobs/task.ts'

const job = z.object({ jobId: z.string() })

/** A task that does the work of one row of `job`. */
export type JobTask = TaskDefinition<z.infer<typeof job>>

/**
 * Attempts that the queue itself makes while the database cannot record a failure. All other failures are counted in
 * the job's row, by `attempt` in retry.ts.
 */
const ATTEMPTS = 25

export const processTrackJob: JobTask = {
  name: 'process_track',
  payload: job,
  maxAttempts: ATTEMPTS,
}
export const processVariantJob: JobTask = {
  name: 'process_variant',
  payload: job,
  maxAttempts: ATTEMPTS,
}

/** Makes one file of a ready track: of a batch, or again after a failure. */
export const applyVariantJob: JobTask = {
  name: 'apply_variant',
  payload: job,
  maxAttempts: ATTEMPTS,
  // After all uploads, which clients wait for.
  priority: 10,
}

/** Rebuilds files of a track from its recording. */
export const rebuildTrackJob: JobTask = {
  name: 'rebuild_track',
  payload: job,
  maxAttempts: ATTEMPTS,
  // After all uploads and before all batches: its track is not ready until it ends.
  priority: 5,
}

const batch = z.object({ batchId: z.string() })

/** Queues the jobs of a batch. */
export const fillBatchJob: TaskDefinition<z.infer<typeof batch>> = {
  name: 'fill_batch',
  payload: batch,
  maxAttempts: ATTEMPTS,
  priority: 5,
}

export const processCoverJob: JobTask = {
  name: 'process_cover',
  payload: job,
  maxAttempts: ATTEMPTS,
}
