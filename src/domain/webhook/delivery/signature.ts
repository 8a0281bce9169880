import { createHmac } from 'node:crypto'

/** What is signed, and says of itself which event and which attempt it is. */
export interface SignedMessage {
  /** Of the event: the same at every attempt. */
  id: string
  /** Of the attempt. */
  sentAt: Date
  body: string
}

/**
 * The headers by which a receiver knows who sent a message: HMAC-SHA256 over `id.timestamp.body`, one for each secret.
 * @param secrets `whsec_` and base64
 * @see Standard Webhooks 1.0; contract, section 7
 */
export function signatureHeaders({ id, sentAt, body }: SignedMessage, secrets: readonly string[]) {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
