import type { Event } from '../../../platform/db/generated/client/client.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { Node } from '../../../platform/graphql/node.ts'
import { EventInterface } from '../../event/graphql.ts'

const readEndpointData = ({ data }: Event) => data as { webhook_endpoint_id: string; disabled_reason?: string }

builder.objectRef<Event>('WebhookEvent').implement({
  description: 'A webhook endpoint was disabled or tested.',
  interfaces: [Node, EventInterface],
  fields: (t) => ({
    webhookEndpointId: t.id({
      description: 'ID of the endpoint, which may have been deleted.',
      resolve: (event) => readEndpointData(event).webhook_endpoint_id,
    }),
    disabledReason: t.string({
      nullable: true,
      description: '`gone` (it answered 410) or `failing` (no delivery succeeded for five days). Null for a test.',
      resolve: (event) => readEndpointData(event).disabled_reason ?? null,
    }),
  }),
})
