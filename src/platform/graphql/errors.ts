import { PothosValidationError } from '@pothos/core'
import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Logger } from 'pino'
import { type ErrorCode, statusOf, toAppError } from '../errors.ts'
import { toCamel } from '../schema/case.ts'
import type { RequestContext } from './request.ts'

/**
 * The one way by which errors leave: codes of /v1 under `extensions.code`, the id of the request beside it, nothing
 * of what is none of our own. Where nothing was carried out, the status follows from the code for clients who accept
 * `application/graphql-response+json`; for `application/json` it is 200 unless the request itself was not understood
 * (GraphQL over HTTP).
 * @param isSchemaHidden leaves out suggestions, which tell names of the schema one by one
 */
export function errorsPlugin(log: Logger, isSchemaHidden: boolean): Plugin<RequestContext, RequestContext> {
  const shown = (result: ExecutionResult, requestId: string): ExecutionResult => {
    if (!result.errors) return result
    const isRefused = !('data' in result)
    return { ...result, errors: result.errors.map((error) => toRestError(error, { requestId, isRefused })) }
  }

  function toRestError(error: GraphQLError, { requestId, isRefused }: { requestId: string; isRefused: boolean }) {
    const { code, message, retryAfterSeconds, isMalformed, cause } = describe(error)
    if (statusOf[code as ErrorCode] >= 500) {
      const level = code === 'timeout' ? 'warn' : 'error'
      log[level]({ err: cause ?? error, requestId, path: error.path }, message)
    }
    const status = code in statusOf ? statusOf[code as ErrorCode] : 400
    const headers: Record<string, string> = retryAfterSeconds ? { 'retry-after': String(retryAfterSeconds) } : {}
    const { nodes, source, positions, path } = error
    return new GraphQLError(isSchemaHidden ? message.replace(/ Did you mean .*$/s, '') : message, {
      ...{ nodes, source, positions, path },
      extensions: {
        code,
        requestId,
        ...(retryAfterSeconds && { retryAfterSeconds }),
        ...(isRefused && { http: { status, headers, ...(!isMalformed && { spec: true }) } }),
      },
    })
  }

  return {
    onResultProcess({ result, setResult, serverContext }) {
      const { requestId } = serverContext.ctx
      if (Array.isArray(result)) setResult(result.map((one) => shown(one, requestId)))
      else if (!(Symbol.asyncIterator in result)) setResult(shown(result as ExecutionResult, requestId))
    },
    onSubscribe: ({ context }) => ({
      onSubscribeResult: () => ({
        onNext: ({ result, setResult }) => setResult(shown(result as ExecutionResult, context.ctx.requestId)),
      }),
    }),
  }
}

interface Description {
  code: string
  message: string
  retryAfterSeconds?: number
  /** What was sent is no GraphQL request at all. */
  isMalformed?: boolean
  cause?: unknown
}

/** What a client may be told. */
function describe(error: GraphQLError): Description {
  const code: unknown = error.extensions?.code
  if (typeof code === 'string' && code.startsWith('PERSISTED_QUERY_')) return { code, message: error.message }
  let origin: unknown = error
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError
  // An error of the language: of the document, its variables or arguments. One that a resolver's value causes is ours.
  const isLanguage =
    origin instanceof GraphQLError && (!error.path || origin.nodes || origin instanceof PothosValidationError)
  if (isLanguage) return { code: 'invalid_input', message: error.message, isMalformed: code === 'BAD_REQUEST' }
  const shown = toAppError(origin)
  const { retryAfterSeconds, cause } = shown
  return { code: shown.code, message: shown.messageFor(toCamel), retryAfterSeconds, cause }
}
