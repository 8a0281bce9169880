import type { Services } from '../../../platform/context.ts'
import { EgressError, guardedRequest } from '../../../platform/egress/guarded-request.ts'
import { readRetryAfter } from '../../../platform/egress/retry-after.ts'
import { eventBody } from '../../event/service.ts'
import { signingSecretsOf } from '../secret.ts'
import type { ClaimedDelivery } from './claim.ts'
import { signatureHeaders } from './signature.ts'

/** How an attempt ended. */
export interface AttemptResult {
  /** HTTP status; null where no answer came back. */
  status: number | null
  durationMs: number
  /** The first KiB of the answer, or why there is none. */
  answer: string
  /** What the receiver asked us to wait. */
  retryAfterMs: number | null
}

const TIMEOUT_MS = 15_000
/** A body that stands still after the head is not worth waiting for: the status says it all. */
const IDLE_MS = 3_000
const MAX_ANSWER_BYTES = 20_000
const KEPT_ANSWER_BYTES = 1024

/**
 * Posts an event to its endpoint, signed with every secret that is valid now. Redirects are answers like any other.
 * @throws the signal's reason, and nothing else: whatever goes wrong is the result
 * @see contract, section 7
 */
export async function makeAttempt(
  services: Pick<Services, 'config' | 'signing' | 'clock' | 'log'>,
  { id, event, endpoint }: ClaimedDelivery,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const sentAt = services.clock()
  const began = performance.now()
  const durationMs = () => Math.round(performance.now() - began)
  try {
    const body = eventBody(event)
    const { status, headers, ...answer } = await guardedRequest(endpoint.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Tonearm-Webhooks/1',
        ...signatureHeaders({ id: event.id, sentAt, body }, signingSecretsOf(services, endpoint)),
        'x-adn-event': event.type,
      },
      body,
      ...{ maxBytes: MAX_ANSWER_BYTES, timeoutMs: TIMEOUT_MS, idleTimeoutMs: IDLE_MS, signal },
      allowPrivate: services.config.isWebhookPrivateAllowed,
    })
    const start = await readStart(answer.body, signal)
    const retryAfterMs = readRetryAfter(headers['retry-after'], services.clock())
    return { status, durationMs: durationMs(), answer: start, retryAfterMs }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof EgressError)) {
      services.log.error({ err: error, webhookDeliveryId: id }, 'a webhook could not be sent')
    }
    const answer = error instanceof EgressError ? error.message : 'the message could not be made'
    return { status: null, durationMs: durationMs(), answer, retryAfterMs: null }
  }
}

/** Reads an answer as far as it is let, keeps its start, and lets nothing of it change what its status says. */
async function readStart(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
  const kept: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      if (bytes < KEPT_ANSWER_BYTES) kept.push(chunk)
      bytes += chunk.length
    }
  } catch {
    signal.throwIfAborted()
  }
  // A character that is cut in two is left out; PostgreSQL cannot store U+0000.
  const start = Buffer.concat(kept).subarray(0, KEPT_ANSWER_BYTES)
  return new TextDecoder().decode(start, { stream: true }).replaceAll('\0', '\uFFFD')
}
