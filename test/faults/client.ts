// A client of a deployment that repeats every request until it is answered, as a careful one does.
import { createHash } from 'node:crypto'
import type { Deployment, Member } from './deployment.ts'

const PATIENCE_MS = 240_000
const PAUSE_MS = 100

// biome-ignore lint/suspicious/noExplicitAny: tests check answers field by field
type Json = any

/** A recording whose upload was acknowledged. */
export interface Uploaded {
  trackId: string
  sha256: string
}

/**
 * Sends a request until it has one of these statuses. Failed connections, 503 and 500 are repeated with a short pause;
 * any other status is an error.
 */
export async function insist(what: string, accepted: number[], send: () => Promise<Response>): Promise<Response> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const response = await send().catch(() => null)
    if (response && accepted.includes(response.status)) return response
    const isFinal = response && ![409, 500, 502, 503, 504].includes(response.status)
    if (isFinal || Date.now() > deadline) {
      throw new Error(`${what}: ${response ? `${response.status} ${await response.text()}` : 'no answer'}`)
    }
    await Bun.sleep(PAUSE_MS)
  }
}

/** An address of the edge at another process. */
const at = ({ edgeUrl }: Member, address: string) => {
  const { pathname, search } = new URL(address)
  return edgeUrl + pathname + search
}

/** A call of /v1 with the demo organization's key, to any gateway. */
export async function call(deployment: Deployment, method: string, path: string, body?: object): Promise<Json> {
  const { api_key } = deployment.credentials
  const headers = {
    authorization: `Bearer ${api_key}`,
    'content-type': 'application/json',
    // A repeated request is carried out once.
    ...(method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
  }
  const init = { method, headers, body: body && JSON.stringify(body) }
  const response = await insist(`${method} ${path}`, [200], () =>
    fetch(`${deployment.anyOf('gateway').gatewayUrl}/v1${path}`, { ...init, signal: AbortSignal.timeout(30_000) }),
  )
  return response.json()
}

/** Creates a track and uploads a recording. */
export async function upload(deployment: Deployment, bytes: Uint8Array<ArrayBuffer>): Promise<Uploaded> {
  const body = { collection_id: deployment.credentials.collection_id, file_name: 'song.mp3' }
  const { track_id: trackId, track_upload } = await call(deployment, 'POST', '/track', body)
  const address = track_upload.upload_url
  let tries = 0
  await insist(`upload of ${trackId}`, [200], async () => {
    tries += 1
    const target = deployment.bucket ? address : at(deployment.anyOf('edge'), address)
    const response = await fetch(target, { method: 'PUT', body: new Blob([bytes]) })
    // The answer to an earlier try was lost.
    const isRepeated =
      tries > 1 && response.status === 409 && (await response.clone().json()).code === 'upload_completed'
    return isRepeated ? new Response(null, { status: 200 }) : response
  })
  return { trackId, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** Creates a track and sends a recording once. */
export async function tryUpload(deployment: Deployment, bytes: Uint8Array<ArrayBuffer>): Promise<Response> {
  const body = { collection_id: deployment.credentials.collection_id, file_name: 'song.wav' }
  const { track_upload } = await call(deployment, 'POST', '/track', body)
  const target = at(deployment.anyOf('edge'), track_upload.upload_url)
  return fetch(target, { method: 'PUT', body: new Blob([bytes]) })
}

/** Opens a stream link and reads the file. @returns its number of bytes */
export async function listen(deployment: Deployment, trackId: string): Promise<number> {
  const path = `/v1/stream/${trackId}/${deployment.credentials.share_key}`
  const link = await insist(path, [302], () =>
    fetch(deployment.anyOf('gateway').gatewayUrl + path, { redirect: 'manual', signal: AbortSignal.timeout(30_000) }),
  )
  const location = link.headers.get('location') ?? ''
  const file = await insist(location, [200], () => fetch(at(deployment.anyOf('edge'), location)))
  return (await file.arrayBuffer()).byteLength
}
