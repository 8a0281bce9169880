import './guard.ts'
import 'swagger-ui-dist/swagger-ui.css'
import './site.css'
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'

const root = document.getElementById('root') as HTMLElement

/** Swagger UI has a dark style sheet, and leaves the choice to the page. */
const dark = matchMedia('(prefers-color-scheme: dark)')
const followPreference = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followPreference)
followPreference()

try {
  const answer = await fetch('/openapi.json')
  if (!answer.ok) throw new Error(`/openapi.json: ${answer.status}`)
  const spec = await answer.json()
  SwaggerUI({
    domNode: root,
    // Requests from this page go to its own origin, as its policy requires.
    spec: { ...spec, servers: [{ url: location.origin }] },
    deepLinking: true,
    // Eleven groups at a glance. A link to an operation unfolds its group.
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    persistAuthorization: false,
    validatorUrl: null,
  })
} catch (error) {
  root.textContent = `The reference cannot be shown: ${error instanceof Error ? error.message : error}`
}
