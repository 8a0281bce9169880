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

  /** After a refusal: whether the session has another credential now than what was sent. */
  async function isReplaced(sent: string | null | undefined): Promise<boolean> {
    const own = bearer(session.read().session?.credential ?? null).authorization
    // A credential that a person wrote there says nothing about the session.
    if (!own || sent !== own) return false
    await session.check()
    const next = bearer(await session.credential()).authorization
    return next !== undefined && next !== own
  }

  async function once(params: FetcherParams, own: Record<string, string> | undefined) {
    const headers = await headersFor(own)
    const answer = await post(params, headers, fetch)
    const isRefused = errorOf(answer)?.code === 'unauthenticated'
    return isRefused && (await isReplaced(headers.authorization)) ? post(params, await headersFor(own), fetch) : answer
  }

  function stream({ query, variables, operationName }: FetcherParams, own: Record<string, string> | undefined) {
    return {
      subscribe(observer: Observer) {
        const fetchFn: Fetch = async (url, init) => {
          const response = await fetch(url, init)
          if (response.ok || response.status >= 500) return response
          // The client would try again whatever the reason; here that helps with a renewed credential alone.
          const sent = new Headers(init.headers).get('authorization')
          if (response.status === 401 && (await isReplaced(sent))) return response
          observer.error(errorOf(await response.json().catch(() => null)) ?? new Error(`status ${response.status}`))
          unsubscribe()
          throw new Error('refused')
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
