import { route } from '../../platform/http/rest.ts'
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
      return { events: events.map(toRestEvent), next }
    },
  }),
]
