import type { Event } from '../../../platform/db/generated/client/client.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { EventInterface } from '../../event/graphql.ts'

const dataOf = ({ data }: Event) => data as { webhook_endpoint_id: string; disabled_reason?: string }

builder.objectRef<Event>('WebhookEvent').implement({
  description: 'Of a webhook endpoint itself: it was switched off, or tried out.',
  interfaces: [EventInterface],
  fields: (t) => ({
    webhookEndpointId: t.id({
      description: 'The endpoint; it may be deleted since.',
      resolve: (event) => dataOf(event).webhook_endpoint_id,
    }),
    disabledReason: t.string({
      nullable: true,
      description: '`gone` (it answered 410) or `failing` (it took nothing for five days); null for a test.',
      resolve: (event) => dataOf(event).disabled_reason ?? null,
    }),
  }),
})
