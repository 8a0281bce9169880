import { type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql'
import { processRegularResult } from 'graphql-yoga'
import { writeAnswer } from './answer.ts'
import type { Charge } from './budget.ts'
import type { FormatErrors } from './errors.ts'
import type { Compiled, createCompiledExecution } from './executor.ts'
import { checkLists, checkVariables } from './limits.ts'
import type { MeasureOperation } from './measure-operation.ts'
import type { RequestContext } from './request.ts'

interface Parts {
  schema: GraphQLSchema
  compiled: Pick<ReturnType<typeof createCompiledExecution>, 'find'>
  charge: Charge
  format: FormatErrors
  measure: MeasureOperation
}

interface Params {
  query: string
  operationName: string | null | undefined
  variables: Record<string, unknown>
}

interface Operation extends Params, Compiled {
  /** Content type of the answer. */
  type: string
}

/**
 * Creates the short way of repeated operations: a compiled operation runs without Yoga's pipeline of plugins, which
 * takes longer than many of the operations (decision 0024). The steps are those of the plugins, in their order; parsing,
 * validation and the limits of documents depend on the text alone and have passed. Batches, persisted operations,
 * subscriptions and everything unusual pass through Yoga.
 * @returns a function that answers a request, or returns null for one that Yoga has to answer
 */
export function createDirect({ schema, compiled, charge, format, measure }: Parts) {
  async function run(operation: Operation, request: RequestContext): Promise<ExecutionResult> {
    const { document, execute, operationName, variables: variableValues } = operation
    try {
      checkVariables(variableValues)
      const args = { schema, document, operationName, variableValues, contextValue: request.ctx }
      checkLists(args)
      const charged = charge(args, request)
      if (charged?.rejection) return charged.rejection
      const result = (await request.deadline.inTime(execute(args))) as ExecutionResult
      await charged?.report(result)
      return result
    } catch (error) {
      return { errors: [asGraphQLError(error)] }
    }
  }

  return (body: string, accept: string, request: RequestContext): Promise<Response> | null => {
    const params = plainParams(body)
    const type = answerType(accept)
    const found = params && type && compiled.find(params.query, params.operationName)
    if (!found) return null
    const operation = { ...found, ...params, type }
    const end = measure(operation)
    return run(operation, request).then(async (result) => {
      end(result)
      const written = await writeAnswer(format(result, request.ctx.requestId), request, format)
      return processRegularResult(written, { Response } as never, operation.type)
    })
  }
}

const asGraphQLError = (error: unknown) =>
  error instanceof GraphQLError ? error : new GraphQLError((error as Error).message, { originalError: error as Error })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parameters of one operation that is given by its text, without any that Yoga has to check or replace. */
function plainParams(body: string): Params | null {
  const params = parsed(body)
  if (!isObject(params)) return null
  const { query, operationName, variables, extensions, ...others } = params
  if (typeof query !== 'string' || Object.keys(others).length > 0) return null
  if (!(operationName == null || typeof operationName === 'string')) return null
  if (!(variables == null || isObject(variables))) return null
  if (!(extensions == null || (isObject(extensions) && !('persistedQuery' in extensions)))) return null
  return { query, operationName, variables: variables ?? {} }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

const JSON_TYPE = 'application/json'
const RESPONSE_TYPE = 'application/graphql-response+json'

/** Returns the first type that the client accepts, as Yoga does. Null for ranges other than those of JSON. */
function answerType(accept: string): string | null {
  for (const range of accept.split(',')) {
    const name = range.split(';', 1)[0]?.trim().toLowerCase()
    if (range.includes('charset')) return null
    if (name === RESPONSE_TYPE) return name
    if (name === JSON_TYPE || name === '*/*' || name === 'application/*') return JSON_TYPE
  }
  return null
}
