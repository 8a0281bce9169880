import type { Fetcher, FetcherParams } from '@graphiql/toolkit'
import { getOperationAST, Kind, parse } from 'graphql'
import type { Operation, Transport } from '../session/transport.ts'

type Observer = Parameters<Transport['follow']>[1]

/**
 * Runs the editor's operations: one result for a query or a mutation, a stream of results for a subscription.
 * @param mayWrite asked before a mutation is run. Defaults to yes
 */
export function createFetcher(
  { run, follow }: Transport,
  mayWrite: (operation: Operation) => Promise<boolean> = async () => true,
): Fetcher {
  return ((params, options) => {
    const { operation, type } = read(params)
    if (type === 'mutation') {
      return mayWrite(operation).then((may) =>
        may ? run(operation, options?.headers) : { errors: [{ message: 'The operation was not run.' }] },
      )
    }
    if (type !== 'subscription') return run(operation, options?.headers)
    return {
      subscribe: (observer: Observer) => ({ unsubscribe: follow(operation, observer, options?.headers) }),
    }
  }) as Fetcher
}

/**
 * Returns the operation to run. After a change of tabs the editor may still name the operation of the previous tab, so
 * the name is ignored if there is only one operation.
 */
function read(params: FetcherParams): { operation: Operation; type: string | undefined } {
  try {
    const document = parse(params.query)
    const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    const operationName = operations.length === 1 ? undefined : params.operationName
    const operation = getOperationAST(document, operationName)
    return { operation: { ...params, operationName }, type: operation?.operation }
  } catch {
    // The server's message about a syntax error is better.
    return { operation: params, type: undefined }
  }
}
