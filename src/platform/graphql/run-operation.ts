import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  getOperationAST,
  OperationTypeNode,
} from 'graphql'
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga'
import { AppError } from '../errors.ts'
import type { Charge } from './budget.ts'
import { checkLists } from './limits.ts'
import type { MeasureOperation } from './measure-operation.ts'
import type { RequestContext } from './request.ts'

type Execute = (args: ExecutionArgs) => PromiseLike<ExecutionResult> | ExecutionResult

/** Runs a valid operation with every limit of its request. Never rejects: an error is part of the result. */
export type RunOperation = (execute: Execute, args: ExecutionArgs, request: RequestContext) => Promise<ExecutionResult>

interface Parts {
  charge: Charge
  measure: MeasureOperation
}

/** Creates the steps of every operation: of those that Yoga executes, those of `direct.ts`, and each event of a subscription. */
export function createRunOperation({ charge, measure }: Parts): RunOperation {
  async function run(execute: Execute, args: ExecutionArgs, request: RequestContext): Promise<ExecutionResult> {
    const { points, work, deadline } = request
    try {
      if (request.isQueryOnly) checkQuery(args)
      checkLists(args)
      const charged = charge(args, request)
      if (charged?.rejection) return charged.rejection
      await work.awaitLargeTurn(points.requested)
      const result = await deadline.inTime(Promise.resolve(execute(args)))
      if (!isAsyncIterable(result)) charged?.report(result)
      return result
    } catch (error) {
      return failed(error)
    }
  }

  return async (execute, args, request) => {
    const end = measure(args)
    const result = await run(execute, args, request)
    end(result)
    return result
  }
}

/** Runs the operations of Yoga. Must come after plugins that replace the executor, because it wraps the current one. */
export const operationPlugin = (run: RunOperation): Plugin<RequestContext> => ({
  onExecute({ context, executeFn, setExecuteFn }) {
    setExecuteFn((args) => run(executeFn as Execute, args, context))
  },
  onSubscribe({ context, setSubscribeFn }) {
    context.deadline.lift()
    setSubscribeFn((args) => subscribe(run, args, context))
  },
})

/**
 * Begins a subscription. Each event is an operation of its own: it is charged, waits for its turn when it is large, and has
 * the time and the size of an answer. One that may not run ends the stream with its error.
 */
async function subscribe(run: RunOperation, args: ExecutionArgs, request: RequestContext) {
  const began = await run(() => createSourceEventStream(args) as never, args, request)
  if (!isAsyncIterable<unknown>(began)) return began
  let isOver = false
  const answerEvent = async (event: unknown): Promise<ExecutionResult> => {
    request.points.requested = 0
    request.written.bytes = 0
    request.deadline.start()
    const result = await run(execute as Execute, { ...args, rootValue: event }, request)
    request.work.end()
    request.deadline.lift()
    isOver = !('data' in result)
    return result
  }
  return mapAsyncIterator(
    endingWhen(began, () => isOver),
    answerEvent,
  )
}

/** Ends an iteration before the next item when a condition has become true. */
const endingWhen = <T>(items: AsyncIterable<T>, isOver: () => boolean): AsyncIterable<T> => ({
  [Symbol.asyncIterator]() {
    const iterator = items[Symbol.asyncIterator]()
    return {
      next: async () =>
        isOver() ? ((await iterator.return?.()) ?? { done: true, value: undefined }) : iterator.next(),
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }
  },
})

/**
 * A GET only reads (GraphQL over HTTP, section 6.2.1).
 * @throws AppError `method_not_allowed` for a mutation or a subscription
 */
function checkQuery({ document, operationName }: ExecutionArgs): void {
  const operation = getOperationAST(document, operationName)
  if (!operation || operation.operation === OperationTypeNode.QUERY) return
  const message = `method: must be POST for a ${operation.operation}, GET runs queries only`
  throw new AppError('method_not_allowed', message, { headers: { allow: 'POST' } })
}

function failed(error: unknown): ExecutionResult {
  const { message } = error as Error
  return {
    errors: [error instanceof GraphQLError ? error : new GraphQLError(message, { originalError: error as Error })],
  }
}
