import type { Fetcher, FetcherParams } from '@graphiql/toolkit'
import { getOperationAST, Kind, parse } from 'graphql'
import { createClient } from 'graphql-sse'
import { bearer, errorOf, type Fetch, GRAPHQL_URL, post } from './api.ts'
import type { SessionStore } from './session.ts'

/**
 * Carries out what the editor asks for, with the session's credential: one answer for a query or a mutation, and as
 * many as come for a subscription (GraphQL over Server-Sent Events, distinct connections).
 * A refused credential is renewed and the request sent once more, or else the session ends.
 */
export function createFetcher(session: SessionStore, fetch: Fetch): Fetcher {
  async function headersFor(own: Record<string, string> | undefined): Promise<Record<string, string>> {
    const headers = new Headers(bearer(await session.credential()))
    // What a person writes into the editor of headers goes before what the page would send.
    for (const [name, value] of Object.entries(own ?? {})) headers.set(name, value)
    return Object.fromEntries(headers)
  }

  async function once(params: FetcherParams, own: Record<string, string> | undefined) {
    const headers = await headersFor(own)
    const answer = await post(params, headers, fetch)
    if (errorOf(answer)?.code !== 'unauthenticated' || !session.read().session) return answer
    const isRenewed =
      (await session.check()) && bearer(await session.credential()).authorization !== headers.authorization
    return isRenewed && !own?.authorization ? post(params, await headersFor(own), fetch) : answer
  }

  function stream(params: FetcherParams, own: Record<string, string> | undefined) {
    const client = createClient({
      url: new URL(GRAPHQL_URL, location.href).href,
      headers: () => headersFor(own),
      fetchFn: fetch,
    })
    const { query, variables } = params
    const operationName = params.operationName ?? undefined
    return {
      subscribe(observer: { next: (result: unknown) => void; error: (error: unknown) => void; complete: () => void }) {
        const error = async (cause: unknown) => {
          observer.error(cause)
          await session.check().catch(() => {})
        }
        const unsubscribe = client.subscribe(
          { query, operationName, variables: variables as Record<string, unknown> | undefined },
          { next: observer.next, error, complete: observer.complete },
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
 * What is to be carried out. The editor notices late that a tab has changed, and may still name the operation of the
 * one before: where there is only one to choose, that is meant.
 */
function read(params: FetcherParams): { params: FetcherParams; isSubscription: boolean } {
  try {
    const document = parse(params.query)
    const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    const operationName = operations.length === 1 ? undefined : params.operationName
    const operation = getOperationAST(document, operationName)
    return { params: { ...params, operationName }, isSubscription: operation?.operation === 'subscription' }
  } catch {
    // The server says better what is wrong with it.
    return { params, isSubscription: false }
  }
}
