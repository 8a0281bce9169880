import { createClient } from 'graphql-sse'
import { bearer, type Fetch, findError, GRAPHQL_URL, post } from './api.ts'
import type { SessionStore } from './session.ts'

/** One operation, as GraphQL over HTTP sends it. */
export interface Operation {
  query: string
  operationName?: string | null
  variables?: Record<string, unknown>
}

interface Observer {
  next: (result: unknown) => void
  error: (error: unknown) => void
  complete: () => void
  /** Called after an interruption, in which changes may have been missed. */
  reconnected?: () => void
}

/** Whether all subscriptions are connected. */
export interface LiveState {
  read: () => boolean
  /** Calls the listener on every change, until the returned function is called. */
  subscribe: (listener: () => void) => () => void
}

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 15_000

/** Waits before a connection is tried again: longer each time, and not at the same moment as all other pages. */
const pauseBeforeRetry = (retries: number): Promise<void> => {
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** retries, LONGEST_PAUSE_MS)
  return new Promise((resolve) => setTimeout(resolve, pauseMs * (0.75 + Math.random() / 2)))
}

export type Transport = ReturnType<typeof createTransport>

/**
 * Runs operations with the session's credential. When the credential is rejected, renews it and sends the request once
 * more; if that fails the session ends.
 * @param pause waits before a subscription is tried again, with the number of attempts since it was connected
 */
export function createTransport(session: SessionStore, fetch: Fetch, pause = pauseBeforeRetry) {
  /** Subscriptions that are not connected. */
  const interrupted = new Set<object>()
  const listeners = new Set<() => void>()
  function setInterrupted(subscription: object, isInterrupted: boolean): void {
    const before = interrupted.size === 0
    if (isInterrupted) interrupted.add(subscription)
    else interrupted.delete(subscription)
    if ((interrupted.size === 0) !== before) for (const listener of listeners) listener()
  }
  const live: LiveState = {
    read: () => interrupted.size === 0,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }

  async function headersFor(editorHeaders: Record<string, string> | undefined): Promise<Record<string, string>> {
    const headers = new Headers(bearer(await session.credential()))
    // Headers from the editor take precedence.
    for (const [name, value] of Object.entries(editorHeaders ?? {})) headers.set(name, value)
    return Object.fromEntries(headers)
  }

  /** Returns whether the session now has another credential than the rejected one. */
  async function isReplaced(sent: string | null | undefined): Promise<boolean> {
    const authorization = bearer(session.read().session?.credential ?? null).authorization
    // A credential from the header editor does not concern the session.
    if (!authorization || sent !== authorization) return false
    await session.check()
    const next = bearer(await session.credential()).authorization
    return next !== undefined && next !== authorization
  }

  return {
    live,
    /** Runs a query or a mutation. @returns the JSON of the answer */
    async run(operation: Operation, editorHeaders?: Record<string, string>): Promise<unknown> {
      const headers = await headersFor(editorHeaders)
      const answer = await post(operation, headers, fetch)
      const isRejected = findError(answer)?.code === 'unauthenticated'
      return isRejected && (await isReplaced(headers.authorization))
        ? post(operation, await headersFor(editorHeaders), fetch)
        : answer
    },

    /**
     * Starts a subscription (GraphQL over Server-Sent Events, distinct connections). An interrupted one is connected again
     * until it is refused or ended.
     * @returns a function that ends it
     */
    follow({ query, variables, operationName }: Operation, observer: Observer, editorHeaders?: Record<string, string>) {
      const subscription = {}
      const fetchFn: Fetch = async (url, init) => {
        // Here and not as an option of the client, which gives up when the credential cannot be renewed at the moment.
        const headers = await headersFor(editorHeaders)
        const response = await fetch(url, { ...init, headers: { ...(init.headers as object), ...headers } })
        if (response.ok || response.status >= 500) return response
        // The client retries on any error; that only makes sense with a renewed credential.
        if (response.status === 401 && (await isReplaced(headers.authorization))) return response
        observer.error(findError(await response.json().catch(() => null)) ?? new Error(`status ${response.status}`))
        end()
        throw new Error('rejected')
      }
      const client = createClient({
        url: GRAPHQL_URL,
        fetchFn,
        retryAttempts: Number.POSITIVE_INFINITY,
        retry: pause,
        on: {
          connecting: (isAgain) => {
            if (isAgain) setInterrupted(subscription, true)
          },
          connected: (isAgain) => {
            setInterrupted(subscription, false)
            if (isAgain) observer.reconnected?.()
          },
        },
      })
      const unsubscribe = client.subscribe({ query, operationName: operationName ?? undefined, variables }, observer)
      const end = () => {
        unsubscribe()
        setInterrupted(subscription, false)
      }
      return end
    },
  }
}
