import { createContext, useContext } from 'react'
import type { Session } from '../session/session.ts'

export const LastSessionContext = createContext<Session | null>(null)

/** Returns the session, or the one that has ended while its page stays under the form. */
export const useLastSession = (): Session | null => useContext(LastSessionContext)
