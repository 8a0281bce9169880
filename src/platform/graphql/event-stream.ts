import { GraphQLError } from 'graphql'
import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import { AppError } from '../errors.ts'
import type { RequestContext } from './request.ts'

const accepted = /(^|[\s,])(\*\/\*|text\/(\*|event-stream))/i

/**
 * Refuses a subscription whose client does not accept an event stream. Yoga would begin the subscription, find no way to
 * answer, and send 406 without a body.
 */
export const eventStreamPlugin: Plugin<RequestContext & YogaInitialContext> = {
  onSubscribe({ args, context, setResultAndStopExecution }) {
    // Refused as no query.
    if (context.isQueryOnly) return
    const accept = (args.contextValue as YogaInitialContext).request.headers.get('accept') ?? '*/*'
    if (accepted.test(accept)) return
    const message = `Accept: must include text/event-stream for a subscription, got ${accept}`
    const error = new AppError('invalid_input', message)
    setResultAndStopExecution({ errors: [new GraphQLError(error.message, { originalError: error })] })
  },
}

export const isEventStream = ({ headers }: Response) =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? false

/**
 * Makes an event stream safe from proxies that cache, compress or buffer. It breaks off when the process stops: a client
 * reconnects after that, while a regular end would end its subscription.
 * @param end called when the stream has ended, has failed, or was cancelled because the client left
 */
export function streamed({ status, headers, body }: Response, stopping: AbortSignal, end: () => void): Response {
  headers.set('cache-control', 'no-store, no-transform')
  headers.set('x-accel-buffering', 'no')
  // Yoga sends `none`, which is not a registered coding.
  headers.delete('content-encoding')
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  body?.pipeTo(writable, { signal: stopping }).then(end, end)
  return new Response(readable, { status, headers })
}
