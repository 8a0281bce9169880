// graphql-sse with its defaults: a query, a subscription without a key, and the refusal of single connection mode.
import { createClient } from 'graphql-sse'

const { URL: url = '', BASE_URL = '', API_KEY: key = '', COLLECTION: collection_id } = process.env
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const body = JSON.stringify({ collection_id, track: { file_name: 'sse.wav' } })
const session = await (await fetch(`${BASE_URL}/v1/upload_session`, { method: 'POST', headers, body })).json()

const withKey = createClient({ url, headers: { authorization: `Bearer ${key}` } })
const query = withKey.iterate<{ version: string }>({ query: '{ version }' })
const version = (await query.next()).value?.data?.version

const anonymous = createClient({ url })
const changes = anonymous.iterate<{ uploadSessionChanged: { status: string } }>({
  query: 'subscription ($id: ID!) { uploadSessionChanged(id: $id) { trackId status } }',
  variables: { id: session.upload_session_id },
})
const status = (await changes.next()).value?.data?.uploadSessionChanged.status
anonymous.dispose()

const single = createClient({ url, singleConnection: true, retryAttempts: 0 })
const refusal = await single
  .iterate({ query: '{ version }' })
  .next()
  .catch((error: unknown) => error)
console.log(JSON.stringify({ hasVersion: typeof version === 'string', status, isRefused: refusal !== undefined }))
