import type { DeliveryState } from '../../../platform/db/generated/client/enums.ts'
import { builder, defineEnum, findType } from '../../../platform/graphql/builder.ts'
import { idArgument, parseCreation } from '../../../platform/graphql/input.ts'
import { defineList, defineRecordQuery } from '../../../platform/graphql/list.ts'
import { Node } from '../../../platform/graphql/node.ts'
import { related } from '../../../platform/graphql/page.ts'
import { definePayload, reloaded } from '../../../platform/graphql/payload.ts'
import { withPrice } from '../../../platform/graphql/price.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { parseId } from '../../../platform/schema/parse.ts'
import { administratorScope, permitted, personScope } from '../../access/viewer.ts'
import { EventInterface } from '../../event/graphql.ts'
import {
  attemptFields,
  deliveryFields,
  deliveryFilter,
  deliveryFilters,
  redeliverFailedInput,
  testInput,
} from './record.ts'
import { type Redelivered, redeliverFailedWebhooks, redeliverWebhook, sendTestWebhook } from './redeliver.ts'
import { countDeliveries, findDeliveries, getDelivery, matchingDeliveries } from './service.ts'

defineEnum<DeliveryState>('WebhookDeliveryState', 'State of the delivery of an event to an endpoint.', {
  pending: 'Waiting for its next attempt.',
  delivered: 'The endpoint answered 2xx.',
  failed: 'Given up after the last attempt, or because the endpoint was disabled.',
})

builder.prismaObject('WebhookAttempt', {
  description: 'An attempt to deliver an event to an endpoint.',
  fields: (t) => expose(t, attemptFields),
})

builder.prismaObject('WebhookDelivery', {
  interfaces: [Node],
  description: 'The delivery of one event to one endpoint. Kept as long as the event.',
  fields: (t) => ({
    ...expose(t, deliveryFields),
    endpoint: t.field({
      type: findType('WebhookEndpoint'),
      description: 'The endpoint that the event is sent to.',
      ...related('endpoint'),
    }),
    event: t.field({ type: EventInterface, description: 'The event that is sent.', ...related('event') }),
    attempts: t.field({
      type: [findType('WebhookAttempt')],
      description: 'All attempts, oldest first.',
      // The schedule has eight; a delivery can be repeated by hand.
      ...withPrice(
        related('attempts', () => ({ orderBy: [{ number: 'asc' }] })),
        { items: 10 },
      ),
    }),
  }),
})

defineRecordQuery('webhookDelivery', 'WebhookDelivery', {
  description: 'Returns a delivery. For administrators.',
  idDescription: deliveryFields.id.description,
  permit: personScope,
  find: getDelivery,
})

const deliveryList = defineList({
  model: 'WebhookDelivery',
  records: 'deliveries',
  filters: deliveryFilters,
  filter: deliveryFilter,
  orderBy: { createdAt: 'Time of creation.' },
})
deliveryList.query(
  {
    description: 'Lists the deliveries of events to the endpoints of the organization. For administrators.',
    permit: personScope,
    find: findDeliveries,
    count: countDeliveries,
  },
  'webhookDeliveries',
)
deliveryList.relation('WebhookEndpoint', { description: 'Deliveries to the endpoint.', where: matchingDeliveries })

const deliveryPayload = (mutation: string) =>
  definePayload(mutation, 'webhookDelivery', 'WebhookDelivery', {
    description: 'The delivery that was planned.',
    fieldDescription: 'The delivery before its attempt. Query it again for the result.',
  })
const RedeliverFailedWebhooksPayload = builder.objectRef<Redelivered>('RedeliverFailedWebhooksPayload').implement({
  description: 'The result of redelivering the failed events of an endpoint.',
  fields: (t) => ({
    webhookEndpoint: t.field({
      description: 'The endpoint.',
      ...reloaded('WebhookEndpoint', ({ endpointId }: Redelivered) => endpointId),
    }),
    count: t.exposeInt('count', {
      description: 'Number of planned deliveries. At most 10,000; if so, call the mutation again.',
    }),
  }),
})

const endpointId = { description: 'ID of the endpoint. Defaults to the first endpoint.' }
builder.mutationFields((t) => ({
  sendTestWebhook: t.field({
    type: deliveryPayload('SendTestWebhook'),
    description:
      'Sends an event of type webhook.test to an endpoint, also to a disabled one. It is attempted once and does not ' +
      'change the endpoint. Owners and admins only.',
    args: { endpointId: t.arg.id(endpointId) },
    resolve: permitted(administratorScope, (_, { endpointId }, ctx) =>
      sendTestWebhook(ctx, parseCreation(testInput, { endpointId }).endpointId),
    ),
  }),
  redeliverWebhook: t.field({
    type: deliveryPayload('RedeliverWebhook'),
    description:
      'Sends an event to its endpoint again, at once and under the same ID, even if it was delivered. The schedule ' +
      'of attempts starts again; a disabled endpoint gets one attempt. Owners and admins only.',
    args: { deliveryId: idArgument('delivery', deliveryFields.id.description) },
    resolve: permitted(administratorScope, (_, { deliveryId }, ctx) =>
      redeliverWebhook(ctx, parseId('webhookDeliveryId', deliveryId)),
    ),
  }),
  redeliverFailedWebhooks: t.field({
    type: RedeliverFailedWebhooksPayload,
    description:
      'Sends the undelivered events since a time to an endpoint again: failed deliveries, and events that happened ' +
      'while the endpoint was disabled. Owners and admins only.',
    args: {
      endpointId: t.arg.id(endpointId),
      since: t.arg({ type: 'DateTime', required: true, description: 'Events at or after this time.' }),
    },
    resolve: permitted(administratorScope, (_, { endpointId, since }, ctx) =>
      redeliverFailedWebhooks(ctx, parseCreation(redeliverFailedInput, { endpointId, since })),
    ),
  }),
}))
