import { freeBytes } from '../../platform/http/free-bytes.ts'

/** Time in milliseconds for which the rest of a body is discarded. */
const LONGEST_MS = 10_000
/** Bodies of the process that are discarded at once: each takes memory, too. Others are answered at once. */
const MAX_DISCARDED = 64
let discarded = 0

/**
 * Reads and discards an unread body before an early answer to a client that asked to close the connection. A connection
 * that is closed while the client is sending is reset, and the client loses the answer (RFC 9112, section 9.6).
 * @param longestMs time limit, which tests lower
 */
export async function discardUnread(request: Request, longestMs = LONGEST_MS): Promise<void> {
  const isClosing = /\bclose\b/i.test(request.headers.get('connection') ?? '')
  if (!isClosing || !request.body || request.bodyUsed || discarded >= MAX_DISCARDED) return
  discarded += 1
  const reader = request.body.getReader()
  const timer = setTimeout(() => reader.cancel().catch(() => {}), longestMs)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      freeBytes(value)
    }
  } catch {
    // The client has gone.
  } finally {
    clearTimeout(timer)
    discarded -= 1
  }
}
