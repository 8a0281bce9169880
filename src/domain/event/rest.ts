import { route } from '../../platform/http/rest.ts'
import { readableData } from './body.ts'
import { eventFeedShape, followEventsInput, toRestEvent } from './record.ts'
import { followEvents } from './service.ts'

/** The feed of events (contract, section 7). It has no `count`, because it has no end. */
export const eventRoutes = [
  route({
    method: 'GET',
    path: '/event',
    auth: 'key',
    operation: 'followEvents',
    summary: 'Lists the events after a cursor, oldest first.',
    description: 'For clients that poll instead of receiving webhooks. Send `next` as `after` of the next request.',
    query: followEventsInput,
    answer: eventFeedShape,
    handle: async ({ ctx, query }) => {
      const { events, next } = await followEvents(ctx, query)
      const data = await Promise.all(events.map((event) => readableData(ctx, event)))
      return { events: events.map((event, place) => toRestEvent(event, data[place])), next }
    },
  }),
]
