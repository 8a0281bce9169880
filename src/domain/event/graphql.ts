import type { Event } from '../../platform/db/generated/client/client.ts'
import { builder, defineEnum, OrderDirection } from '../../platform/graphql/builder.ts'
import { idArgument } from '../../platform/graphql/input.ts'
import { defineConnection, parseFilter } from '../../platform/graphql/list.ts'
import { defineNode, Node } from '../../platform/graphql/node.ts'
import { rootPage } from '../../platform/graphql/page.ts'
import { createPlan } from '../../platform/graphql/plan.ts'
import { expose, filterFields } from '../../platform/graphql/record.ts'
import { parseId } from '../../platform/schema/parse.ts'
import { createdFilters } from '../../platform/schema/record.ts'
import { permitted, readScope } from '../access/viewer.ts'
import { readableBody } from './body.ts'
import { type EventType, eventFields, eventFilter, eventTypeDescription } from './record.ts'
import { countEvents, eventCursors, examinedAfter, findEvents, getEvent, numberEvents } from './service.ts'

export const EventTypeEnum = defineEnum<EventType>('EventType', eventTypeDescription, {
  'track.status_changed': 'A track became ready, incomplete or failed.',
  'track.recording_replaced': 'A track has another recording.',
  'track.replacement_failed': 'A new recording of a track could not be used.',
  'track.transcribed': 'What is said in a track was transcribed.',
  'track.transcription_failed': 'A track could not be transcribed.',
  'track_file.created': 'A file of a track is ready.',
  'track_file.failed': 'A file of a track failed.',
  'collection.created': 'A collection was created.',
  'collection.updated': 'A collection was changed.',
  'collection.deleted': 'A collection and its tracks were deleted.',
  'collection.restored': 'A deleted collection was restored with its tracks.',
  'webhook.disabled': 'A webhook endpoint was disabled: it answered 410, or failed for five days.',
  'webhook.test': 'sendTestWebhook was called. Sent to one endpoint only.',
})

/** The concept of the subject defines the type. */
const typeNames: Record<EventType, string> = {
  'track.status_changed': 'TrackStatusChangedEvent',
  'track.recording_replaced': 'TrackRecordingEvent',
  'track.replacement_failed': 'TrackRecordingEvent',
  'track.transcribed': 'TrackTranscriptionEvent',
  'track.transcription_failed': 'TrackTranscriptionEvent',
  'track_file.created': 'TrackFileEvent',
  'track_file.failed': 'TrackFileEvent',
  'collection.created': 'CollectionEvent',
  'collection.updated': 'CollectionEvent',
  'collection.deleted': 'CollectionEvent',
  'collection.restored': 'CollectionEvent',
  'webhook.disabled': 'WebhookEvent',
  'webhook.test': 'WebhookEvent',
}

export const EventInterface = builder.interfaceRef<Event>('Event').implement({
  interfaces: [Node],
  description: 'A change in the organization. Kept for 30 days by default, as configured by the operator.',
  resolveType: ({ type }) => typeNames[type as EventType],
  fields: (t) => ({
    ...expose(t, eventFields),
    type: t.field({
      type: EventTypeEnum,
      description: eventTypeDescription,
      resolve: ({ type }) => type as EventType,
    }),
    body: t.string({
      description:
        'JSON body of its webhooks: type, timestamp and data. URLs in it are signed when it is read, and valid for an hour.',
      // A track with its files and their addresses.
      extensions: { price: { points: 8 } },
      resolve: (event, _, ctx) => readableBody(ctx, event),
    }),
  }),
})

defineNode([...new Set(Object.values(typeNames))], {
  model: 'Event',
  permit: readScope,
  find: getEvent,
  toType: ({ type }: Event) => typeNames[type as EventType],
})

const EventFilter = builder.inputType('EventFilter', {
  description: 'Conditions on events. All given conditions must hold.',
  fields: (t) => ({
    type: t.field({ type: [EventTypeEnum], description: 'Any of these types.' }),
    ...filterFields(t, createdFilters),
  }),
})

const type = EventInterface
builder.queryFields((t) => ({
  events: t.connection(
    {
      type,
      description:
        'Lists the events in the order of their commits. A client that sends the last non-null endCursor as `after` ' +
        'receives every event once. With a filter, endCursor is after the events that it leaves out, and a page may be ' +
        'empty although `hasNextPage` is true. A key with a scope sees the events of its scope.',
      args: {
        filter: t.arg({ type: EventFilter, description: 'Conditions on the events.' }),
        direction: t.arg({ type: OrderDirection, description: 'Defaults to the oldest first.' }),
      },
      resolve: permitted(readScope, async (_, { filter, direction, ...args }, ctx, info) => {
        const conditions = parseFilter(eventFilter, filter)
        const order = direction ?? 'asc'
        const cursors = eventCursors(ctx, order)
        const after = args.after == null ? undefined : cursors.read(args.after, 'after')
        await numberEvents(ctx, readScope(ctx).organizationId)
        const isFollowed = order === 'asc' && args.last == null && args.before == null
        const examined = isFollowed ? await examinedAfter(ctx, after, conditions) : null
        const page = await rootPage({
          info,
          ctx,
          args,
          order: [{ seq: order }],
          list: (query) => findEvents(ctx, conditions, query, examined?.seq),
          count: () => countEvents(ctx, conditions),
          cursors,
        })
        if (!examined || page.pageInfo.hasNextPage) return page
        const { hasPreviousPage } = page.pageInfo
        const pageInfo = {
          hasNextPage: !examined.isLast,
          hasPreviousPage,
          get startCursor() {
            return page.pageInfo.startCursor
          },
          endCursor: cursors.mint([String(examined.seq)]),
        }
        return { ...page, pageInfo }
      }),
    },
    ...defineConnection('Event', type, 'An event'),
  ),
  event: t.field({
    type,
    nullable: true,
    description: 'Returns an event.',
    args: { id: idArgument('event') },
    resolve: permitted(readScope, (_, { id }, ctx, info) =>
      getEvent(ctx, parseId('eventId', id), { plan: createPlan(info, ctx) }),
    ),
  }),
}))
