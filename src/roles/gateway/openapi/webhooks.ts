import { collectionEvents } from '../../../domain/collection/event/public.ts'
import { webhookShape } from '../../../domain/event/record.ts'
import { trackEvents } from '../../../domain/track/event/public.ts'
import { webhookEvents } from '../../../domain/webhook/event/public.ts'
import type { DocumentWriter } from './document-writer.ts'

/** All types of events and their data. */
export const events = [...trackEvents, ...collectionEvents, ...webhookEvents]

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})
const headers = [
  header('webhook-id', 'ID of the event, the same for every attempt.', '0199c3f0-5d2e-7c41-9a6b-3f8e2d1c0b4a'),
  header('webhook-timestamp', 'Time of the attempt, in unix seconds.', '1777887000'),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. Several, separated by spaces, while a secret is rotated.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
]

/** Requests to an organization's endpoints (contract, section 7; Standard Webhooks 1.0). */
export function eventWebhooks(writer: DocumentWriter): Record<string, object> {
  return Object.fromEntries(
    events.map((event) => [
      event.type,
      {
        post: {
          operationId: `on${event.type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
          tags: ['Events'],
          summary: event.summary,
          description: 'Retried for about a day until the endpoint answers 2xx within 15 seconds.',
          security: [],
          parameters: headers,
          requestBody: { required: true, content: { 'application/json': writer.json(webhookShape(event), 'output') } },
          responses: {
            '2XX': { description: 'The delivery succeeded.' },
            '410': { description: 'The endpoint is gone. No further deliveries are sent to it.' },
          },
        },
      },
    ]),
  )
}
