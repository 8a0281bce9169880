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
export const processCover: TaskDefinition<z.infer<typeof job>> = {
  name: 'process_cover',
  payload: job,
  maxAttempts: ATTEMPTS,
}
