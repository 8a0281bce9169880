import { z } from 'zod'
import type { TaskDefinition } from '../../../platform/jobs/task.ts'

const payload = z.object({ trackId: z.string() })

/** Fetches the recording of a track from its source URL. */
export const pullSource: TaskDefinition<z.infer<typeof payload>> = {
  name: 'pull_source',
  lane: 'transfers',
  payload,
  // Only for failures that the database cannot record; pull-source.task.ts counts all others.
  maxAttempts: 25,
}
