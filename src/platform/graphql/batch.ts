import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { AppError } from '../errors.ts'
import type { RequestContext } from './request.ts'

/** Operations in one request. */
export const MAX_BATCH = 10

/** Limits a batch as a whole, and rejects subscriptions in it: a stream cannot be one of several answers. */
export const batchPlugin: Plugin<RequestContext, RequestContext> = {
  onRequestParse: ({ serverContext }) => ({
    onRequestParseDone({ requestParserResult }) {
      serverContext.isBatch = Array.isArray(requestParserResult)
      if (!Array.isArray(requestParserResult) || requestParserResult.length <= MAX_BATCH) return
      const count = requestParserResult.length
      throw new GraphQLError(`batch: exceeds the limit of ${MAX_BATCH} operations, asks for ${count}`, {
        extensions: { code: 'BAD_REQUEST' },
      })
    },
  }),
  onSubscribe({ context, setResultAndStopExecution }) {
    if (!context.isBatch) return
    const error = new AppError('invalid_input', 'query: a subscription cannot be part of a batch')
    setResultAndStopExecution({ errors: [new GraphQLError(error.message, { originalError: error })] })
  },
}
