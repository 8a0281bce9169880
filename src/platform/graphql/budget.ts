import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { AppError } from '../errors.ts'
import type { PointLimits, Standing } from '../http/point-limit.ts'
import { costOf } from './cost.ts'
import type { RequestContext } from './request.ts'

/** Maximum points of a request. 50 collections with 20 tracks each, with files and variants, cost 21,200. */
export const MAX_POINTS = 25_000

/** `extensions.cost` of an answer. The last two are null unless points are limited over time. */
interface CostReport {
  /** Points of this operation. */
  requested: number
  /** Maximum points of one request. */
  limit: number
  remaining: number | null
  resetSeconds: number | null
}

const report = (requested: number, standing: Standing | null): CostReport => ({
  requested,
  limit: MAX_POINTS,
  remaining: standing?.remaining ?? null,
  resetSeconds: standing?.resetSeconds ?? null,
})

/**
 * Prices every operation before it runs and reports the cost in the answer. An operation above the request limit is
 * `invalid_input`; one above the limit per minute is `rate_limited`, with `retryAfterSeconds`. The operations of a
 * batch share one budget: those within it run, those beyond it are rejected.
 */
export function budgetPlugin(limits: PointLimits): Plugin<RequestContext> {
  /** @returns the result that rejects the operation, or what to add to its own result */
  function charge(args: ExecutionArgs, { ctx, points, address }: RequestContext) {
    const operation = getOperationAST(args.document, args.operationName)
    // The executor rejects an ambiguous operation.
    if (!operation) return null
    const requested = costOf(args.schema, args.document, operation, args.variableValues ?? {})
    points.requested += requested
    try {
      if (points.requested > MAX_POINTS) throw tooExpensive(points.requested)
      return { requested, standing: limits.take(ctx.viewer, address, requested), rejection: null }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const errors = [new GraphQLError(error.message, { originalError: error })]
      return {
        requested,
        standing: null,
        rejection: { errors, extensions: { cost: report(requested, limits.standing(ctx.viewer, address)) } },
      }
    }
  }

  return {
    onExecute({ args, context, setResultAndStopExecution }) {
      const charged = charge(args, context)
      if (!charged) return
      const { requested, standing, rejection } = charged
      if (rejection) return setResultAndStopExecution(rejection)
      const add = (result: ExecutionResult, known: Standing | null) => {
        result.extensions = { ...result.extensions, cost: report(requested, known) }
      }
      return {
        onExecuteDone: ({ result }) => {
          if (Symbol.asyncIterator in result) return
          if (!standing) return add(result, null)
          return standing.then((known) => add(result, known)) as unknown as undefined
        },
      }
    },
    onSubscribe({ args, context, setResultAndStopExecution }) {
      const rejection = charge(args, context)?.rejection
      if (rejection) setResultAndStopExecution(rejection)
    },
  }
}

const tooExpensive = (points: number) =>
  new AppError('invalid_input', `query: exceeds the cost limit of ${MAX_POINTS} points, asks for ${points}`)
