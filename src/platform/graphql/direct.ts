import type { GraphQLSchema } from 'graphql'
import { processRegularResult } from 'graphql-yoga'
import { isObject } from '../object.ts'
import { writeAnswer } from './answer.ts'
import type { FormatErrors } from './errors.ts'
import type { createCompiledExecution } from './executor.ts'
import { areVariablesWithin } from './limits.ts'
import type { RequestContext } from './request.ts'
import type { RunOperation } from './run-operation.ts'

interface Parts {
  schema: GraphQLSchema
  compiled: Pick<ReturnType<typeof createCompiledExecution>, 'find'>
  run: RunOperation
  format: FormatErrors
}

interface Params {
  query: string
  operationName: string | null | undefined
  variables: Record<string, unknown>
}

/**
 * Creates the short way of repeated operations: a compiled operation runs without Yoga's pipeline of plugins, which
 * takes longer than many of the operations (decision 0008). Parsing, validation and the limits of documents depend on the
 * text alone and have passed; the other steps are those of `run-operation.ts`. Batches, persisted operations, subscriptions,
 * variables beyond a limit and everything unusual pass through Yoga.
 * @returns a function that answers a request, or returns null for one that Yoga has to answer
 */
export function createDirect({ schema, compiled, run, format }: Parts) {
  return (body: string, accept: string, request: RequestContext): Promise<Response> | null => {
    const params = plainParams(body)
    const type = answerType(accept)
    const operation = params && type && compiled.find(params.query, params.operationName)
    if (!operation) return null
    const { document, execute } = operation
    const { operationName, variables: variableValues } = params
    const args = { schema, document, operationName, variableValues, contextValue: request.ctx }
    return run(execute, args, request).then(async (result) => {
      const written = await writeAnswer(format(result, request.ctx.requestId), request, format)
      return processRegularResult(written, { Response } as never, type)
    })
  }
}

/** Parameters of one operation that is given by its text, without any that Yoga has to check or replace. */
function plainParams(body: string): Params | null {
  const params = parsed(body)
  if (!isObject(params)) return null
  const { query, operationName, variables, extensions, ...others } = params
  if (typeof query !== 'string' || Object.keys(others).length > 0) return null
  if (!(operationName == null || typeof operationName === 'string')) return null
  if (!(variables == null || (isObject(variables) && areVariablesWithin(variables)))) return null
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
