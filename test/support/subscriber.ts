import { createClient } from 'graphql-sse'
import type { Json, TestService } from './service.ts'

const DEADLINE_MS = 20_000

/** The gateway on a port of its own, as the process listens. */
export function listenGateway(service: Pick<TestService, 'gateway'>, port = 0, idleTimeout = 255) {
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    idleTimeout,
    development: false,
    fetch: (request) => service.gateway(request),
  })
  return { port: server.port ?? 0, url: `http://127.0.0.1:${server.port}/graphql`, server }
}

export const WATCH = `subscription ($trackId: ID, $collectionId: ID, $since: DateTime) {
  trackChanged(trackId: $trackId, collectionId: $collectionId, since: $since) {
    trackId status progressPercent isFinal isDeleted changedAt track { id status } } }`

export interface Watch {
  /** Null for none. */
  key: string | null
  variables?: object
  query?: string
  /** Whether it comes again, at once, when the connection breaks off. */
  isPersistent?: boolean
}

export type Subscriber = ReturnType<typeof subscribe>

/** A client of another project (graphql-sse), and the messages that it received. */
export function subscribe(url: string, { key, variables = {}, query = WATCH, isPersistent = false }: Watch) {
  const received: Json[] = []
  const waiting = new Set<() => void>()
  const tell = () => {
    for (const check of waiting) check()
  }
  let end: { error?: unknown } | null = null
  let connections = 0
  const client = createClient({
    url,
    headers: key === null ? {} : { authorization: `Bearer ${key}` },
    retryAttempts: isPersistent ? 10_000 : 0,
    retry: () => Bun.sleep(20),
    on: {
      connected: () => {
        connections += 1
        tell()
      },
    },
  })
  client.subscribe(
    { query, variables: variables as Record<string, unknown> },
    {
      next: (result) => {
        received.push(result)
        tell()
      },
      error: (error) => {
        end = { error }
        tell()
      },
      complete: () => {
        end ??= {}
        tell()
      },
    },
  )

  /** Waits until something is true of what has come. */
  async function until<T>(what: string, find: () => T | undefined | null | false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const check = () => {
      const value = find()
      if (value) resolve(value)
    }
    const late = setTimeout(() => {
      reject(new Error(`waited in vain for ${what}: ${JSON.stringify(received)} ${Bun.inspect(end)}`))
    }, DEADLINE_MS)
    waiting.add(check)
    check()
    try {
      return await promise
    } finally {
      clearTimeout(late)
      waiting.delete(check)
    }
  }

  const changes = (): Json[] => received.flatMap(({ data }) => (data ? [data.trackChanged] : []))
  return {
    received,
    changes,
    until,
    /** The first change that matches. */
    change: (what: string, matches: (change: Json) => boolean) => until(what, () => changes().find(matches)),
    connected: (times = 1) => until(`connection ${times}`, () => connections >= times),
    ended: () => until('its end', () => end),
    leave: () => client.dispose(),
  }
}
