// The client of the service in a runtime: an upload with nothing but its session, from a path, bytes and a stream, then lists.
import { createClient, readData, TonearmError } from '@tonearm/client'
import { fileFromPath } from '@tonearm/client/node'

const { BASE_URL: baseUrl = '', API_KEY: apiKey, COLLECTION: collectionId = '', FILE = '' } = process.env
const server = createClient({ baseUrl, apiKey })
const page = createClient({ baseUrl })
const session = readData(await server.rest.POST('/v1/upload_session', { body: { collection_id: collectionId } }))
const uploadSessionId = session.upload_session_id

const file = await fileFromPath(FILE)
const progress: number[] = []
const bytes = new Uint8Array(await file.arrayBuffer())
const sources = { path: file, bytes, stream: new Blob([bytes]).stream() }
const statuses: Record<string, string> = {}
for (const [name, source] of Object.entries(sources)) {
  const upload = await page.upload(source, {
    uploadSessionId,
    track: { file_name: `${name}.wav` },
    onProgress: (sent) => progress.push(sent),
  })
  const track = await page.waitForUpload(upload, { signal: AbortSignal.timeout(60_000) })
  statuses[track.file_name] = track.track_status_id
}

const ids: string[] = []
for await (const { id } of server.tracks(collectionId, { pageSize: 2 })) ids.push(id)
const refusal = await page.getPlaySession(crypto.randomUUID()).catch((error: unknown) => error)
const code = refusal instanceof TonearmError ? refusal.code : String(refusal)
const stopped = await page
  .upload(file, { uploadSessionId, signal: AbortSignal.abort(new Error('stopped')) })
  .catch((error: Error) => error.message)
console.log(
  JSON.stringify({ statuses, isWhole: progress.includes(file.size), isListed: ids.length >= 3, code, stopped }),
)
