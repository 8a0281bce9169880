import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import type { ChosenFile } from '../../upload/files.ts'
import { createMemory, rememberQueue, type UploadMemory } from '../../upload/memory.ts'
import { createQueue, type Queue } from '../../upload/queue.ts'
import { createService } from '../../upload/service.ts'
import { useRefresh, useRun } from '../api.ts'
import { RecordingsBySizeDocument } from '../generated/operations.ts'
import { useLastSession } from '../last-session.ts'
import { createCover } from './cover.ts'
import { createDestinations } from './destinations.ts'
import { type Duplicate, findDuplicates, type Recording } from './find-duplicates.ts'

interface Uploads {
  queue: Queue
  memory: UploadMemory
  /** Uploads recordings into a collection. Continues those that were interrupted. Those that exist wait for `decide`. */
  add: (collectionId: string, files: readonly ChosenFile[]) => void
  /** Files whose recording exists already. */
  readDuplicates: () => readonly Duplicate[]
  subscribeToDuplicates: (listener: () => void) => () => void
  /** Uploads such files, or forgets them. */
  decide: (duplicates: readonly Duplicate[], decision: 'upload' | 'skip') => void
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
  const listeners = new Set<() => void>()
  let duplicates: readonly Duplicate[] = []
  let lastId = 0

  function setDuplicates(next: readonly Duplicate[]) {
    duplicates = next
    for (const listener of listeners) listener()
  }

  async function findBySize(sizes: number[]): Promise<Recording[]> {
    const { tracks } = await run(RecordingsBySizeDocument, { sizes })
    return tracks.nodes.map(({ id, title, collection, sourceBytes, sourceSha256 }) => {
      const names = { trackId: id, title, collectionTitle: collection?.title ?? null }
      return { ...names, bytes: sourceBytes ?? 0, sha256: sourceSha256 }
    })
  }

  async function addNew(collectionId: string, files: readonly ChosenFile[]) {
    for await (const { file, original } of findDuplicates(files, findBySize)) {
      if (original) setDuplicates([...duplicates, { id: ++lastId, file, collectionId, original }])
      else queue.add([file], openDestination(collectionId))
    }
  }

  return {
    queue,
    memory,
    add(collectionId, files) {
      const newFiles = files.filter((file) => {
        const upload = memory.take(file.file, collectionId)
        if (upload) queue.add([{ ...file, created: upload.created }], openDestination(collectionId))
        return !upload
      })
      void addNew(collectionId, newFiles)
    },
    readDuplicates: () => duplicates,
    subscribeToDuplicates(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    decide(decided, decision) {
      setDuplicates(duplicates.filter((duplicate) => !decided.includes(duplicate)))
      if (decision === 'skip') return
      for (const { file, collectionId } of decided) queue.add([file], openDestination(collectionId))
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
    const stop = rememberQueue(memory, queue)
    return () => {
      stop()
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
