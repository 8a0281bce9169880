import { z } from 'zod'
import type { TaskDefinition } from '../../platform/task.ts'

const job = z.object({ jobId: z.string() })

/**
 * The last attempt does not process but gives up: so a recording that ends the process every time still leaves a
 * track with a reason, not one that is processing for ever.
 */
const ATTEMPTS = 5

export const processTrack: TaskDefinition<z.infer<typeof job>> = {
  name: 'process_track',
  payload: job,
  maxAttempts: ATTEMPTS,
}
export const processVariant: TaskDefinition<z.infer<typeof job>> = {
  name: 'process_variant',
  payload: job,
  maxAttempts: ATTEMPTS,
}

/** One file for a track that is ready: of a batch, or again after a failure. */
export const applyVariant: TaskDefinition<z.infer<typeof job>> = {
  name: 'apply_variant',
  payload: job,
  maxAttempts: ATTEMPTS,
  // Behind every upload: whoever uploads waits for it.
  priority: 10,
}

/** Files of a track anew. */
export const rebuildTrack: TaskDefinition<z.infer<typeof job>> = {
  name: 'rebuild_track',
  payload: job,
  maxAttempts: ATTEMPTS,
  // Behind every upload, and before all batches: its track is not ready meanwhile.
  priority: 5,
}

const batch = z.object({ batchId: z.string() })

/** Queues the jobs of a batch. */
export const fillBatch: TaskDefinition<z.infer<typeof batch>> = {
  name: 'fill_batch',
  payload: batch,
  maxAttempts: 25,
  priority: 5,
}

export const processCover: TaskDefinition<z.infer<typeof job>> = {
  name: 'process_cover',
  payload: job,
  maxAttempts: ATTEMPTS,
}
