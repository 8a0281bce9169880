import type { Fetcher, FetcherParams } from '@graphiql/toolkit'
import { getOperationAST, Kind, parse } from 'graphql'
import type { Operation, Transport } from '../session/transport.ts'

type Observer = Parameters<Transport['follow']>[1]

/** Runs the editor's operations: one result for a query or a mutation, a stream of results for a subscription. */
export function createFetcher({ run, follow }: Transport): Fetcher {
  return ((given, options) => {
    const { operation, isSubscription } = read(given)
    if (!isSubscription) return run(operation, options?.headers)
    return {
      subscribe: (observer: Observer) => ({ unsubscribe: follow(operation, observer, options?.headers) }),
    }
  }) as Fetcher
}

/**
 * Returns the operation to run. After a change of tabs the editor may still name the operation of the previous tab, so
 * the name is ignored if there is only one operation.
 */
function read(params: FetcherParams): { operation: Operation; isSubscription: boolean } {
  try {
    const document = parse(params.query)
    const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    const operationName = operations.length === 1 ? undefined : params.operationName
    const operation = getOperationAST(document, operationName)
    return { operation: { ...params, operationName }, isSubscription: operation?.operation === 'subscription' }
  } catch {
    // The server's message about a syntax error is better.
    return { operation: params, isSubscription: false }
  }
}
