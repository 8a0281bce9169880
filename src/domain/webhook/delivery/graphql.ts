import type { InputShapeFromFields } from '@pothos/core'
import type { DeliveryState } from '../../../platform/db/generated/client/enums.ts'
import {
  builder,
  connectionOf,
  enumValues,
  listOrder,
  orderInput,
  pagesOf,
  parseCreation,
  parseFilter,
  reloaded,
  typeOf,
} from '../../../platform/graphql/builder.ts'
import { related, relatedPage } from '../../../platform/graphql/page.ts'
import { planOf } from '../../../platform/graphql/plan.ts'
import { withPrice } from '../../../platform/graphql/price.ts'
import { expose, filterFields } from '../../../platform/graphql/record.ts'
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

builder.enumType('WebhookDeliveryState', {
  description: 'State of the delivery of an event to an endpoint.',
  values: enumValues<DeliveryState>({
    pending: 'Waiting for its next attempt.',
    delivered: 'The endpoint answered 2xx.',
    failed: 'Given up after the last attempt, or because the endpoint was disabled.',
  }),
})

builder.prismaObject('WebhookAttempt', {
  description: 'An attempt to deliver an event to an endpoint.',
  fields: (t) => expose(t, attemptFields),
})

builder.prismaObject('WebhookDelivery', {
  description: 'The delivery of one event to one endpoint. Kept as long as the event.',
  fields: (t) => ({
    ...expose(t, deliveryFields),
    endpoint: t.field({
      type: typeOf('WebhookEndpoint'),
      description: 'The endpoint that the event is sent to.',
      ...related('endpoint'),
    }),
    event: t.field({ type: EventInterface, description: 'The event that is sent.', ...related('event') }),
    attempts: t.field({
      type: [typeOf('WebhookAttempt')],
      description: 'All attempts, oldest first.',
      // The schedule has eight; a delivery can be repeated by hand.
      ...withPrice(
        related('attempts', () => ({ orderBy: [{ number: 'asc' }] })),
        { items: 10 },
      ),
    }),
  }),
})

const WebhookDeliveryFilter = builder.inputType('WebhookDeliveryFilter', {
  description: 'Conditions on deliveries. All given conditions must hold.',
  fields: (t) => filterFields(t, deliveryFilters),
})
const WebhookDeliveryOrder = orderInput('WebhookDelivery', { createdAt: 'Time of creation.' })
const listArgs = builder.args((t) => ({
  filter: t.field({ type: WebhookDeliveryFilter, description: 'Conditions on the deliveries.' }),
  orderBy: t.field({ type: WebhookDeliveryOrder, description: 'Defaults to the newest first.' }),
}))

const idArgument = { required: true, description: deliveryFields.id.description } as const
const idOf = (id: unknown) => parseId('webhookDeliveryId', id)

builder.queryFields((t) => ({
  webhookDeliveries: t.connection(
    {
      type: typeOf('WebhookDelivery'),
      description: 'Lists the deliveries of events to the endpoints of the organization. For administrators.',
      args: listArgs,
      resolve: permitted(personScope, pagesOf(deliveryFilter, findDeliveries, countDeliveries)),
    },
    ...connectionOf('WebhookDelivery'),
  ),
  webhookDelivery: t.field({
    type: typeOf('WebhookDelivery'),
    nullable: true,
    description: 'Returns a delivery. For administrators.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(personScope, (_, { id }, ctx, info) => getDelivery(ctx, idOf(id), { plan: planOf(info, ctx) })),
  }),
}))
builder.prismaObjectField('WebhookEndpoint', 'deliveries', (t) =>
  t.connection(
    {
      type: typeOf('WebhookDelivery'),
      description: 'Deliveries to the endpoint.',
      args: listArgs,
      ...relatedPage('deliveries', ({ filter, orderBy }: InputShapeFromFields<typeof listArgs>, ctx) => ({
        where: matchingDeliveries(ctx, parseFilter(deliveryFilter, filter)),
        order: listOrder(orderBy),
      })),
    },
    ...connectionOf('WebhookDelivery'),
  ),
)

const withDelivery = (name: string) =>
  builder.objectRef<{ id: string }>(name).implement({
    description: 'The delivery that was planned.',
    fields: (t) => ({
      webhookDelivery: t.field({
        description: 'The delivery before its attempt. Query it again for the result.',
        ...reloaded('WebhookDelivery', ({ id }: { id: string }) => id),
      }),
    }),
  })
const SendTestWebhookPayload = withDelivery('SendTestWebhookPayload')
const RedeliverWebhookPayload = withDelivery('RedeliverWebhookPayload')
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
    type: SendTestWebhookPayload,
    description:
      'Sends an event of type webhook.test to an endpoint, also to a disabled one. It is attempted once and does not ' +
      'change the endpoint. Owners and admins only.',
    args: { endpointId: t.arg.id(endpointId) },
    resolve: permitted(administratorScope, (_, { endpointId }, ctx) =>
      sendTestWebhook(ctx, parseCreation(testInput, { endpointId }).endpointId),
    ),
  }),
  redeliverWebhook: t.field({
    type: RedeliverWebhookPayload,
    description:
      'Sends an event to its endpoint again, at once and under the same ID, even if it was delivered. The schedule ' +
      'of attempts starts again; a disabled endpoint gets one attempt. Owners and admins only.',
    args: { deliveryId: t.arg.id(idArgument) },
    resolve: permitted(administratorScope, (_, { deliveryId }, ctx) => redeliverWebhook(ctx, idOf(deliveryId))),
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
