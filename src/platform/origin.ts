import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from '@opentelemetry/api'
import { z } from 'zod'

/** The viewer of a request, as the activity of an organization names it (decision 0079). */
export interface Actor {
  kind: 'administrator' | 'key'
  id: string
  organizationId: string
  /** IP address of the client. Null if unknown. */
  address: string | null
}

/**
 * The request that work is done for. Jobs and events contain it, so that the log lines and spans of everything that a
 * request has caused can be found. Never used to decide anything.
 */
export interface Origin {
  /** Of the answer (`X-Request-Id`). Null for periodic work. */
  requestId: string | null
  /** The innermost span of the work. Null unless it is traced. */
  span: Span | null
}

/** An origin with its actor, which all work of a request shares: it is unknown until the request is authenticated. */
interface Work extends Origin {
  identity: { actor: Actor | null }
}

/** An origin as jobs and events store it. Trace fields are those of the headers of W3C Trace Context. */
export interface StoredOrigin {
  requestId?: string
  traceparent?: string
  tracestate?: string
}

const stored = z.object({
  requestId: z.string().max(64).optional(),
  traceparent: z.string().max(64).optional(),
  tracestate: z.string().max(512).optional(),
})

const storage = new AsyncLocalStorage<Work>()

/** Runs work for a request. Everything that it awaits has the same origin. */
export const withOrigin = <T>(origin: Origin, work: () => T): T =>
  storage.run({ ...origin, identity: storage.getStore()?.identity ?? { actor: null } }, work)

/** Runs work that serves all requests, such as a shared connection, which the first of them happens to open. */
export const withoutOrigin = <T>(work: () => T): T => storage.exit(work)

/** Returns the origin of the running work. Null outside of requests and jobs. */
export const currentOrigin = (): Origin | null => storage.getStore() ?? null

/** Names the viewer of the request that is being answered. Has no effect outside of requests. */
export function setActor(actor: Actor): void {
  const work = storage.getStore()
  if (work) work.identity.actor = actor
}

/** Returns the viewer of the request that is being answered. Null for work of the service itself and without a credential. */
export const currentActor = (): Actor | null => storage.getStore()?.identity.actor ?? null

/** Returns the ID of the request that is being answered, or a new one outside of requests. */
export const currentRequestId = (): string => storage.getStore()?.requestId ?? Bun.randomUUIDv7()

/** Returns the current origin to store it. Null outside of requests and of what they have caused. */
export function storedOrigin(): StoredOrigin | null {
  const { requestId = null, span = null } = currentOrigin() ?? {}
  if (requestId === null && span === null) return null
  return { ...(requestId !== null && { requestId }), ...(span && traceHeaders(span)) }
}

/** Returns an origin that was stored. Empty for anything else, such as work without a request. */
export const readOrigin = (value: unknown): StoredOrigin => stored.safeParse(value).data ?? {}

/** Returns the headers of W3C Trace Context that continue a span. */
export function traceHeaders(span: Span): { traceparent: string; tracestate?: string } {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  const tracestate = traceState?.serialize()
  const flags = traceFlags.toString(16).padStart(2, '0')
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(tracestate && { tracestate }) }
}
