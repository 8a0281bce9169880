import { task } from '../../platform/jobs/task.ts'
import { deleteSomeTracks, deleteTracks } from './delete-tracks.ts'

/** A task that dies is continued after its last chunk. */
export const deleteTracksTask = task(deleteTracks, async ({ db }, { collectionId }, { signal }) => {
  while (await db.$transaction((tx) => deleteSomeTracks(tx, collectionId))) signal.throwIfAborted()
})
