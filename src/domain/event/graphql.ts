import type { Event } from '../../platform/db/generated/client/client.ts'
import { builder, enumValues, OrderDirection, parseFilter } from '../../platform/graphql/builder.ts'
import { rootPage } from '../../platform/graphql/page.ts'
import { planOf } from '../../platform/graphql/plan.ts'
import { parseId } from '../../platform/schema/input.ts'
import { type EventType, eventFilter } from './schema.ts'
import { countEvents, eventBody, findEvents, getEvent } from './service.ts'

export const EventTypeEnum = builder.enumType('EventType', {
  description: 'What happened.',
  values: enumValues<EventType>({
    'track.status_changed': 'A track became ready, incomplete or impossible to play.',
    'track_file.created': 'A file of a track is done.',
    'track_file.failed': 'A file of a track was given up.',
    'collection.created': 'A collection was created.',
    'collection.updated': 'A collection was changed.',
    'collection.deleted': 'A collection was deleted, with its tracks.',
    'webhook.disabled': 'A webhook endpoint was switched off: it is gone, or took nothing for five days.',
    'webhook.test': 'Asked for with sendTestWebhook, and sent to one endpoint only.',
  }),
})

/** The types stand with the concepts that they speak of. */
const typeNames: Record<EventType, string> = {
  'track.status_changed': 'TrackStatusChangedEvent',
  'track_file.created': 'TrackFileEvent',
  'track_file.failed': 'TrackFileEvent',
  'collection.created': 'CollectionEvent',
  'collection.updated': 'CollectionEvent',
  'collection.deleted': 'CollectionEvent',
  'webhook.disabled': 'WebhookEvent',
  'webhook.test': 'WebhookEvent',
}

export const EventInterface = builder.interfaceRef<Event>('Event').implement({
  description: 'Something that happened. Kept for 30 days, or as long as the operator set.',
  resolveType: ({ type }) => typeNames[type as EventType],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID; the same as the `webhook-id` of its webhooks.' }),
    type: t.field({ type: EventTypeEnum, description: 'What happened.', resolve: ({ type }) => type as EventType }),
    organizationId: t.exposeID('organizationId', { description: 'Where it happened.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it happened.' }),
    body: t.string({
      description: 'The JSON that its webhooks carry: type, timestamp and data. Addresses in it work for an hour.',
      resolve: eventBody,
    }),
  }),
})

const EventFilter = builder.inputType('EventFilter', {
  description: 'What narrows a list of events; all of it must hold.',
  fields: (t) => ({
    type: t.field({ type: [EventTypeEnum], description: 'One of these.' }),
    createdFrom: t.field({ type: 'DateTime', description: 'Happened at or after.' }),
    createdUntil: t.field({ type: 'DateTime', description: 'Happened before.' }),
  }),
})

const type = EventInterface
const EventEdge = builder.edgeObject({ name: 'EventEdge', description: 'An event and its place in the list.', type })
const EventConnection = builder.connectionObject(
  { name: 'EventConnection', description: 'A page of a list (Relay cursor connections).', type },
  EventEdge,
)

builder.queryFields((t) => ({
  events: t.connection(
    {
      type,
      description:
        'Events in the order in which they took effect, for following: ask again with the last endCursor that was not ' +
        'null as `after`, and none is missed or repeated. A key with a scope sees those of its scope.',
      args: {
        filter: t.arg({ type: EventFilter, description: 'What narrows the list.' }),
        direction: t.arg({ type: OrderDirection, description: 'The oldest first unless told.' }),
      },
      resolve: (_, { filter, direction, ...args }, ctx, info) => {
        const conditions = parseFilter(eventFilter, filter)
        return rootPage({
          info,
          ctx,
          args,
          order: { orderBy: [{ seq: direction ?? 'asc' }], key: 'seq' },
          list: (query) => findEvents(ctx, conditions, query),
          count: () => countEvents(ctx, conditions),
        })
      },
    },
    EventConnection,
    EventEdge,
  ),
  event: t.field({
    type,
    nullable: true,
    description: 'One event.',
    args: { id: t.arg.id({ required: true, description: 'UUID of the event.' }) },
    resolve: (_, { id }, ctx, info) => getEvent(ctx, parseId('eventId', id), { plan: planOf(info, ctx) }),
  }),
}))
