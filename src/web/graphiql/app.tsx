import { useEffect, useState } from 'react'
import type { SessionStore } from '../session/session.ts'
import { SignIn } from '../session/sign-in.tsx'
import { createTransport } from '../session/transport.ts'
import { SessionContext, useSession, useSessionStore } from '../session/use-session.ts'
import { t } from '../strings.ts'
import { Console } from './console.tsx'
import { createFetcher } from './fetcher.ts'

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
  const [fetcher] = useState(() => createFetcher(createTransport(store, (url, init) => fetch(url, init))))
  // A restored session may have ended.
  useEffect(() => void store.check().catch(() => {}), [store])
  return (
    <>
      {(session || notice) && <Console fetcher={fetcher} isLocked={!session} />}
      {!session && <SignIn lead={t('session.consoleLead')} />}
    </>
  )
}
