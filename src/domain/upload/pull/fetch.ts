import { parse } from 'content-disposition'
import { EgressError, type GuardedAnswer, guardedRequest } from '../../../platform/egress/guarded-request.ts'
import { readRetryAfter } from '../../../platform/egress/retry-after.ts'
import { collectGarbage } from '../../../platform/http/collect-garbage.ts'
import { HOUR_MS } from '../../../platform/time.ts'
import { printable, type SourceAddress } from './address.ts'
import { PullError, refusedBySource } from './failure.ts'

const REDIRECTS = 3
/** Time limit for the whole recording. */
const TOTAL_MS = HOUR_MS
const IDLE_MS = 30_000
/** Minimum mean rate after the first minute, so that a slow source does not occupy a worker. */
const MIN_BYTES_PER_SECOND = 16_384
const GRACE_MS = 60_000
/** Consecutive interrupted connections without a byte. */
const RESUMES = 4
const RESUME_MS = 250

interface FetchOptions {
  maxBytes: number
  allowPrivate: boolean
  signal: AbortSignal
  clock: () => Date
}

/** The answer of a source. */
export interface Fetched {
  /** From Content-Disposition. Null without one. */
  fileName: string | null
  chunks: AsyncIterable<Uint8Array>
  /** Closes the connection. Must be called. */
  close: () => void
}

/**
 * Requests a recording. If the source supports ranges, an interrupted download is continued with a new connection.
 * @throws PullError, EgressError; also while the bytes are read
 */
export async function fetchSource(address: SourceAddress, options: FetchOptions): Promise<Fetched> {
  const { allowPrivate, maxBytes, clock } = options
  const began = clock().getTime()
  const elapsed = () => clock().getTime() - began
  const closing = new AbortController()
  const request: SendRequest = async (headers, limit) => {
    const dropped = new AbortController()
    const answer = await guardedRequest(address.url, {
      headers: {
        // The body is not decompressed.
        'accept-encoding': 'identity',
        accept: '*/*',
        ...(address.authorization && { authorization: address.authorization }),
        ...headers,
      },
      maxBytes: limit,
      redirects: REDIRECTS,
      allowPrivate,
      timeoutMs: Math.max(1, TOTAL_MS - elapsed()),
      idleTimeoutMs: IDLE_MS,
      signal: AbortSignal.any([options.signal, dropped.signal, closing.signal]),
    })
    return { ...answer, drop: () => dropped.abort() }
  }
  const first = await requestWhole(request, maxBytes)
  const chunks = withMinimumRate(resumed(first, request, maxBytes), elapsed)
  return { fileName: parseFileName(first), chunks, close: () => closing.abort() }
}

/** An answer whose connection can be closed before its end. */
type Answer = GuardedAnswer & { drop: () => void }
type SendRequest = (headers: Record<string, string>, maxBytes: number) => Promise<Answer>

async function* resumed(first: Answer, request: SendRequest, maxBytes: number): AsyncGenerator<Uint8Array> {
  let etag: string | null = null
  let offset = 0
  let failures = 0
  for (let answer: Answer | null = first; ; ) {
    try {
      answer ??= await (offset === 0 || etag === null
        ? requestWhole(request, maxBytes)
        : requestFrom(request, offset, etag, maxBytes - offset))
      if (offset === 0) etag = strongTag(answer)
      for await (const chunk of answer.body) {
        offset += chunk.byteLength
        failures = 0
        yield chunk
        collectGarbage(chunk.byteLength)
      }
      return
    } catch (error) {
      answer = null
      if (!etag || !isInterruption(error) || failures >= RESUMES) throw error
      // No pause before the first attempt, because most interruptions are single.
      if (failures > 0) await Bun.sleep(RESUME_MS * 2 ** failures)
      failures += 1
    }
  }
}

/** @throws PullError, EgressError */
async function requestWhole(request: SendRequest, maxBytes: number): Promise<Answer> {
  const answer = await request({}, maxBytes)
  checkAnswer(answer, 200, maxBytes)
  return answer
}

/** @throws PullError if the recording at the source has changed; EgressError */
async function requestFrom(request: SendRequest, offset: number, etag: string, maxBytes: number): Promise<Answer> {
  const answer = await request({ range: `bytes=${offset}-`, 'if-range': etag }, maxBytes)
  if (answer.status === 200) {
    answer.drop()
    throw new PullError('source_changed', 'The recording at the source changed while it was being fetched.', true)
  }
  checkAnswer(answer, 206, maxBytes)
  if (!answer.headers['content-range']?.startsWith(`bytes ${offset}-`)) {
    answer.drop()
    throw new EgressError('broken_answer')
  }
  return answer
}

const isInterruption = (error: unknown) =>
  error instanceof EgressError && ['broken_answer', 'unreachable', 'timed_out'].includes(error.code)

/** @throws PullError, EgressError */
function checkAnswer(answer: Answer, expected: number, maxBytes: number): void {
  const { status, headers } = answer
  const encoding = headers['content-encoding'] ?? 'identity'
  const isExpected =
    status === expected && encoding === 'identity' && Number(headers['content-length'] ?? 0) <= maxBytes
  if (isExpected) return
  answer.drop()
  if (status !== expected) throw refusedBySource(status, readRetryAfter(headers['retry-after'], new Date()))
  if (encoding === 'identity') throw new EgressError('too_large')
  throw new PullError('source_encoded', 'The source sends the recording compressed for transport.')
}

/** The strong ETag of a source that supports ranges, which is required for continuing a download; else null. */
function strongTag({ headers }: GuardedAnswer): string | null {
  const { etag } = headers
  return headers['accept-ranges'] === 'bytes' && etag?.startsWith('"') ? etag : null
}

async function* withMinimumRate(chunks: AsyncIterable<Uint8Array>, elapsed: () => number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    const ms = elapsed()
    if (ms > GRACE_MS && bytes < (MIN_BYTES_PER_SECOND * ms) / 1000) {
      throw new PullError('source_timed_out', 'The source sends the recording too slowly.', true)
    }
    yield chunk
  }
}

function parseFileName({ headers }: GuardedAnswer): string | null {
  const header = headers['content-disposition']
  if (!header) return null
  try {
    return printable(parse(header).parameters.filename ?? '') || null
  } catch {
    return null
  }
}
