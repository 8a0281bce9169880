import { parse } from 'content-disposition'
import { EgressError, type GuardedAnswer, guardedRequest } from '../../../platform/egress/guarded-request.ts'
import { readRetryAfter } from '../../../platform/egress/retry-after.ts'
import { printable, type SourceAddress } from './address.ts'
import { PullError, refusedBySource } from './failure.ts'

const REDIRECTS = 3
/** For all of a recording; what takes longer is better uploaded. */
const TOTAL_MS = 3_600_000
const IDLE_MS = 30_000
/** Slower sources than that would hold a worker for their own pace, after a first minute. */
const MIN_BYTES_PER_SECOND = 16_384
const GRACE_MS = 60_000
/** Broken connections in a row, of each of which nothing came. */
const RESUMES = 4
const RESUME_MS = 250

export interface FetchOptions {
  maxBytes: number
  allowPrivate: boolean
  signal: AbortSignal
  clock: () => Date
}

/** What the source says of the recording. */
export interface Fetched {
  /** Null where it gives it no name. */
  fileName: string | null
  chunks: AsyncIterable<Uint8Array>
  /** Ends the connection, read to its end or not. Must be called. */
  close: () => void
}

/**
 * Asks for a recording. Where the source can resume, a connection that breaks while the bytes are read is made anew
 * and goes on where the one before ended.
 * @throws PullError, EgressError; also while the bytes are read
 */
export async function fetchSource(address: SourceAddress, options: FetchOptions): Promise<Fetched> {
  const { allowPrivate, maxBytes, clock } = options
  const began = clock().getTime()
  const elapsed = () => clock().getTime() - began
  const closing = new AbortController()
  const ask: Ask = async (headers, most) => {
    const dropped = new AbortController()
    const answer = await guardedRequest(address.url, {
      headers: {
        // What is not inflated must not be deflated.
        'accept-encoding': 'identity',
        accept: '*/*',
        ...(address.authorization && { authorization: address.authorization }),
        ...headers,
      },
      ...{ maxBytes: most, redirects: REDIRECTS, allowPrivate },
      timeoutMs: Math.max(1, TOTAL_MS - elapsed()),
      idleTimeoutMs: IDLE_MS,
      signal: AbortSignal.any([options.signal, dropped.signal, closing.signal]),
    })
    return { ...answer, drop: () => dropped.abort() }
  }
  const first = await askAnew(ask, maxBytes)
  const chunks = paced(resumed(first, ask, maxBytes), elapsed)
  return { fileName: nameOf(first), chunks, close: () => closing.abort() }
}

/** An answer whose connection can be ended before it is read. */
type Answer = GuardedAnswer & { drop: () => void }
type Ask = (headers: Record<string, string>, maxBytes: number) => Promise<Answer>

async function* resumed(first: Answer, ask: Ask, maxBytes: number): AsyncGenerator<Uint8Array> {
  let etag: string | null = null
  let offset = 0
  let failures = 0
  for (let answer: Answer | null = first; ; ) {
    try {
      answer ??= await (offset === 0 ? askAnew(ask, maxBytes) : askFrom(ask, offset, etag ?? '', maxBytes - offset))
      if (offset === 0) etag = strongTag(answer)
      for await (const chunk of answer.body) {
        offset += chunk.byteLength
        failures = 0
        yield chunk
      }
      return
    } catch (error) {
      answer = null
      if (!etag || !isBroken(error) || failures >= RESUMES) throw error
      // At once the first time: most connections break alone.
      if (failures > 0) await Bun.sleep(RESUME_MS * 2 ** failures)
      failures += 1
    }
  }
}

/** @throws PullError, EgressError */
async function askAnew(ask: Ask, maxBytes: number): Promise<Answer> {
  const answer = await ask({}, maxBytes)
  checkAnswer(answer, 200, maxBytes)
  return answer
}

/** @throws PullError where what is there now is not the rest of what was there before */
async function askFrom(ask: Ask, offset: number, etag: string, maxBytes: number): Promise<Answer> {
  const answer = await ask({ range: `bytes=${offset}-`, 'if-range': etag }, maxBytes)
  if (answer.status === 200) {
    answer.drop()
    throw new PullError('source_changed', 'The recording at the source changed while it was being taken.', true)
  }
  checkAnswer(answer, 206, maxBytes)
  if (!answer.headers['content-range']?.startsWith(`bytes ${offset}-`)) {
    answer.drop()
    throw new EgressError('broken_answer')
  }
  return answer
}

const isBroken = (error: unknown) =>
  error instanceof EgressError && ['broken_answer', 'unreachable', 'timed_out'].includes(error.code)

/** @throws PullError, EgressError */
function checkAnswer(answer: Answer, expected: number, maxBytes: number): void {
  const { status, headers } = answer
  const encoding = headers['content-encoding'] ?? 'identity'
  const isFitting = status === expected && encoding === 'identity' && Number(headers['content-length'] ?? 0) <= maxBytes
  if (isFitting) return
  answer.drop()
  if (status !== expected) throw refusedBySource(status, readRetryAfter(headers['retry-after'], new Date()))
  if (encoding === 'identity') throw new EgressError('too_large')
  throw new PullError('source_encoded', 'The source sends the recording compressed for transport.')
}

/** Only where it stands for each byte, and ranges are taken, can a recording be put together of two answers. */
function strongTag({ headers }: GuardedAnswer): string | null {
  const { etag } = headers
  return headers['accept-ranges'] === 'bytes' && etag?.startsWith('"') ? etag : null
}

async function* paced(chunks: AsyncIterable<Uint8Array>, elapsed: () => number): AsyncGenerator<Uint8Array> {
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

function nameOf({ headers }: GuardedAnswer): string | null {
  const header = headers['content-disposition']
  if (!header) return null
  try {
    return printable(parse(header).parameters.filename ?? '') || null
  } catch {
    return null
  }
}
