import { useEffect, useState } from 'react'
import { Console } from './console.tsx'
import { createFetcher } from './fetcher.ts'
import type { SessionStore } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { SessionContext, useSession, useSessionStore } from './use-session.ts'

export function App({ session }: { session: SessionStore }) {
  return (
    <SessionContext value={session}>
      <Page />
    </SessionContext>
  )
}

/**
 * The form, the console, or the form over the console: after an expired session tabs and answers stay, after signing
 * out they are removed.
 */
function Page() {
  const store = useSessionStore()
  const { session, notice } = useSession()
  const [fetcher] = useState(() => createFetcher(store, (url, init) => fetch(url, init)))
  // A restored session may have ended.
  useEffect(() => void store.check().catch(() => {}), [store])
  return (
    <>
      {(session || notice) && <Console fetcher={fetcher} isLocked={!session} />}
      {!session && <SignIn />}
    </>
  )
}
