import { delay, followSignal } from './delay.ts'
import { parsedBody, TonearmError, toTonearmError } from './error.ts'
import type { ConnectionOptions, RequestOptions, Schemas } from './rest.ts'

/** State and progress of a track, as its upload session shows them. */
export type SessionTrack = Schemas['UploadSessionTrack']

export type SessionChange =
  | { type: 'track'; track: SessionTrack }
  /** The track was deleted. */
  | { type: 'deleted'; trackId: string }

export interface UploadedTrack {
  trackId: string
  uploadSessionId: string
}

export interface WaitForUploadOptions extends RequestOptions {
  /** Called with each state, also with the first one. `progress` is 0 to 100. */
  onChange?: (track: SessionTrack) => void
}

/** An upload whose recording cannot be used. */
export class UploadFailedError extends Error {
  override readonly name = 'UploadFailedError'
  constructor(readonly track: SessionTrack) {
    super(track.status_text ?? `the track is ${track.track_status_id}`)
  }
}

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 10_000
/** The service sends at least a comment every 15 seconds. */
const SILENCE_MS = 45_000
const unfinished: readonly string[] = ['initialized', 'processing', 'fallback_processing']

type Connection = Pick<ConnectionOptions, 'baseUrl' | 'fetch'>

/**
 * Iterates over the states of the tracks of an upload session: first the current ones, then every change. Needs no API
 * key. Connects again after a broken connection. Ends only with an error, or when the loop is left.
 * @throws TonearmError `expired` when the session ends, `not_found` when its collection is deleted
 */
export async function* followSession(
  connection: Connection,
  uploadSessionId: string,
  { signal }: RequestOptions = {},
): AsyncGenerator<SessionChange, never> {
  let wait = FIRST_WAIT_MS
  for (;;) {
    try {
      for await (const change of readSession(connection, uploadSessionId, signal)) {
        wait = FIRST_WAIT_MS
        yield change
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof TonearmError) throw error
    }
    await delay(wait, signal)
    wait = Math.min(2 * wait, MAX_WAIT_MS)
  }
}

/** The changes of one connection, until it ends, breaks off or is silent. */
async function* readSession(
  { baseUrl, fetch = globalThis.fetch }: Connection,
  uploadSessionId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<SessionChange, void> {
  const url = new URL(`/v1/upload_session/${encodeURIComponent(uploadSessionId)}/events`, baseUrl)
  const leaving = new AbortController()
  const unfollow = followSignal(leaving, signal)
  try {
    const response = await fetch(new Request(url, { headers: { accept: 'text/event-stream' }, signal: leaving.signal }))
    if (!response.ok || !response.body) return await refuse(response)
    for await (const { type, data } of readEvents(response.body, () => leaving.abort())) {
      if (type === 'end') throw new TonearmError(410, data.code ?? 'expired', data.message ?? 'ended', null)
      if (type === 'track') yield { type, track: data as SessionTrack }
      if (type === 'deleted') yield { type, trackId: data.track_id ?? '' }
    }
  } finally {
    unfollow()
    leaving.abort()
  }
}

/** @throws TonearmError unless the service is only busy */
async function refuse(response: Response): Promise<void> {
  const body = parsedBody(await response.text())
  if (response.status !== 429 && response.status < 500) throw toTonearmError(response.status, body)
}

interface StreamEvent {
  type: string
  data: Partial<SessionTrack> & { code?: string; message?: string; track_id?: string }
}

/** Parses server-sent events as this service writes them: one line of type and one of data. */
async function* readEvents(body: ReadableStream<Uint8Array>, silent: () => void): AsyncGenerator<StreamEvent, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const timer = setTimeout(silent, SILENCE_MS)
      const { done, value } = await reader.read().finally(() => clearTimeout(timer))
      if (done) return
      text += decoder.decode(value, { stream: true })
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) {
        const [, type, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? []
        if (type && data) yield { type, data: JSON.parse(data) }
      }
    }
  } finally {
    // An open connection keeps a process of Node running.
    await reader.cancel().catch(() => {})
  }
}

/**
 * Waits until the service has processed an upload, with nothing but its upload session.
 * @returns the track. Its status is `ready`, or `incomplete` when some files failed
 * @throws UploadFailedError when its recording cannot be used; TonearmError `not_found` when it is deleted
 */
export async function waitForUpload(
  connection: Connection,
  { trackId, uploadSessionId }: UploadedTrack,
  { onChange, signal }: WaitForUploadOptions = {},
): Promise<SessionTrack> {
  for await (const change of followSession(connection, uploadSessionId, { signal })) {
    if (change.type === 'deleted') {
      if (change.trackId === trackId) throw new TonearmError(404, 'not_found', 'the track was deleted', null)
      continue
    }
    const { track } = change
    if (track.track_id !== trackId) continue
    onChange?.(track)
    const { track_status_id: status } = track
    if (status === 'error' || status === 'init_error') throw new UploadFailedError(track)
    if (!unfinished.includes(status)) return track
  }
  throw new Error('unreachable')
}
