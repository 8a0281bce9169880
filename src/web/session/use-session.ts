import { createContext, useContext, useSyncExternalStore } from 'react'
import type { SessionState, SessionStore } from './session.ts'

export const SessionContext = createContext<SessionStore | null>(null)

/** Returns the page's session store. */
export function useSessionStore(): SessionStore {
  const store = useContext(SessionContext)
  if (!store) throw new Error('the component has no session store')
  return store
}

/** Returns the session state, and renders again on changes. */
export function useSession(): SessionState {
  const store = useSessionStore()
  return useSyncExternalStore(store.subscribe, store.read)
}
