import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthPlugin } from '@escape.tech/graphql-armor-max-depth'
import { maxTokensPlugin } from '@escape.tech/graphql-armor-max-tokens'
import { GraphQLError } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { toCamel } from '../../platform/case.ts'
import type { Context, Services, Viewer } from '../../platform/context.ts'
import { AppError, statusOf, toAppError } from '../../platform/errors.ts'
import { errorResponse, readText } from '../../platform/rest.ts'
import { compiledExecution } from './executor.ts'
import { schema } from './schema.ts'

/** Bounds of one operation (operating.md). */
const MAX_DEPTH = 15
const MAX_ALIASES = 30
const MAX_TOKENS = 2000

/**
 * Tells who asks and from where, counts the request against its limit, and what the answer's headers say of that.
 * @throws AppError `unauthenticated`, `rate_limited`
 */
export type Identify = (
  request: Request,
  isAnonymous?: boolean,
) => Promise<{
  viewer: Viewer | null
  client: Pick<Context, 'address' | 'userAgent'>
  headers: Record<string, string>
  /** The same credential once more, not counted; absent where nobody was asked for. */
  again?: () => Promise<Viewer | null>
}>

/** `/graphql`: POST with JSON. */
export function createGraphql(services: Services, identify: Identify) {
  const yoga = createYoga<{ ctx: Context }>({
    schema,
    graphqlEndpoint: '/graphql',
    // The page for browsers is served beside this (graphiql.ts), and no forms are taken: what a foreign page can send without asking is not JSON.
    graphiql: false,
    multipart: false,
    landingPage: false,
    logging: false,
    cors: false,
    context: ({ ctx }) => ctx,
    maskedErrors: { maskError },
    plugins: [
      wordsOfV1,
      compiledExecution,
      maxTokensPlugin({ n: MAX_TOKENS }) as Plugin,
      maxDepthPlugin({ n: MAX_DEPTH, ignoreIntrospection: true }) as Plugin,
      maxAliasesPlugin({ n: MAX_ALIASES }) as Plugin,
    ],
  })

  /** Words and codes of /v1, under `extensions.code`; anything unexpected is logged whole and shown as `internal`. */
  function maskError(error: unknown): GraphQLError {
    const cause = error instanceof GraphQLError ? error.originalError : error
    if (error instanceof GraphQLError && !cause) return error
    const shown = toAppError(cause instanceof GraphQLError ? cause.originalError : cause)
    if (shown.status >= 500) services.log.error({ err: shown.cause ?? error }, shown.message)
    const { retryAfterSeconds } = shown
    const { nodes, source, positions, path } = error instanceof GraphQLError ? error : new GraphQLError('')
    return new GraphQLError(shown.messageFor(toCamel), {
      ...{ nodes, source, positions, path },
      extensions: { code: shown.code, ...(retryAfterSeconds && { retryAfterSeconds }) },
    })
  }

  return async (request: Request): Promise<Response> => {
    const requestId = Bun.randomUUIDv7()
    try {
      if (request.method !== 'POST') throw new AppError('method_not_allowed', 'method: must be POST')
      if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
        throw new AppError('unsupported_media_type', 'Content-Type: must be application/json')
      }
      const { viewer, client, headers: standing, again: identifyAgain } = await identify(request)
      const { url, method, headers, signal } = request
      const bounded = new Request(url, { method, headers, body: await readText(request) })
      const ctx = { ...services, ...client, viewer, identifyAgain, requestId, signal }
      const response = await yoga.fetch(bounded, { ctx })
      for (const [name, value] of Object.entries({ ...standing, 'x-request-id': requestId })) {
        response.headers.set(name, value)
      }
      return isEventStream(response) ? streamed(response, services.notifications.ending) : response
    } catch (error) {
      return errorResponse(error, { accept: null, requestId, log: services.log })
    }
  }
}

const isEventStream = ({ headers }: Response) => headers.get('content-type')?.startsWith('text/event-stream')

/**
 * A stream of events that no proxy holds back, be it to keep, to pack or to collect them. When the process stops it
 * breaks off: to a client that is the sign to come again, while an end in order would be the end of its subscription.
 */
function streamed({ status, headers, body }: Response, stopping: AbortSignal): Response {
  headers.set('cache-control', 'no-store, no-transform')
  headers.set('x-accel-buffering', 'no')
  // Yoga's word for "not packed", which is no coding that a client would know.
  headers.delete('content-encoding')
  return new Response(body?.pipeThrough(new TransformStream(), { signal: stopping }), { status, headers })
}

/** Errors of the language itself (syntax, validation, limits) carry codes of their own: to a client they are one. */
const wordsOfV1: Plugin = {
  onResultProcess({ result }) {
    if (Array.isArray(result) || !('errors' in result)) return
    for (const error of result.errors ?? []) {
      if (!(String(error.extensions.code) in statusOf)) error.extensions.code = 'invalid_input'
    }
  },
}
