import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import type { ChosenFile } from '../../upload/files.ts'
import { createMemory, type UploadMemory } from '../../upload/memory.ts'
import { createQueue, type Queue } from '../../upload/queue.ts'
import { createService } from '../../upload/service.ts'
import { useRefresh, useRun } from '../api.ts'
import { useLastSession } from '../last-session.ts'
import { createCover } from './cover.ts'
import { createDestinations } from './destinations.ts'

interface Uploads {
  queue: Queue
  memory: UploadMemory
  /** Uploads recordings into a collection. Continues those that were interrupted. */
  add: (collectionId: string, files: readonly ChosenFile[]) => void
  /** Continues interrupted uploads with their files. @returns the other files */
  resume: (files: readonly ChosenFile[]) => ChosenFile[]
  /** Replaces the cover of a collection. */
  addCover: (collectionId: string, picture: ChosenFile) => void
}

const UploadsContext = createContext<Uploads | null>(null)

interface Needs {
  organizationId: string
  run: ReturnType<typeof useRun>
  refresh: ReturnType<typeof useRefresh>
}

function createUploads({ organizationId, run, refresh }: Needs): Uploads {
  const service = createService()
  const queue = createQueue(service)
  const memory = createMemory(organizationId, service.read)
  const openDestination = createDestinations(run)
  return {
    queue,
    memory,
    add(collectionId, files) {
      const withTracks = files.map((file) => ({ ...file, created: memory.take(file.file, collectionId)?.created }))
      queue.add(withTracks, openDestination(collectionId))
    },
    resume(files) {
      return files.filter((file) => {
        const upload = memory.take(file.file, null)
        if (upload) queue.add([{ ...file, created: upload.created }], openDestination(upload.destinationId))
        return !upload
      })
    },
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
  const organizationId = useLastSession()?.organizationId ?? ''
  const [uploads] = useState(() => createUploads({ organizationId, run, refresh }))
  useEffect(() => {
    const { queue, memory } = uploads
    const remember = () => memory.remember(queue.listUnfinished())
    void memory.start()
    const unsubscribe = queue.subscribe(remember)
    addEventListener('pagehide', remember)
    return () => {
      unsubscribe()
      removeEventListener('pagehide', remember)
      // After the sign-out there is no page that shows them.
      queue.pauseAll()
      memory.end()
    }
  }, [uploads])
  return <UploadsContext value={uploads}>{children}</UploadsContext>
}

export function useUploads(): Uploads {
  const uploads = useContext(UploadsContext)
  if (!uploads) throw new Error('the component has no uploads')
  return uploads
}
