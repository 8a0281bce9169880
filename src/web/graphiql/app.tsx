import { useEffect, useRef, useState } from 'react'
import type { SessionStore } from '../session/session.ts'
import { SignIn } from '../session/sign-in.tsx'
import { createTransport } from '../session/transport.ts'
import { SessionContext, useSession, useSessionStore } from '../session/use-session.ts'
import { t } from '../strings.ts'
import { type Confirmation, ConfirmRun } from './confirm-run.tsx'
import { Console } from './console.tsx'
import { isUnchanged } from './example.ts'
import { examples } from './examples.tsx'
import { createFetcher } from './fetcher.ts'

export function ConsoleApp({ session }: { session: SessionStore }) {
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
  const confirmation = useRef<Confirmation>(null)
  const [fetcher] = useState(() => {
    const transport = createTransport(store, (url, init) => fetch(url, init))
    return createFetcher(transport, async (operation) => {
      const example = examples.find((one) => one.isWriting && isUnchanged(one, operation))
      return !example || (await confirmation.current?.ask(example)) === true
    })
  })
  // A restored session may have ended.
  useEffect(() => void store.check().catch(() => {}), [store])
  return (
    <>
      {(session || notice) && <Console fetcher={fetcher} isLocked={!session} />}
      <ConfirmRun ref={confirmation} organization={session?.organizationName ?? null} />
      {!session && <SignIn lead={t('session.consoleLead')} />}
    </>
  )
}
