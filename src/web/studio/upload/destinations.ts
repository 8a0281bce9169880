import type { Destination } from '../../upload/queue.ts'
import type { useRun } from '../api.ts'
import { CreateUploadSessionDocument } from '../generated/operations.ts'
import { DAY_SECONDS } from '../time.ts'

/** A session that expires sooner is not used for further tracks. */
const RENEW_BEFORE_MS = 600_000

interface Session {
  id: string
  expiresAt: string
}

/** Collections as destinations, whose upload sessions are created when their first file is sent. */
export function createDestinations(run: ReturnType<typeof useRun>) {
  const destinations = new Map<string, Destination>()

  function createSessionReader(collectionId: string): Destination['openSession'] {
    let current: Promise<Session> | null = null
    const create = async (): Promise<Session> => {
      const { createUploadSession } = await run(CreateUploadSessionDocument, { collectionId, expiresIn: DAY_SECONDS })
      return createUploadSession.uploadSession
    }
    const isUsable = ({ expiresAt }: Session) => Date.parse(expiresAt) - Date.now() > RENEW_BEFORE_MS
    return async () => {
      const previousSession = current
      const session = await previousSession?.catch(() => null)
      // Files that are sent at once share a session.
      if (current === previousSession && !(session && isUsable(session))) current = create()
      return (await (current ?? create())).id
    }
  }

  return (id: string): Destination => {
    const destination = destinations.get(id) ?? { id, openSession: createSessionReader(id) }
    destinations.set(id, destination)
    return destination
  }
}
