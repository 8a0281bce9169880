import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import type { ChosenFile } from '../../upload/files.ts'
import { createQueue, type Queue } from '../../upload/queue.ts'
import { createService } from '../../upload/service.ts'
import { useRefresh, useRun } from '../api.ts'
import { createCover } from './cover.ts'
import { createSessions } from './sessions.ts'

interface Uploads {
  queue: Queue
  /** Uploads recordings into a collection. */
  add: (collectionId: string, files: readonly ChosenFile[]) => void
  /** Replaces the cover of a collection. */
  addCover: (collectionId: string, picture: ChosenFile) => void
}

const UploadsContext = createContext<Uploads | null>(null)

function createUploads(run: ReturnType<typeof useRun>, refresh: ReturnType<typeof useRefresh>): Uploads {
  const queue = createQueue(createService())
  const sessionOf = createSessions(run)
  return {
    queue,
    add: (collectionId, files) => queue.add(files, sessionOf(collectionId)),
    addCover(collectionId, picture) {
      const cover = createCover(run, 'collection', collectionId)
      queue.addCover(picture, async (file, signal) => {
        const before = await cover.send(file, signal)
        return async () => {
          const isReplaced = await cover.isReplaced(before)
          await refresh()
          return isReplaced
        }
      })
    },
  }
}

/** The uploads of one organization. They continue while a person moves between the parts of the studio. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const [run, refresh] = [useRun(), useRefresh()]
  const [uploads] = useState(() => createUploads(run, refresh))
  // After the sign-out there is no page that shows them.
  useEffect(() => uploads.queue.pauseAll, [uploads])
  return <UploadsContext value={uploads}>{children}</UploadsContext>
}

export function useUploads(): Uploads {
  const uploads = useContext(UploadsContext)
  if (!uploads) throw new Error('the component has no uploads')
  return uploads
}
