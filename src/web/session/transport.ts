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
}

export type Transport = ReturnType<typeof createTransport>

/**
 * Runs operations with the session's credential. When the credential is rejected, renews it and sends the request once
 * more; if that fails the session ends.
 */
export function createTransport(session: SessionStore, fetch: Fetch) {
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
     * Starts a subscription (GraphQL over Server-Sent Events, distinct connections).
     * @returns a function that ends it
     */
    follow({ query, variables, operationName }: Operation, observer: Observer, editorHeaders?: Record<string, string>) {
      const fetchFn: Fetch = async (url, init) => {
        const response = await fetch(url, init)
        if (response.ok || response.status >= 500) return response
        // The client retries on any error; that only makes sense with a renewed credential.
        const sent = new Headers(init.headers).get('authorization')
        if (response.status === 401 && (await isReplaced(sent))) return response
        observer.error(findError(await response.json().catch(() => null)) ?? new Error(`status ${response.status}`))
        unsubscribe()
        throw new Error('rejected')
      }
      const client = createClient({ url: GRAPHQL_URL, headers: () => headersFor(editorHeaders), fetchFn })
      const unsubscribe = client.subscribe({ query, operationName: operationName ?? undefined, variables }, observer)
      return unsubscribe
    },
  }
}
