import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { I18nProvider, RouterProvider } from 'react-aria-components'
import { Router, useLocation } from 'wouter'
import { AcceptInvitation } from '../session/accept-invitation.tsx'
import type { SessionStore } from '../session/session.ts'
import { SignIn } from '../session/sign-in.tsx'
import { SignInByLink } from '../session/sign-in-link.tsx'
import { createTransport } from '../session/transport.ts'
import { SessionContext, useSession, useSessionStore } from '../session/use-session.ts'
import { language, t } from '../strings.ts'
import { createQueries, TransportContext } from './api.ts'
import { LastSessionContext } from './last-session.ts'
import { PlaybackProvider } from './library/playback-context.tsx'
import { Shell } from './shell.tsx'
import { UploadsProvider } from './upload/uploads-context.tsx'

const BASE = '/studio'
/** Addresses that the service writes into links which work once. */
const INVITATION_PATH = '/invitation'
const SIGN_IN_LINK_PATH = '/sign-in'

export function StudioApp({ session }: { session: SessionStore }) {
  return (
    <SessionContext value={session}>
      <I18nProvider locale={language}>
        <Router base={BASE}>
          <Page />
        </Router>
      </I18nProvider>
    </SessionContext>
  )
}

/** The studio, and the form over it after a session has ended: what a person was writing stays. */
function Page() {
  const store = useSessionStore()
  const { session, notice } = useSession()
  const [transport] = useState(() => createTransport(store, (url, init) => fetch(url, init)))
  const [location, navigate] = useLocation()
  // Kept while the form is shown after the end of a session: without it, what a person was writing would be unmounted.
  const [lastSession, setLastSession] = useState(session)
  if (session && session !== lastSession) setLastSession(session)
  // A restored session may have ended.
  useEffect(() => void store.check().catch(() => {}), [store])
  const enter = () => navigate('/', { replace: true })
  if (location === INVITATION_PATH) return <AcceptInvitation onDone={enter} />
  if (location === SIGN_IN_LINK_PATH) return <SignInByLink onDone={enter} />
  return (
    <TransportContext value={transport}>
      <RouterProvider navigate={navigate} useHref={(href) => BASE + href}>
        {(session || (notice && lastSession)) && (
          <LastSessionContext value={session ?? lastSession}>
            <Answers key={(session ?? lastSession)?.organizationId} isLocked={!session} />
          </LastSessionContext>
        )}
        {/* React Aria makes everything outside of a dialog inert, except for what is marked when the dialog opens. */}
        <div data-react-aria-top-layer>{!session && <SignIn lead={t('session.studioLead')} isForKeys={false} />}</div>
      </RouterProvider>
    </TransportContext>
  )
}

/** Answers of one organization. */
function Answers({ isLocked }: { isLocked: boolean }) {
  const [queries] = useState(createQueries)
  return (
    <QueryClientProvider client={queries}>
      <div className="studio" inert={isLocked}>
        <UploadsProvider>
          <PlaybackProvider>
            <Shell />
          </PlaybackProvider>
        </UploadsProvider>
      </div>
    </QueryClientProvider>
  )
}
