import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql'
import { AppError } from '../errors.ts'
import type { PointLimits, Standing } from '../http/point-limit.ts'
import { computeCost } from './cost.ts'
import type { RequestContext } from './request.ts'

/** Maximum points of a request. 50 collections with 20 tracks each, with files and their variants, cost 23,151. */
export const MAX_POINTS = 25_000

/** `extensions.cost` of an answer. The last two are null unless points are limited over time. */
interface CostReport {
  /** Points of this operation: its price, or what it has read if that is more. */
  requested: number
  /** Maximum points of one request. */
  limit: number
  remaining: number | null
  resetSeconds: number | null
}

const costReport = (requested: number, standing: Standing | null): CostReport => ({
  requested,
  limit: MAX_POINTS,
  remaining: standing?.remaining ?? null,
  resetSeconds: standing?.resetSeconds ?? null,
})

type Payer = Pick<RequestContext, 'ctx' | 'points' | 'address' | 'work'>

/** An operation that has been priced. */
interface Charged {
  /** The result that rejects the operation. Null if it may run. */
  rejection: ExecutionResult | null
  /** Charges what the operation has read beyond its price, and adds the cost to the result when the balance is known. */
  report: (result: ExecutionResult) => void
}

/** Prices an operation and charges its client. Returns null for an ambiguous operation, which the executor rejects. */
export type Charge = (args: ExecutionArgs, payer: Payer) => Charged | null

/**
 * Creates the function that prices every operation before it runs. An operation above the request limit is
 * `invalid_input`; one above the limit per minute is `rate_limited`, with `retryAfterSeconds`. The operations of a
 * batch share one budget: those within it run, those beyond it are rejected.
 */
export const createCharge =
  (limits: PointLimits): Charge =>
  (args, { ctx, points, address, work }) => {
    const operation = getOperationAST(args.document, args.operationName)
    if (!operation) return null
    let requested = 0
    const add = (result: ExecutionResult, standing: Standing | null) => {
      result.extensions = { ...result.extensions, cost: costReport(requested, standing) }
    }
    try {
      requested = computeCost(args.schema, args.document, operation, args.variableValues ?? {})
      points.requested += requested
      if (points.requested > MAX_POINTS) throw tooExpensive(points.requested)
      const standing = limits.take(ctx.viewer, address, requested)
      return {
        rejection: null,
        report: (result) => {
          const more = Math.max(0, work.points - points.requested)
          points.requested += more
          requested += more
          add(result, more > 0 ? limits.takeMore(ctx.viewer, address, more) : standing)
        },
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const rejection: ExecutionResult = { errors: [new GraphQLError(error.message, { originalError: error })] }
      add(rejection, limits.standing(ctx.viewer, address))
      return { rejection, report: () => {} }
    }
  }

const tooExpensive = (points: number) =>
  new AppError('invalid_input', `query: exceeds the cost limit of ${MAX_POINTS} points, asks for ${points}`)
