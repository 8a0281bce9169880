import { task } from '../../../platform/jobs/task.ts'
import { restoreSomeTracks, restoreTracks } from './restore-tracks.ts'

/** A task that dies is continued after its last chunk. */
export const restoreTracksTask = task(restoreTracks, async ({ db, clock }, { collectionId }, { signal }) => {
  while (await db.$transaction((tx) => restoreSomeTracks(tx, collectionId, clock()))) signal.throwIfAborted()
})
