import './trusted-types.ts'
import './styles.ts'
import { createRoot } from 'react-dom/client'
import { finishIssuerSignIn } from '../session/issuer.ts'
import { createSession, thisBrowser } from '../session/session.ts'
import { StudioApp } from './app.tsx'

const root = document.getElementById('root')
if (root) {
  const session = createSession(thisBrowser())
  finishIssuerSignIn(session, window).then(() => createRoot(root).render(<StudioApp session={session} />))
}
