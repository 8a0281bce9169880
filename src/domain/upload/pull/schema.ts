import { z } from 'zod'
import type { TaskDefinition } from '../../../platform/jobs/task.ts'

const payload = z.object({ trackId: z.string() })

/** Takes a track's recording from the web. */
export const pullSource: TaskDefinition<z.infer<typeof payload>> = {
  name: 'pull_source',
  payload,
  // Only for failures that the database cannot record; pull-source.task.ts counts all others.
  maxAttempts: 25,
}
