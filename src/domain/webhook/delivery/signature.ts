import { createHmac } from 'node:crypto'

/** The signed parts of a webhook request. */
interface SignedMessage {
  /** ID of the event, the same for every attempt. */
  id: string
  /** Time of the attempt. */
  sentAt: Date
  body: string
}

/**
 * Signs a webhook request: HMAC-SHA256 over `id.timestamp.body`, one signature per secret.
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
