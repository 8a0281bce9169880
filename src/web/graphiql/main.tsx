import './guard.ts'
import 'graphiql/style.css'
import './style.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createSession } from './session.ts'

// Applies the editor's theme to the form, before the editor has loaded.
const theme = localStorage.getItem('graphiql:theme')
if (theme === 'dark' || theme === 'light') document.body.classList.add(`graphiql-${theme}`)

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(<App session={createSession(sessionStorage, (url, init) => fetch(url, init))} />)
}
