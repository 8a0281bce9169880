import { mapKeys, toSnake } from '../case.ts'

/** An event of a stream. */
export interface LiveEvent {
  type: string
  /** Sent as JSON, with keys in snake_case. */
  data: object
}

/** An answer of GET that lasts as long as its client: server-sent events. */
export interface LiveEvents {
  /** Its `return` ends at once, while an event is waited for. */
  events: Pick<Required<AsyncIterator<LiveEvent, undefined>>, 'next' | 'return'>
}

const liveAnswers = new WeakSet<object>()

/**
 * Marks a handler's result as a stream of events.
 * @param states an iterator whose `return` ends at once
 */
export function liveEvents<T>(
  states: AsyncIterableIterator<T, undefined>,
  toEvent: (state: T) => LiveEvent,
): LiveEvents {
  const end = async () => {
    await states.return?.()
    return { done: true as const, value: undefined }
  }
  const next = async () => {
    const { done, value } = await states.next()
    return done ? { done, value: undefined } : { done: false as const, value: toEvent(value) }
  }
  const answer: LiveEvents = { events: { next, return: end } }
  liveAnswers.add(answer)
  return answer
}
export const isLive = (result: object): result is LiveEvents => liveAnswers.has(result)

const PING_MS = 15_000
/** Time after which a browser connects again, in milliseconds. */
const RECONNECT_MS = 2000

interface Stream {
  requestId: string
  /** Further headers of the answer. */
  headers: Record<string, string>
  /** Fires when the process stops. */
  stopping: AbortSignal
  /** Called before each wait for an event. */
  wait: () => void
  /** Called once, when the stream has ended. */
  end: () => void
}

/**
 * Sends events as they happen, at the pace of their reader, and a comment while there are none, so that no proxy takes the
 * connection for silent. It breaks off when the process stops: a client connects again after that.
 */
export function liveResponse({ events }: LiveEvents, { requestId, headers, stopping, wait, end }: Stream): Response {
  const encoder = new TextEncoder()
  let ping: ReturnType<typeof setInterval> | undefined
  let breakOff = () => {}
  let isEnded = false
  function finish(): void {
    if (isEnded) return
    isEnded = true
    clearInterval(ping)
    stopping.removeEventListener('abort', breakOff)
    void events.return()
    end()
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => {
        if (!isEnded && (controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(text))
      }
      send(`retry: ${RECONNECT_MS}\n\n`)
      ping = setInterval(() => send(':\n\n'), PING_MS)
      breakOff = () => {
        if (!isEnded) controller.error(stopping.reason)
        finish()
      }
      if (stopping.aborted) breakOff()
      else stopping.addEventListener('abort', breakOff, { once: true })
    },
    async pull(controller) {
      try {
        wait()
        const { done, value } = await events.next()
        if (isEnded) return
        if (!done) return controller.enqueue(encoder.encode(writeEvent(value)))
        controller.close()
        finish()
      } catch (error) {
        finish()
        throw error
      }
    },
    cancel: finish,
  })
  return new Response(body, { headers: { ...headers, ...liveHeaders(requestId) } })
}

/** The answer to HEAD. */
export function liveHead(
  { events }: LiveEvents,
  { requestId, headers }: Pick<Stream, 'requestId' | 'headers'>,
): Response {
  void events.return()
  return new Response(null, { headers: { ...headers, ...liveHeaders(requestId) } })
}

const writeEvent = ({ type, data }: LiveEvent) => `event: ${type}\ndata: ${JSON.stringify(mapKeys(data, toSnake))}\n\n`

const liveHeaders = (requestId: string) => ({
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  'x-request-id': requestId,
})
