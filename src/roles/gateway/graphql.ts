import { createYoga } from 'graphql-yoga'
import { toCamel } from '../../platform/case.ts'
import type { Context, Services, Viewer } from '../../platform/context.ts'
import { GRAPHQL_CONNECTIONS } from '../../platform/db/client.ts'
import { createTurns, type Turns } from '../../platform/db/turns.ts'
import type { AppError } from '../../platform/errors.ts'
import { answerPlugin, createReadLimits } from '../../platform/graphql/answer.ts'
import { batchPlugin, MAX_BATCH } from '../../platform/graphql/batch.ts'
import { createCharge } from '../../platform/graphql/budget.ts'
import { startDeadline } from '../../platform/graphql/deadline.ts'
import { createDirect } from '../../platform/graphql/direct.ts'
import { createFormatErrors, errorsPlugin } from '../../platform/graphql/errors.ts'
import { eventStreamPlugin, isEventStream, streamed } from '../../platform/graphql/event-stream.ts'
import { createCompiledExecution } from '../../platform/graphql/executor.ts'
import { checkForm, readParameters } from '../../platform/graphql/form.ts'
import { introspectionPlugin } from '../../platform/graphql/introspection.ts'
import { limitsPlugin, newTally } from '../../platform/graphql/limits.ts'
import { createMeasureOperation } from '../../platform/graphql/measure-operation.ts'
import { persistedPlugin } from '../../platform/graphql/persisted.ts'
import type { RequestContext, WrittenAnswer } from '../../platform/graphql/request.ts'
import { createRunOperation, operationPlugin } from '../../platform/graphql/run-operation.ts'
import { addressBlock } from '../../platform/http/client-address.ts'
import type { LargeAnswers } from '../../platform/http/large-answer.ts'
import { createPointLimits } from '../../platform/http/point-limit.ts'
import {
  corsHeaders,
  failureResponse,
  loggedError,
  preflight,
  privateHeaders,
  readText,
} from '../../platform/http/rest.ts'
import { limitedAccess } from '../../platform/limited-access.ts'
import { currentRequestId } from '../../platform/origin.ts'
import { nextEntry } from '../../platform/pieces.ts'
import { startWork } from '../../platform/work.ts'
import { GUIDES_PATH } from './docs.ts'
import { schema } from './schema.ts'

/** Statements of GraphQL at a time. An organization never gets more than half of the connections. */
const STATEMENTS = { request: 4, organization: GRAPHQL_CONNECTIONS / 2, all: GRAPHQL_CONNECTIONS }

/**
 * Authenticates a request and counts it against its limit.
 * @returns the viewer, and the rate limit headers of the answer
 * @throws AppError `unauthenticated`, `rate_limited`
 */
export type Identify = (
  request: Request,
  isAnonymous?: boolean,
) => Promise<{
  viewer: Viewer | null
  client: Pick<Context, 'address' | 'userAgent'>
  headers: Record<string, string>
  /** Authenticates the same credential again without counting. Absent for anonymous requests. */
  again?: () => Promise<Viewer | null>
}>

interface Parts {
  /** Limits that the interfaces of a process share. */
  largeTurns: Turns
  largeAnswers: LargeAnswers
  /** Texts of the operations of the service's own programs. */
  ownOperations: readonly string[]
}

/**
 * Creates `/graphql`: POST with JSON, and queries by GET. Never executes requests that a foreign page can send with
 * credentials of the browser and without a preflight. Requests after a preflight carry no credentials of the browser.
 */
export function createGraphql(
  services: Services,
  identify: Identify,
  { largeTurns, largeAnswers, ownOperations }: Parts,
) {
  const { config, log, metrics } = services
  const format = createFormatErrors(log, {
    schema,
    isSchemaHidden: !config.isIntrospectionOn,
    docUrl: config.isDocs ? `${config.publicUrl}${GUIDES_PATH}/status-codes#` : null,
    count: (code) => metrics.operationErrors.inc({ code }),
  })
  const measure = createMeasureOperation(metrics)
  const charge = createCharge(createPointLimits(services))
  const compiled = createCompiledExecution()
  const run = createRunOperation({ charge, measure })
  const turns = { statements: createTurns(STATEMENTS), large: largeTurns }
  const direct = createDirect({ schema, compiled, run, format })
  const yoga = createYoga<RequestContext>({
    schema,
    graphqlEndpoint: '/graphql',
    // The gateway serves the page. Forms are off, because a foreign page can send them without a preflight.
    graphiql: false,
    multipart: false,
    landingPage: false,
    logging: false,
    cors: false,
    context: ({ ctx }) => ctx,
    batching: { limit: MAX_BATCH },
    // The body is read and limited before.
    maxRequestBodySize: false,
    extraParamNames: ['documentId'],
    // errorsPlugin masks all errors.
    maskedErrors: false,
    plugins: [
      errorsPlugin(format),
      answerPlugin(format),
      batchPlugin,
      eventStreamPlugin,
      persistedPlugin(config, ownOperations),
      limitsPlugin,
      introspectionPlugin(config),
      compiled.plugin,
      operationPlugin(run),
    ],
  })

  async function throughYoga(
    { url, headers: receivedHeaders }: Request,
    body: string,
    accept: string,
    context: RequestContext,
  ) {
    const headers = new Headers(receivedHeaders)
    headers.set('accept', accept)
    headers.set('content-type', 'application/json')
    // Parsing, validation and planning take about a millisecond.
    await nextEntry()
    return yoga.fetch(new Request(url, { method: 'POST', headers, body }), context)
  }

  async function answer(request: Request, requestId: string): Promise<Response> {
    const { viewer, client, headers: standing, again: identifyAgain } = await identify(request)
    const isQueryOnly = request.method === 'GET'
    const body = isQueryOnly ? readParameters(request) : await readText(request)
    const deadline = startDeadline(config.graphqlTimeoutSeconds, request.signal)
    const address = addressBlock(client.address)
    const organization = viewer?.organizationId ?? address
    const work = startWork(turns, organization, deadline.signal, createReadLimits(deadline))
    let isStream = false
    try {
      const access = limitedAccess(services.graphql, work)
      const { db, reader, lists, pool } = services
      const signInAccess = { db, reader, lists, pool }
      const { signal } = deadline
      const ctx = { ...services, ...client, ...access, signInAccess, viewer, identifyAgain, requestId, signal }
      const written: WrittenAnswer = { bytes: 0, pieces: null }
      const context = {
        ctx,
        deadline,
        address,
        work,
        written,
        tally: newTally(),
        points: { requested: 0 },
        isQueryOnly,
      }
      // A client that accepts none of these types gets JSON: refused afterwards, a mutation would have been executed.
      const accept = request.headers.get('accept') ?? ''
      const accepted = answerTypes.test(accept) ? accept : '*/*'
      const answered = await (direct(body, accepted, context) ?? throughYoga(request, body, accepted, context))
      const response = written.pieces
        ? new Response(largeAnswers.body(written.pieces, organization), answered)
        : answered
      for (const [name, value] of Object.entries({
        ...corsHeaders,
        ...privateHeaders,
        ...standing,
        'x-request-id': requestId,
      })) {
        response.headers.set(name, value)
      }
      isStream = isEventStream(response)
      if (!isStream) return response
      metrics.subscriptions.inc()
      return streamed(response, services.notifications.ending, () => {
        metrics.subscriptions.dec()
        deadline.end()
      })
    } finally {
      work.end()
      // An answer that is not a stream ends a subscription, too.
      if (!isStream) deadline.end()
    }
  }

  return async (request: Request): Promise<Response> => {
    const requestId = currentRequestId()
    try {
      if (request.method === 'OPTIONS') return preflight(request, ['GET', 'POST', 'OPTIONS'], requestId)
      checkForm(request)
      return await answer(request, requestId)
    } catch (error) {
      return refusal(loggedError(error, { requestId, log }), requestId)
    }
  }
}

/** Answers a request that was not executed, in the form of GraphQL (contract, section 1). */
function refusal(error: AppError, requestId: string): Response {
  const { code, retryAfterSeconds } = error
  const extensions = { code, requestId, ...(retryAfterSeconds && { retryAfterSeconds }) }
  return failureResponse(error, { errors: [{ message: error.messageFor(toCamel), extensions }] }, requestId)
}

const answerTypes = /(^|[\s,])(\*\/\*|application\/(\*|json|graphql-response\+json)|text\/(\*|event-stream))/i
