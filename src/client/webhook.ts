// Separate from index.ts, so that pages do not load it: the secret of an endpoint is never sent to a browser.
import { Webhook } from 'standardwebhooks'
import type { webhooks } from './generated/rest.ts'

export { WebhookVerificationError } from 'standardwebhooks'

/** An event by its type, as `{type, timestamp, data}`. */
export type WebhookEvent = {
  [T in keyof webhooks]: NonNullable<webhooks[T]['post']['requestBody']>['content']['application/json']
}[keyof webhooks]

export interface ReceivedWebhook {
  /** ID of the event. The same at every attempt: an ID that was seen before is a repeat. */
  id: string
  event: WebhookEvent
}

/**
 * Verifies a webhook by Standard Webhooks 1.0.
 * @param body as received: parsing and writing JSON changes bytes that are signed
 * @param secret of the endpoint, `whsec_…`
 * @throws WebhookVerificationError for a wrong signature, or a time more than five minutes from now
 * @example
 * ```ts
 * const { id, event } = verifyWebhook(await request.text(), request.headers, secret)
 * if (event.type === 'track.status_changed') console.log(id, event.data.status)
 * ```
 */
export function verifyWebhook(body: string, headers: Headers | NodeHeaders, secret: string): ReceivedWebhook {
  const all = headers instanceof Headers ? [...headers] : Object.entries(headers)
  const headerTexts = Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), String(value)]))
  const event = new Webhook(secret).verify(body, headerTexts) as WebhookEvent
  return { id: headerTexts['webhook-id'] ?? '', event }
}

/** Headers of `node:http`. */
type NodeHeaders = Record<string, string | string[] | undefined>
