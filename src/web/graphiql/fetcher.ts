import type { Fetcher, FetcherParams } from '@graphiql/toolkit'
import { getOperationAST, Kind, parse } from 'graphql'
import { createClient } from 'graphql-sse'
import { bearer, errorOf, type Fetch, GRAPHQL_URL, post } from './api.ts'
import type { SessionStore } from './session.ts'

interface Observer {
  next: (result: unknown) => void
  error: (error: unknown) => void
  complete: () => void
}

/**
 * Runs the editor's operations with the session's credential: one result for a query or a mutation, a stream of results
 * for a subscription (GraphQL over Server-Sent Events, distinct connections). When the credential is rejected, renews
 * it and sends the request once more; if that fails the session ends.
 */
export function createFetcher(session: SessionStore, fetch: Fetch): Fetcher {
  async function headersFor(own: Record<string, string> | undefined): Promise<Record<string, string>> {
    const headers = new Headers(bearer(await session.credential()))
    // Headers from the editor take precedence.
    for (const [name, value] of Object.entries(own ?? {})) headers.set(name, value)
    return Object.fromEntries(headers)
  }

  /** Returns whether the session now has another credential than the rejected one. */
  async function isReplaced(sent: string | null | undefined): Promise<boolean> {
    const own = bearer(session.read().session?.credential ?? null).authorization
    // A credential from the header editor does not concern the session.
    if (!own || sent !== own) return false
    await session.check()
    const next = bearer(await session.credential()).authorization
    return next !== undefined && next !== own
  }

  async function once(params: FetcherParams, own: Record<string, string> | undefined) {
    const headers = await headersFor(own)
    const answer = await post(params, headers, fetch)
    const isRejected = errorOf(answer)?.code === 'unauthenticated'
    return isRejected && (await isReplaced(headers.authorization)) ? post(params, await headersFor(own), fetch) : answer
  }

  function stream({ query, variables, operationName }: FetcherParams, own: Record<string, string> | undefined) {
    return {
      subscribe(observer: Observer) {
        const fetchFn: Fetch = async (url, init) => {
          const response = await fetch(url, init)
          if (response.ok || response.status >= 500) return response
          // The client retries on any error; that only makes sense with a renewed credential.
          const sent = new Headers(init.headers).get('authorization')
          if (response.status === 401 && (await isReplaced(sent))) return response
          observer.error(errorOf(await response.json().catch(() => null)) ?? new Error(`status ${response.status}`))
          unsubscribe()
          throw new Error('rejected')
        }
        const client = createClient({ url: GRAPHQL_URL, headers: () => headersFor(own), fetchFn })
        const unsubscribe = client.subscribe(
          { query, operationName: operationName ?? undefined, variables: variables as Record<string, unknown> },
          observer,
        )
        return { unsubscribe }
      },
    }
  }

  return ((given, options) => {
    const { params, isSubscription } = read(given)
    return isSubscription ? stream(params, options?.headers) : once(params, options?.headers)
  }) as Fetcher
}

/**
 * Returns the operation to run. After a change of tabs the editor may still name the operation of the previous tab, so
 * the name is ignored if there is only one operation.
 */
function read(params: FetcherParams): { params: FetcherParams; isSubscription: boolean } {
  try {
    const document = parse(params.query)
    const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    const operationName = operations.length === 1 ? undefined : params.operationName
    const operation = getOperationAST(document, operationName)
    return { params: { ...params, operationName }, isSubscription: operation?.operation === 'subscription' }
  } catch {
    // The server's message about a syntax error is better.
    return { params, isSubscription: false }
  }
}
