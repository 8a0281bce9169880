import createFetchClient from 'openapi-fetch'
import { delay, followSignal } from './delay.ts'
import { toTonearmError } from './error.ts'
import type { components, paths } from './generated/rest.ts'

export type Schemas = components['schemas']

export interface ConnectionOptions {
  /** Origin of the service, such as `https://audio.example.com`. */
  baseUrl: string
  /** An API key of any kind but `share`. Without one, only what needs no key works: sessions and stream links. */
  apiKey?: string
  /** Sends the requests. Defaults to the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>
  /** Milliseconds in which an answer of /v1 must begin; after it the request is repeated. Defaults to 60,000. */
  timeoutMs?: number
}

/** Options of every method that sends requests. */
export interface RequestOptions {
  /** Ends the method with the signal's reason. Pass `AbortSignal.timeout(ms)` for a limit of time. */
  signal?: AbortSignal
}

const TIMEOUT_MS = 60_000

const RETRIES = 3
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 30_000
const RATE_LIMITED = 429
const passing = new Set([RATE_LIMITED, 502, 503, 504])

/** Connects to /v1. All of its operations and shapes are typed by the OpenAPI document of the service. */
export const connect = ({ baseUrl, apiKey, fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS }: ConnectionOptions) =>
  createFetchClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    // A list is one value with commas.
    querySerializer: { array: { style: 'form', explode: false } },
    fetch: (request) => sendWithRetries(request, (sent) => sendInTime(sent, fetch, timeoutMs)),
  })
export type Rest = ReturnType<typeof connect>

const KEY_BYTES = 16

/** Browsers have no `crypto.randomUUID` on pages of plain http. */
const newIdempotencyKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * Sends a request, and repeats it up to three times when the service is unavailable, its rate limit is reached or the
 * connection breaks. A POST gets an `Idempotency-Key`, so that a repeat has no second effect. One that cannot have it,
 * because it has no API key, is repeated only at the rate limit, which is checked before it has an effect.
 */
async function sendWithRetries(request: Request, fetch: (request: Request) => Promise<Response>): Promise<Response> {
  const { method, headers, signal } = request
  if (method === 'POST' && headers.has('authorization') && !headers.has('idempotency-key'))
    headers.set('idempotency-key', newIdempotencyKey())
  const isRepeatable = method !== 'POST' || headers.has('idempotency-key')
  const isPassing = (status: number) => (isRepeatable ? passing.has(status) : status === RATE_LIMITED)
  for (let tries = 0; ; tries++) {
    const isLast = tries === RETRIES
    const wait = FIRST_WAIT_MS * 2 ** tries
    try {
      const response = await fetch(isLast ? request : request.clone())
      if (isLast || !isPassing(response.status)) return response
      await response.body?.cancel()
      await delay(retryAfterMs(response) ?? wait, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (isLast || !isRepeatable) throw error
      await delay(wait, signal)
    }
  }
}

/** Sends a request whose answer must begin in time. */
async function sendInTime(request: Request, fetch: (request: Request) => Promise<Response>, timeoutMs: number) {
  const ending = new AbortController()
  const reason = new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError')
  const timer = setTimeout(() => ending.abort(reason), timeoutMs)
  // Not ended with the answer: the signal ends the reading of its body, too.
  followSignal(ending, request.signal)
  try {
    return await fetch(new Request(request, { signal: ending.signal }))
  } finally {
    clearTimeout(timer)
  }
}

/** @returns null without a number of seconds */
function retryAfterMs({ headers }: Response): number | null {
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10)
  return Number.isNaN(seconds) ? null : Math.min(seconds * 1000, MAX_WAIT_MS)
}

/**
 * Returns the data of an answer.
 * @throws TonearmError when the service refuses
 * @example
 * ```ts
 * const { track } = readData(await tonearm.rest.GET('/v1/track/{track_id}', { params: { path: { track_id: trackId } } }))
 * ```
 */
export function readData<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) throw toTonearmError(response.status, error)
  return data
}
