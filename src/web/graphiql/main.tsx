import './guard.ts'
import 'graphiql/style.css'
import '../session/session.css'
import './style.css'
import { createRoot } from 'react-dom/client'
import { finishIssuerSignIn } from '../session/issuer.ts'
import { createSession, thisBrowser } from '../session/session.ts'
import { ConsoleApp } from './app.tsx'

// Applies the editor's theme to the form, before the editor has loaded.
const theme = localStorage.getItem('graphiql:theme')
if (theme === 'dark' || theme === 'light') document.body.classList.add(`graphiql-${theme}`)

const root = document.getElementById('root')
if (root) {
  const session = createSession(thisBrowser())
  finishIssuerSignIn(session, window).then(() => createRoot(root).render(<ConsoleApp session={session} />))
}
