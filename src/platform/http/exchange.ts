import type { Viewer } from '../context.ts'

/** A request while it is answered. */
export interface Exchange {
  requestId: string
  /** Pattern of the path, never the path itself: that may contain keys, and their number has no bound. */
  route: string
  /** Null until the client is authenticated. */
  viewer: Viewer | null
  /** Whether the handler records its answer itself. Defaults to false. */
  isRecorded?: boolean
}

export const newExchange = (route = 'unmatched'): Exchange => ({ requestId: Bun.randomUUIDv7(), route, viewer: null })
