import { delay } from './delay.ts'
import type { operations } from './generated/rest.ts'
import { type Rest, readData } from './rest.ts'

type Query = NonNullable<operations['followEvents']['parameters']['query']>
export type EventPage = operations['followEvents']['responses'][200]['content']['application/json']

export interface FollowOptions extends Pick<Query, 'after' | 'type' | 'limit'> {
  /** Milliseconds between requests while there is nothing new. Defaults to 2,000. */
  pollMs?: number
  /** Ends the iteration with the signal's reason. */
  signal?: AbortSignal
}

/**
 * Iterates over the events of the organization, oldest first, and waits for new ones without end. Each page has events.
 * Store its `next` together with the effect of its events, and pass it as `after` to continue: no event is missed.
 * @throws TonearmError when the service refuses
 */
export async function* followEvents(
  rest: Rest,
  { after, pollMs = 2000, signal, ...query }: FollowOptions = {},
): AsyncGenerator<EventPage, never> {
  let cursor = after
  for (;;) {
    const page = readData(await rest.GET('/v1/event', { params: { query: { ...query, after: cursor } }, signal }))
    const isEnd = page.events.length === 0 && (page.next ?? undefined) === cursor
    cursor = page.next ?? undefined
    if (page.events.length > 0) yield page
    if (isEnd) await delay(pollMs, signal)
  }
}
