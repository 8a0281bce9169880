import { createContext, useContext, useSyncExternalStore } from 'react'
import type { SessionState, SessionStore } from './session.ts'

export const SessionContext = createContext<SessionStore | null>(null)

/** The store that the page was started with. */
export function useSessionStore(): SessionStore {
  const store = useContext(SessionContext)
  if (!store) throw new Error('there is no session store around this component')
  return store
}

/** Who is signed in; draws again when that changes. */
export function useSession(): SessionState {
  const store = useSessionStore()
  return useSyncExternalStore(store.subscribe, store.read)
}
