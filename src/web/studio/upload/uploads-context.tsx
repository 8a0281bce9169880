import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { createQueue, type Queue, type SessionOf } from '../../upload/queue.ts'
import { createService } from '../../upload/service.ts'
import { useRun } from '../api.ts'
import { createSessions } from './sessions.ts'

interface Uploads {
  queue: Queue
  /** Returns the upload session of a collection. */
  sessionOf: (collectionId: string) => SessionOf
}

const UploadsContext = createContext<Uploads | null>(null)

/** The uploads of one organization. They continue while a person moves between the parts of the studio. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const run = useRun()
  const [uploads] = useState(() => ({ queue: createQueue(createService()), sessionOf: createSessions(run) }))
  // After the sign-out there is no page that shows them.
  useEffect(() => uploads.queue.pauseAll, [uploads])
  return <UploadsContext value={uploads}>{children}</UploadsContext>
}

export function useUploads(): Uploads {
  const uploads = useContext(UploadsContext)
  if (!uploads) throw new Error('the component has no uploads')
  return uploads
}
