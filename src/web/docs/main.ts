import './guard.ts'
import 'swagger-ui-dist/swagger-ui.css'
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'

const root = document.getElementById('root') as HTMLElement

try {
  const answer = await fetch('/openapi.json')
  if (!answer.ok) throw new Error(`/openapi.json: ${answer.status}`)
  const spec = await answer.json()
  SwaggerUI({
    domNode: root,
    // Tried from here, requests go to where this page came from: its policy allows nothing else.
    spec: { ...spec, servers: [{ url: location.origin }] },
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    persistAuthorization: false,
    validatorUrl: null,
  })
} catch (error) {
  root.textContent = `The reference cannot be shown: ${error instanceof Error ? error.message : error}`
}
