import { route } from '../../platform/http/rest.ts'
import { eventFeedShape, toRestEvent } from './public.ts'
import { followEventsInput } from './schema.ts'
import { followEvents } from './service.ts'

/** The feed of what happened (contract, section 7). It has no `count`: a feed has no end. */
export const eventRoutes = [
  route({
    method: 'GET',
    path: '/event',
    auth: 'key',
    operation: 'followEvents',
    summary: 'What happened since the last look, oldest first.',
    description: 'For those who ask instead of being called: `next` is the `after` of the next request.',
    query: followEventsInput,
    answer: eventFeedShape,
    handle: async ({ ctx, query }) => {
      const { events, next } = await followEvents(ctx, query)
      return { events: events.map(toRestEvent), next }
    },
  }),
]
