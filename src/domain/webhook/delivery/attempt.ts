import type { Services } from '../../../platform/context.ts'
import { EgressError, guardedRequest } from '../../../platform/egress/guarded-request.ts'
import { readRetryAfter } from '../../../platform/egress/retry-after.ts'
import { currentOrigin, traceHeaders } from '../../../platform/origin.ts'
import { webhookBody } from '../../event/body.ts'
import { readWebhookSecrets } from '../secret.ts'
import type { ClaimedDelivery } from './claim.ts'
import { signatureHeaders } from './signature.ts'

/** The result of an attempt. */
export interface AttemptResult {
  /** HTTP status. Null without an answer. */
  status: number | null
  durationMs: number
  /** The first KiB of the answer, or the reason why it is missing. */
  answer: string
  /** From the Retry-After of the endpoint. Null without one. */
  retryAfterMs: number | null
}

const TIMEOUT_MS = 15_000
/** Ends reading a stalled body early, because the status alone decides. */
const IDLE_MS = 3_000
const MAX_ANSWER_BYTES = 20_000
const KEPT_ANSWER_BYTES = 1024

/**
 * Posts an event to its endpoint, signed with every valid secret. Redirects are not followed.
 * @throws the reason of the signal, and an error of the database; every other failure is returned as a result
 * @see contract, section 7
 */
export async function makeAttempt(
  services: Pick<Services, 'config' | 'signing' | 'clock' | 'log' | 'reader'>,
  { id, event, endpoint }: ClaimedDelivery,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const body = await webhookBody(services, event)
  const sentAt = services.clock()
  const began = performance.now()
  const durationMs = () => Math.round(performance.now() - began)
  try {
    const { status, headers, ...answer } = await guardedRequest(endpoint.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Tonearm-Webhooks/1',
        ...signatureHeaders({ id: event.id, sentAt, body }, readWebhookSecrets(services, endpoint)),
        'x-adn-event': event.type,
        ...originHeaders(),
      },
      body,
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: TIMEOUT_MS,
      idleTimeoutMs: IDLE_MS,
      signal,
      allowPrivate: services.config.isWebhookPrivateAllowed,
    })
    const start = await readStart(answer.body, signal)
    const retryAfterMs = readRetryAfter(headers['retry-after'], services.clock())
    return { status, durationMs: durationMs(), answer: start, retryAfterMs }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof EgressError)) {
      services.log.error({ err: error, webhookDeliveryId: id }, 'sending a webhook failed')
    }
    const answer = error instanceof EgressError ? error.message : 'the request could not be created'
    return { status: null, durationMs: durationMs(), answer, retryAfterMs: null }
  }
}

/** Headers that lead from the event to the request that caused it, and continue its trace. */
function originHeaders(): Record<string, string> {
  const { requestId = null, span = null } = currentOrigin() ?? {}
  return { ...(requestId !== null && { 'x-request-id': requestId }), ...(span && traceHeaders(span)) }
}

/** Reads and truncates the body. Read errors do not affect the result. */
async function readStart(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
  const firstChunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      if (bytes < KEPT_ANSWER_BYTES) firstChunks.push(chunk)
      bytes += chunk.length
    }
  } catch {
    signal.throwIfAborted()
  }
  // Omits a truncated character at the end. PostgreSQL cannot store U+0000.
  const start = Buffer.concat(firstChunks).subarray(0, KEPT_ANSWER_BYTES)
  return new TextDecoder().decode(start, { stream: true }).replaceAll('\0', '\uFFFD')
}
