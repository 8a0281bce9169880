import type { SessionOf } from '../../upload/queue.ts'
import type { useRun } from '../api.ts'
import { CreateUploadSessionDocument } from '../generated/operations.ts'
import { DAY_SECONDS } from '../time.ts'

/** A session that expires sooner is not used for further tracks. */
const RENEW_BEFORE_MS = 600_000

interface Session {
  id: string
  expiresAt: string
}

/** Upload sessions by collection, each created when its first file is sent. */
export function createSessions(run: ReturnType<typeof useRun>) {
  const sessions = new Map<string, SessionOf>()

  function createSessionReader(collectionId: string): SessionOf {
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

  return (collectionId: string): SessionOf => {
    const session = sessions.get(collectionId) ?? createSessionReader(collectionId)
    sessions.set(collectionId, session)
    return session
  }
}
