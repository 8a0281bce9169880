import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { AppError } from '../errors.ts'
import type { PointLimits, Standing } from '../http/point-limit.ts'
import { costOf } from './cost.ts'
import type { RequestContext } from './request.ts'

/** Most points of one request: 50 collections with 20 tracks each, their files and variants pass (21,200). */
export const MAX_POINTS = 25_000

/** `extensions.cost` of an answer. The last two are null where points are not limited over time. */
interface CostReport {
  /** Points of this operation. */
  requested: number
  /** Most that one request may ask for. */
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
 * Prices every operation before it runs and says so in the answer. What can never run is `invalid_input`; what may
 * later is `rate_limited`, with `retryAfterSeconds`. A batch pays together: what goes beyond is refused, what stands
 * before it is carried out.
 */
export function budgetPlugin(limits: PointLimits): Plugin<RequestContext> {
  /** @returns the result that refuses the operation, or what to add to its own */
  function charge(args: ExecutionArgs, { ctx, points, address }: RequestContext) {
    const operation = getOperationAST(args.document, args.operationName)
    // Which of several is meant is the executor's to ask.
    if (!operation) return null
    const requested = costOf(args.schema, args.document, operation, args.variableValues ?? {})
    points.requested += requested
    try {
      if (points.requested > MAX_POINTS) throw tooExpensive(points.requested)
      return { requested, standing: limits.take(ctx.viewer, address, requested), refusal: null }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const errors = [new GraphQLError(error.message, { originalError: error })]
      return {
        requested,
        standing: null,
        refusal: { errors, extensions: { cost: report(requested, limits.standing(ctx.viewer, address)) } },
      }
    }
  }

  return {
    onExecute({ args, context, setResultAndStopExecution }) {
      const charged = charge(args, context)
      if (!charged) return
      const { requested, standing, refusal } = charged
      if (refusal) return setResultAndStopExecution(refusal)
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
      const refusal = charge(args, context)?.refusal
      if (refusal) setResultAndStopExecution(refusal)
    },
  }
}

const tooExpensive = (asked: number) =>
  new AppError('invalid_input', `query: exceeds the cost limit of ${MAX_POINTS} points, asks for ${asked}`)
