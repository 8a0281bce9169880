import { PothosValidationError } from '@pothos/core'
import { type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { toCamel } from '../case.ts'
import { type ErrorCode, statusOf, toAppError } from '../errors.ts'
import { createArgumentNames } from './argument-names.ts'
import type { RequestContext } from './request.ts'

/** Formats the errors of a result. */
export type FormatErrors = (result: ExecutionResult, requestId: string) => ExecutionResult

interface ErrorsOptions {
  schema: GraphQLSchema
  /** Removes suggestions, which reveal names of the schema. Defaults to false. */
  isSchemaHidden?: boolean
  /** Start of the addresses of the documentation of codes, which end with the code. Null without one. */
  docUrl: string | null
  /** Called with the code of each error. */
  count?: (code: string) => void
}

/**
 * Creates the function that formats every error: codes of /v1 under `extensions.code` with the address of their
 * documentation, the id of the request, and arguments as the client wrote them. Internal details are never exposed. When
 * nothing was executed, clients that accept `application/graphql-response+json` get the status of the code. For
 * `application/json` it is 200 unless the request is malformed (GraphQL over HTTP).
 */
export function createFormatErrors(
  log: Logger,
  { schema, isSchemaHidden = false, docUrl, count = () => {} }: ErrorsOptions,
): FormatErrors {
  function formatError(error: GraphQLError, { requestId, isRejected }: { requestId: string; isRejected: boolean }) {
    const {
      code,
      message,
      retryAfterSeconds,
      hasStatus,
      cause,
      headers: errorHeaders,
    } = describe(error, createArgumentNames(schema, error))
    count(code)
    if (statusOf[code as ErrorCode] >= 500) {
      const level = code === 'timeout' ? 'warn' : 'error'
      log[level]({ err: cause ?? error, requestId, path: error.path }, message)
    }
    const status = code in statusOf ? statusOf[code as ErrorCode] : 400
    const headers = { ...errorHeaders, ...(retryAfterSeconds && { 'retry-after': String(retryAfterSeconds) }) }
    const { nodes, source, positions, path } = error
    return new GraphQLError(isSchemaHidden ? message.replace(/ Did you mean .*$/s, '') : message, {
      nodes,
      source,
      positions,
      path,
      extensions: {
        code,
        requestId,
        ...(docUrl !== null && code in statusOf && { docUrl: docUrl + code }),
        ...(retryAfterSeconds && { retryAfterSeconds }),
        ...(isRejected && { http: { status, headers, ...(!hasStatus && { spec: true }) } }),
      },
    })
  }

  return (result, requestId) => {
    if (!result.errors) return result
    const isRejected = !('data' in result)
    const { errors, ...rest } = result
    // First, as the specification recommends, and the same for walked and compiled operations.
    return { errors: errors.map((error) => formatError(error, { requestId, isRejected })), ...rest }
  }
}

/** Formats the errors of every result that Yoga sends. */
export const errorsPlugin = (format: FormatErrors): Plugin<RequestContext, RequestContext> => ({
  onResultProcess({ result, setResult, serverContext }) {
    const { requestId } = serverContext.ctx
    if (Array.isArray(result)) setResult(result.map((one) => format(one, requestId)))
    else if (!(Symbol.asyncIterator in result)) setResult(format(result as ExecutionResult, requestId))
  },
  onSubscribe: ({ context }) => ({
    onSubscribeResult: () => ({
      onNext: ({ result, setResult }) => setResult(format(result as ExecutionResult, context.ctx.requestId)),
    }),
  }),
})

interface Description {
  code: string
  message: string
  retryAfterSeconds?: number
  /** Whether the answer has the status of the code for every client: HTTP itself does not allow the request. */
  hasStatus?: boolean
  headers?: Record<string, string>
  cause?: unknown
}

/** Describes an error to a client. */
function describe(error: GraphQLError, nameArgument: (field: string) => string): Description {
  const code: unknown = error.extensions?.code
  if (typeof code === 'string' && code.startsWith('PERSISTED_QUERY_')) return { code, message: error.message }
  let origin: unknown = error
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError
  // An error in the document, its variables or arguments. An error caused by a resolver's value is internal.
  const isLanguage =
    origin instanceof GraphQLError && (!error.path || origin.nodes || origin instanceof PothosValidationError)
  if (isLanguage) return { code: 'invalid_input', message: error.message, hasStatus: code === 'BAD_REQUEST' }
  const appError = toAppError(origin)
  const { retryAfterSeconds, cause, headers } = appError
  const hasStatus = appError.code === 'method_not_allowed'
  const message = appError.messageFor((field) => nameArgument(toCamel(field)))
  return { code: appError.code, message, retryAfterSeconds, cause, headers, hasStatus }
}
