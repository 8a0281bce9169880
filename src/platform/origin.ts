import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The request that work is done for. Jobs and events contain it, so that the log lines and spans of everything that a
 * request has caused can be found. Never used to decide anything.
 */
export interface Origin {
  /** Of the answer (`X-Request-Id`). Null for periodic work. */
  requestId: string | null
}

const storage = new AsyncLocalStorage<Origin>()

/** Runs work for a request. Everything that it awaits has the same origin. */
export const withOrigin = <T>(origin: Origin, work: () => T): T => storage.run(origin, work)

/** Returns the origin of the running work. Null outside of requests and jobs. */
export const currentOrigin = (): Origin | null => storage.getStore() ?? null

/** Returns the ID of the request that is being answered, or a new one outside of requests. */
export const currentRequestId = (): string => storage.getStore()?.requestId ?? Bun.randomUUIDv7()
