import { freeBytes } from './free-bytes.ts'

/** Limits of the rest of a body whose request was refused. */
export interface RestLimits {
  /** Time in milliseconds without data after which the client has stopped sending. */
  idleMs: number
  /** Time in milliseconds after which the average rate must reach 16 KiB per second. */
  graceMs: number
  longestMs: number
  maxBytes: number
  /** Time in seconds after which a connection that the client wants to keep is closed, with the body incomplete. */
  keptSeconds: number
}

export const restLimits: RestLimits = {
  idleMs: 2_000,
  graceMs: 10_000,
  longestMs: 120_000,
  maxBytes: 2 ** 31,
  keptSeconds: 60,
}
const MIN_BYTES_PER_SECOND = 16_384
/** Bodies of the process whose rest is discarded at once: each takes memory. The connections of others are closed at once. */
const MAX_DISCARDED = 64
let discarded = 0

interface Reading {
  reader: ReadableStreamDefaultReader<Uint8Array>
  isDone: boolean
}
const readings = new WeakMap<Request, Reading>()

function startReading(request: Request, body: ReadableStream<Uint8Array>): Reading {
  const reading = readings.get(request) ?? { reader: body.getReader(), isDone: false }
  readings.set(request, reading)
  return reading
}

async function readNext(reading: Reading): Promise<Uint8Array | null> {
  try {
    const { done, value } = await reading.reader.read()
    reading.isDone = done
    return done ? null : value
  } catch (error) {
    reading.isDone = true
    throw error
  }
}

/**
 * Reads the body of a request. A reader that stops early leaves the rest to `answerUnread`, while the end of a loop over
 * the body itself would close the connection.
 */
export async function* readBody(request: Request): AsyncGenerator<Uint8Array> {
  if (!request.body) return
  const reading = startReading(request, request.body)
  for (let chunk = await readNext(reading); chunk !== null; chunk = await readNext(reading)) yield chunk
}

/** Returns whether a part of the body may not have arrived yet. */
function isUnread(request: Request): boolean {
  const reading = readings.get(request)
  if (reading) return !reading.isDone
  const { headers } = request
  return !request.bodyUsed && (Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding'))
}

const isClosing = ({ headers }: Request | Response) => /\bclose\b/i.test(headers.get('connection') ?? '')

/**
 * Answers a request whose body was not read to its end. A connection that is closed while the client is sending is reset,
 * and the client loses the answer (RFC 9112, section 9.6). So a refusal that closes its connection is sent at once, and
 * ends after the rest of the body, within limits. The answer is streamed for that: its length is the header's where the
 * server keeps it.
 * @param keep limits a connection that stays open, if the server can. Without it, the connection is closed
 */
export async function answerUnread(
  request: Request,
  response: Response,
  keep: ((seconds: number) => void) | null,
  limits = restLimits,
): Promise<Response> {
  if (!isUnread(request)) return response
  if (keep && !isClosing(request) && !isClosing(response)) {
    keep(limits.keptSeconds)
    return response
  }
  if (response.status < 400) return response
  const { status } = response
  const headers = new Headers(response.headers)
  headers.set('connection', 'close')
  if (!request.body || discarded >= MAX_DISCARDED) return new Response(response.body, { status, headers })
  const reading = startReading(request, request.body)
  const bytes = await response.bytes()
  headers.set('content-length', String(bytes.byteLength))
  let ending: Promise<void> | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes),
    pull: async (controller) => {
      ending ??= discardRest(reading, limits)
      await ending
      controller.close()
    },
  })
  return new Response(body, { status, headers })
}

/** Reads the rest of a body. Ends at its end, when the client stops sending or disconnects, and at a limit. */
async function discardRest(reading: Reading, { idleMs, graceMs, longestMs, maxBytes }: RestLimits): Promise<void> {
  const began = performance.now()
  let bytes = 0
  discarded += 1
  try {
    for (;;) {
      const chunk = await within(readNext(reading), idleMs)
      if (!chunk) return
      bytes += chunk.byteLength
      freeBytes(chunk)
      const ms = performance.now() - began
      const isSlow = ms > graceMs && bytes < (MIN_BYTES_PER_SECOND * ms) / 1000
      if (isSlow || ms > longestMs || bytes > maxBytes) return
    }
  } catch {
    // The client has gone.
  } finally {
    discarded -= 1
  }
}

/** @returns null if it takes longer */
async function within<T>(result: Promise<T>, ms: number): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, ms, null)
  // An error after the time limit has no reader.
  result.catch(() => {})
  return Promise.race([result, promise]).finally(() => clearTimeout(timer))
}
