import type { Event } from '../../platform/db/generated/client/client.ts'
import { routes } from '../../platform/rest.ts'
import { followEvents } from './service.ts'

const shown = ({ id, type, organizationId, createdAt, data }: Event) => ({ id, type, organizationId, createdAt, data })

/**
 * The feed of what happened (contract, section 7), for those who ask instead of being called: `next` is the `after` of
 * the next request. It has no `count`: a feed has no end.
 */
export const eventRoutes = routes({
  method: 'GET',
  path: '/event',
  auth: 'key',
  handle: async ({ ctx, query }) => {
    const { events, next } = await followEvents(ctx, query)
    return { events: events.map(shown), next }
  },
})
