import {
  type InfiniteData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { createContext, useCallback, useContext, useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { ApiError, findError } from '../session/api.ts'
import type { Transport } from '../session/transport.ts'
import type { TypedDocumentString } from './generated/operations.ts'

export const TransportContext = createContext<Transport | null>(null)

function useTransport(): Transport {
  const transport = useContext(TransportContext)
  if (!transport) throw new Error('the component has no transport')
  return transport
}

/** Pages of a list that are read again together. Longer lists keep what they show. */
const MAX_REFRESHED = 10

/** Whether reading a list again would take many requests. */
const isLong = ({ state }: { state: { data?: unknown } }) =>
  ((state.data as Partial<InfiniteData<unknown>> | undefined)?.pages?.length ?? 0) > MAX_REFRESHED

/** Codes of failures that may pass: of the connection, and of a service that is starting or stopping. */
const PASSING = ['unreachable', 'unavailable', 'timeout', 'internal']

/** Answers of queries. A refusal is not repeated; a failure that may pass is, twice. */
export const createQueries = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5000,
        retry: (count, error) => count < 2 && !(error instanceof ApiError && !PASSING.includes(error.code)),
      },
    },
  })

/** Whether changes are shown as they happen. False while a subscription is interrupted. */
export function useIsLive(): boolean {
  const { live } = useTransport()
  return useSyncExternalStore(live.subscribe, live.read)
}

/** @throws ApiError with the first error of the answer */
async function run<Result, Variables>(
  transport: Transport,
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const answer = await transport.run({
    query: document.toString(),
    variables: variables as Record<string, unknown>,
  })
  const error = findError(answer)
  if (error) throw error
  return (answer as { data: Result }).data
}

/** Returns a function that runs one operation, for use outside of a component's rendering. */
export function useRun() {
  const transport = useTransport()
  return <Result, Variables>(document: TypedDocumentString<Result, Variables>, variables: Variables) =>
    run(transport, document, variables)
}

/** Reads data, again when the variables change and after a change by `useChange`. */
export function useData<Result, Variables>(document: TypedDocumentString<Result, Variables>, variables: Variables) {
  const transport = useTransport()
  return useQuery({
    queryKey: ['one', document.toString(), variables],
    queryFn: () => run(transport, document, variables),
  })
}

export interface Page<Node> {
  edges: readonly { node: Node }[]
  pageInfo: { hasNextPage: boolean; endCursor?: string | null }
}

/** Copies an answer with another object in place of one that it contains. */
function withOther<Value>(value: Value, from: object, to: object): Value {
  if (value === from) return to as Value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withOther(part, from, to)])) as Value
}

/** Replaces the record of a list, or removes it for null. Pages without it stay as they are. */
function withNode<Node extends { id: string }>(page: Page<Node>, id: string, node: Node | null): Page<Node> {
  if (!page.edges.some((edge) => edge.node.id === id)) return page
  const edges = page.edges.flatMap((edge) => {
    if (edge.node.id !== id) return [edge]
    return node ? [{ ...edge, node }] : []
  })
  return { ...page, edges }
}

/**
 * Reads a list page by page. The operation takes `after`.
 * @param connectionOf the connection in an answer
 */
export function usePages<Result, Variables extends { after?: string | null }, Node extends { id: string }>(
  document: TypedDocumentString<Result, Variables>,
  variables: Omit<Variables, 'after'>,
  connectionOf: (data: Result) => Page<Node>,
) {
  const transport = useTransport()
  const queries = useQueryClient()
  // Another key than that of `useData` for the same operation: pages are stored in another form.
  const queryKey = ['pages', document.toString(), variables]
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => run(transport, document, { ...variables, after: pageParam } as Variables),
    initialPageParam: null as string | null,
    refetchOnMount: (query) => !isLong(query),
    refetchOnWindowFocus: (query) => !isLong(query),
    refetchOnReconnect: (query) => !isLong(query),
    getNextPageParam: (last) => {
      const { hasNextPage, endCursor } = connectionOf(last).pageInfo
      return hasNextPage ? endCursor : undefined
    },
    select: (data: InfiniteData<Result>) => ({
      nodes: data.pages.flatMap((page) => connectionOf(page).edges.map(({ node }) => node)),
      first: data.pages[0],
    }),
  })
  const { data, error, isPending, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = query
  return {
    nodes: data?.nodes ?? [],
    /** The answer of the first page, for the fields next to the connection. */
    first: data?.first,
    error,
    isPending,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    hasMore: hasNextPage,
    refetch,
    /** Shows another state of a loaded record, or removes it for null, without reading the list again. */
    replace: (id: string, node: Node | null) => {
      queries.setQueryData<InfiniteData<Result>>(queryKey, (data) => {
        const pages = data?.pages.map((answer) => {
          const page = connectionOf(answer)
          const next = withNode(page, id, node)
          return next === page ? answer : withOther(answer, page, next)
        })
        return data && pages && { ...data, pages }
      })
    },
  }
}

/** Returns a function that reads everything that is shown again, except for long lists. */
export function useRefresh() {
  const queries = useQueryClient()
  return useCallback(() => {
    queries.removeQueries({ type: 'inactive', predicate: isLong })
    return queries.invalidateQueries({ predicate: (query) => !isLong(query) })
  }, [queries])
}

/** A mutation. After it, what is shown is read again. `error` is the service's refusal. */
export function useChange<Result, Variables>(document: TypedDocumentString<Result, Variables>) {
  const transport = useTransport()
  return useMutation({
    mutationFn: (variables: Variables) => run(transport, document, variables),
    onSuccess: useRefresh(),
  })
}

/**
 * Follows a subscription while the component is shown. After an interruption, what is shown is read again.
 * @param onData called with each result
 */
export function useFollow<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  onData: (data: Result) => void,
): void {
  const transport = useTransport()
  const receive = useEffectEvent(onData)
  const refresh = useEffectEvent(useRefresh())
  const text = document.toString()
  const key = JSON.stringify(variables)
  useEffect(
    () =>
      transport.follow(
        { query: text, variables: JSON.parse(key) },
        {
          next: (result) => {
            if (!findError(result)) receive((result as { data: Result }).data)
          },
          // After a refusal the page still reads on every change.
          error: () => {},
          complete: () => {},
          reconnected: () => void refresh(),
        },
      ),
    [transport, text, key],
  )
}
