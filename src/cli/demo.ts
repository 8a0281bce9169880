import { basename } from 'node:path'
import type { Config } from '../config.ts'
import { OperatorError } from '../config.ts'
import { readCredentials } from './first-start.ts'

const POLL_MS = 300
const MAX_WAIT_MS = 30 * 60_000

interface Answer {
  ok: boolean
  message?: string
  [key: string]: unknown
}

/** Runs `bun run demo FILE`: uploads, processes and plays a recording with a running service, over HTTP only. */
export async function demo(config: Config, path: string | undefined, report: (line: string) => void): Promise<void> {
  if (!path) throw new OperatorError('usage: bun run demo FILE')
  const file = Bun.file(path)
  if (!(await file.exists())) throw new OperatorError(`${path}: the file does not exist`)
  const credentials = await readCredentials(config.dataDir)
  if (!credentials) throw new OperatorError(`no credentials in ${config.dataDir}: start the service first (bun start)`)
  const { base_url: base, api_key: key, share_key: shareKey, collection_id } = credentials

  const call = async (method: string, route: string, body?: object): Promise<Answer> => {
    const response = await request(`${base}/v1${route}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    const answer = (await response.json()) as Answer
    if (!answer.ok) throw new OperatorError(`${method} ${route}: ${response.status} ${answer.message}`)
    return answer
  }

  const session = await call('POST', '/upload_session', { collection_id, track: { file_name: basename(path) } })
  report(`session    ${session.upload_session_id}`)

  const started = performance.now()
  const target = session.track_upload as { upload_url: string }
  const upload = await request(target.upload_url, { method: 'PUT', body: file })
  if (!upload.ok) throw new OperatorError(`upload: ${upload.status} ${await upload.text()}`)
  report(`upload     ${file.size} bytes in ${seconds(started)}`)

  const track = await waitUntilDone(call, session.track_id as string, report)
  const status = track.track_status_id
  report(`processed  ${status} ${seconds(started)} after the upload began, ${track.duration} s of sound`)
  if (status !== 'ready' && status !== 'incomplete')
    throw new OperatorError(`the track is ${status}: ${track.status_text}`)

  const link = `${base}/v1/stream/${session.track_id}/${shareKey}`
  report(`link       ${link}`)
  const redirect = await request(link, { redirect: 'manual' })
  const sound = await request(redirect.headers.get('location') ?? '', {})
  const bytes = await sound.arrayBuffer()
  report(`sound      ${sound.status}, ${bytes.byteLength} bytes of ${sound.headers.get('content-type')}`)
}

async function waitUntilDone(
  call: (method: string, route: string) => Promise<Answer>,
  trackId: string,
  report: (line: string) => void,
): Promise<Record<string, unknown>> {
  const deadline = Date.now() + MAX_WAIT_MS
  let last = ''
  while (Date.now() < deadline) {
    const { track, files } = await call('GET', `/track/${trackId}`)
    const { track_status_id: status } = track as { track_status_id: string }
    if (status !== last) report(`state      ${status}`)
    last = status
    if (!['initialized', 'processing', 'fallback_processing'].includes(status)) {
      for (const file of files as {
        variant: { index: string }
        size: number
        content_type: string
        is_success: boolean
      }[]) {
        report(
          `  ${file.variant.index.padEnd(9)}${file.is_success ? `${file.size} bytes of ${file.content_type}` : 'failed'}`,
        )
      }
      return track as Record<string, unknown>
    }
    await Bun.sleep(POLL_MS)
  }
  throw new OperatorError('the track was not processed in time; check that a worker is running')
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch {
    throw new OperatorError(`${new URL(url).origin} does not answer; check that the service is running`)
  }
}

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`
