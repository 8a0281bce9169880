import { z } from 'zod'
import type { TaskDefinition } from '../../../platform/task.ts'

/** How often a source is asked in all; later attempts come after 3, 7 and 20 seconds. */
export const TRIES = 4

const payload = z.object({ trackId: z.string() })

/** Takes a track's recording from the web. */
export const pullSource: TaskDefinition<z.infer<typeof payload>> = {
  name: 'pull_source',
  payload,
  // The last one only gives up: so a source that ends the process every time still leaves a track with a reason.
  maxAttempts: TRIES + 1,
}
