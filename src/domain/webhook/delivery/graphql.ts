import type { InputShapeFromFields } from '@pothos/core'
import type { DeliveryState } from '../../../platform/db/generated/client/enums.ts'
import {
  builder,
  connectionOf,
  enumValues,
  listOrder,
  omitNulls,
  orderInput,
  pagesOf,
  reloaded,
  typeOf,
} from '../../../platform/graphql/builder.ts'
import { related, relatedPage } from '../../../platform/graphql/page.ts'
import { planOf } from '../../../platform/graphql/plan.ts'
import { EventInterface, EventTypeEnum } from '../../event/graphql.ts'
import { type Redelivered, redeliverFailedWebhooks, redeliverWebhook, sendTestWebhook } from './redeliver.ts'
import { deliveryFilter } from './schema.ts'
import { countDeliveries, findDeliveries, getDelivery, matchingDeliveries } from './service.ts'

const DeliveryStateEnum = builder.enumType('WebhookDeliveryState', {
  description: 'Where an event is on its way to an endpoint.',
  values: enumValues<DeliveryState>({
    pending: 'Waits for its next attempt.',
    delivered: 'The endpoint took it.',
    failed: 'Given up: after the last attempt, or as the endpoint was switched off.',
  }),
})

builder.prismaObject('WebhookAttempt', {
  description: 'One attempt to hand an event to an endpoint.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'Counts from 1.' }),
    status: t.exposeInt('status', { nullable: true, description: 'HTTP status; null where no answer came back.' }),
    durationMs: t.exposeInt('durationMs', { description: 'How long it took, in milliseconds.' }),
    answer: t.exposeString('answer', { description: 'The first KiB of the answer, or why there is none.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
})

builder.prismaObject('WebhookDelivery', {
  description: 'One event on its way to one endpoint. Kept as long as the event.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    endpoint: t.field({ type: typeOf('WebhookEndpoint'), description: 'Where it goes.', ...related('endpoint') }),
    event: t.field({ type: EventInterface, description: 'What it tells of.', ...related('event') }),
    state: t.expose('state', { type: DeliveryStateEnum, description: 'Where it is on its way.' }),
    attemptCount: t.exposeInt('attemptCount', { description: 'How often it was tried.' }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When it is tried next; while an attempt is under way, when that is taken for lost. Null where it is not.',
    }),
    deliveredAt: t.expose('deliveredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the endpoint took it; null until then.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was planned.' }),
    attempts: t.field({
      type: [typeOf('WebhookAttempt')],
      description: 'Every attempt, the first one first.',
      ...related('attempts', () => ({ orderBy: [{ number: 'asc' }] })),
    }),
  }),
})

const WebhookDeliveryFilter = builder.inputType('WebhookDeliveryFilter', {
  description: 'What narrows a list of deliveries; all of it must hold.',
  fields: (t) => ({
    state: t.field({ type: DeliveryStateEnum, description: 'In this state.' }),
    endpointId: t.id({ description: 'To this endpoint.' }),
    eventId: t.id({ description: 'Of this event.' }),
    type: t.field({ type: [EventTypeEnum], description: 'Of events of one of these types.' }),
    createdFrom: t.field({ type: 'DateTime', description: 'Planned at or after.' }),
    createdUntil: t.field({ type: 'DateTime', description: 'Planned before.' }),
  }),
})
const WebhookDeliveryOrder = orderInput('WebhookDelivery', { createdAt: 'When it was planned.' })
const listArgs = builder.args((t) => ({
  filter: t.field({ type: WebhookDeliveryFilter, description: 'What narrows the list.' }),
  orderBy: t.field({ type: WebhookDeliveryOrder, description: 'The newest first unless told.' }),
}))

builder.queryFields((t) => ({
  webhookDeliveries: t.connection(
    {
      type: typeOf('WebhookDelivery'),
      description: "Events on their way to the organization's endpoints, and those that arrived. For administrators.",
      args: listArgs,
      resolve: pagesOf(deliveryFilter, findDeliveries, countDeliveries),
    },
    ...connectionOf('WebhookDelivery'),
  ),
  webhookDelivery: t.field({
    type: typeOf('WebhookDelivery'),
    nullable: true,
    description: 'One delivery. For administrators.',
    args: { id: t.arg.id({ required: true, description: 'UUID of the delivery.' }) },
    resolve: (_, { id }, ctx, info) => getDelivery(ctx, id, { plan: planOf(info, ctx) }),
  }),
}))
builder.prismaObjectField('WebhookEndpoint', 'deliveries', (t) =>
  t.connection(
    {
      type: typeOf('WebhookDelivery'),
      description: 'What was sent to it, or is on its way.',
      args: listArgs,
      ...relatedPage('deliveries', ({ filter, orderBy }: InputShapeFromFields<typeof listArgs>, ctx) => ({
        where: matchingDeliveries(ctx, omitNulls(filter)),
        order: listOrder(orderBy),
      })),
    },
    ...connectionOf('WebhookDelivery'),
  ),
)

const withDelivery = (name: string) =>
  builder.objectRef<{ id: string }>(name).implement({
    description: 'Holds the delivery.',
    fields: (t) => ({
      webhookDelivery: t.field({
        description: 'The delivery as it is now; ask for it again to see what came of it.',
        ...reloaded('WebhookDelivery', ({ id }: { id: string }) => id),
      }),
    }),
  })
const SendTestWebhookPayload = withDelivery('SendTestWebhookPayload')
const RedeliverWebhookPayload = withDelivery('RedeliverWebhookPayload')
const RedeliverFailedWebhooksPayload = builder.objectRef<Redelivered>('RedeliverFailedWebhooksPayload').implement({
  description: 'Holds the endpoint.',
  fields: (t) => ({
    webhookEndpoint: t.field({
      description: 'The endpoint.',
      ...reloaded('WebhookEndpoint', ({ endpointId }: Redelivered) => endpointId),
    }),
    count: t.exposeInt('count', { description: 'How many are sent, 10,000 at most: where it is as many, ask again.' }),
  }),
})

const endpointId = { description: 'UUID of the endpoint; the first one unless told.' }
builder.mutationFields((t) => ({
  sendTestWebhook: t.field({
    type: SendTestWebhookPayload,
    description:
      'Sends an event of type webhook.test to one endpoint, also to one that is switched off: one attempt, which ' +
      'changes nothing of the endpoint. Owners and admins.',
    args: { endpointId: t.arg.id(endpointId) },
    resolve: (_, { endpointId }, ctx) => sendTestWebhook(ctx, endpointId ?? undefined),
  }),
  redeliverWebhook: t.field({
    type: RedeliverWebhookPayload,
    description:
      'Sends an event to its endpoint again, at once and whether it arrived or not, under the same id. Its schedule ' +
      'starts anew; to an endpoint that is switched off there is one attempt. Owners and admins.',
    args: { deliveryId: t.arg.id({ required: true, description: 'UUID of the delivery.' }) },
    resolve: (_, { deliveryId }, ctx) => redeliverWebhook(ctx, deliveryId),
  }),
  redeliverFailedWebhooks: t.field({
    type: RedeliverFailedWebhooksPayload,
    description:
      'Sends every event again that an endpoint has not taken since a time: those given up, and those that happened ' +
      'while it was switched off. Owners and admins.',
    args: {
      endpointId: t.arg.id(endpointId),
      since: t.arg({ type: 'DateTime', required: true, description: 'Of events that happened at or after.' }),
    },
    resolve: (_, { endpointId, since }, ctx) =>
      redeliverFailedWebhooks(ctx, { endpointId: endpointId ?? undefined, since }),
  }),
}))
