import { Elysia } from 'elysia'
import { createAuthenticate } from '../../domain/access/sign-in/authenticate.ts'
import { readScope, toActor, writeScope } from '../../domain/access/viewer.ts'
import type { Context, Services, Viewer } from '../../platform/context.ts'
import { createTurns } from '../../platform/db/turns.ts'
import { AppError } from '../../platform/errors.ts'
import { addressBlock, clientAddress, createProxyCheck } from '../../platform/http/client-address.ts'
import { type Exchange, newExchange } from '../../platform/http/exchange.ts'
import { withFailurePage } from '../../platform/http/failure-page.ts'
import { withIdempotency } from '../../platform/http/idempotency.ts'
import { createLargeAnswers, type LargeAnswers, writeJson } from '../../platform/http/large-answer.ts'
import { createListPrices, type ListPrices } from '../../platform/http/list-price.ts'
import { isLive, liveHead, liveResponse } from '../../platform/http/live-events.ts'
import { createObserver } from '../../platform/http/observe.ts'
import { createRateLimits } from '../../platform/http/rate-limit.ts'
import {
  corsHeaders,
  downloadHead,
  downloadResponse,
  errorResponse,
  isDownload,
  jsonResponse,
  preflight,
  type Route,
  readJson,
  readQuery,
  successEnvelope,
} from '../../platform/http/rest.ts'
import { limitedAccess } from '../../platform/limited-access.ts'
import { currentRequestId, setActor } from '../../platform/origin.ts'
import { DEFAULT_PAGE, MAX_PAGE } from '../../platform/schema/rules.ts'
import { createLargeTurns, startWork, type Work, type WorkTurns } from '../../platform/work.ts'
import { ADAPTIVE_PATH, createAdaptiveRoute } from './adaptive.ts'
import { createDesignRoutes } from './design.ts'
import { createDocsRoutes } from './docs.ts'
import { ASSETS_PATH, createGraphiql } from './graphiql.ts'
import { createGraphql, type Identify } from './graphql.ts'
import { KEY_SET_PATH, publishKeySet } from './key-set.ts'
import { createListeningRoute, LISTENING_PATH } from './listening.ts'
import { createMcp, MCP_PATH } from './mcp/handler.ts'
import { toolSources } from './mcp/tools.ts'
import { createOpenApi, OPENAPI_PATH } from './openapi/publish.ts'
import { restRoutes } from './routes.ts'
import { publishSdl, SDL_PATH } from './sdl.ts'
import { createShareRoutes } from './share/routes.ts'
import { createSignInRoutes } from './sign-in.ts'
import { GRAPHQL_PATH, isForBrowser, notFoundPage, startPage } from './site.ts'
import { createStream, STREAM_PATH } from './stream.ts'
import { createStudioRoutes } from './studio.ts'
import { createUploadRoutes } from './upload-page.ts'
import { type PageRoute, readPageOperations } from './web-page.ts'

/** Answers a request. `peer` is the address of the connection, if known. */
export type Gateway = (request: Request, peer?: string) => Response | Promise<Response>

interface GatewayExchange extends Exchange {
  /** Address of the connection. */
  peer: string | undefined
  /** The HEAD request that is answered as GET: the ledger distinguishes them. */
  head: Request | undefined
  /** Of the client, once it was counted. An operation that another request runs is not counted again. */
  identity?: Awaited<ReturnType<Identify>>
}

/** Creates the gateway: /v1, stream links and /graphql. Does not listen. */
export function createGateway(services: Services, stream = createStream(services)): Gateway {
  // The router passes only the request to handlers.
  const exchanges = new WeakMap<Request, GatewayExchange>()
  const { requests, requestSeconds } = services.metrics
  const observe = createObserver(services, { requests, seconds: requestSeconds })
  const limits = createRateLimits(services)
  const authenticate = createAuthenticate(services)
  const turns = { statements: createTurns(STATEMENTS), large: createLargeTurns() }
  const largeAnswers = createLargeAnswers()
  const listPrices = createListPrices()
  const checkProxies = createProxyCheck(services.log, services.config.trustedProxies)
  const identify: Identify = async (request, isAnonymous = false) => {
    const exchange = exchanges.get(request)
    if (exchange?.identity) return exchange.identity
    checkProxies(request.headers)
    const address = clientAddress(request.headers, exchange?.peer, services.config.trustedProxies)
    const client = { address, userAgent: request.headers.get('user-agent') }
    if (isAnonymous) return { viewer: null, client, headers: await limits.count(null, address) }
    const authorization = request.headers.get('authorization')
    const again = () => authenticate(authorization)
    try {
      const viewer = await authenticate(authorization, () => limits.countLookUp(address))
      if (exchange) exchange.viewer = viewer
      if (viewer) setActor(toActor(viewer, address))
      const identity = { viewer, client, headers: await limits.count(viewer, address), again }
      if (exchange) exchange.identity = identity
      return identity
    } catch (error) {
      // The limit per address is for guessed keys.
      if (error instanceof AppError && error.code === 'unauthenticated') await limits.count(null, address)
      throw error
    }
  }

  // Bodies are parsed by readJson: the framework's parser has its own error messages.
  const unparsed = { parse: 'none' } as const
  const app = new Elysia({ normalize: false })
  /** Notes the pattern of a request. A hook of the framework costs each request more. */
  const named = (request: Request, route: string): Request => {
    const exchange = exchanges.get(request)
    if (exchange) exchange.route = route
    return request
  }

  app.onRequest(({ request }) => {
    if (request.method !== 'OPTIONS') return
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith('/v1/')) return
    return preflight(request, [...(methodsOf(pathname) ?? ['GET']), 'OPTIONS'], currentRequestId())
  })
  app.onError(({ request, error, code }) => {
    if (code === 'NOT_FOUND' && isPage(request)) return notFoundPage()
    const shownError = code === 'NOT_FOUND' ? new AppError('not_found', 'path: does not exist') : error
    const failure = fail(services, request, shownError, currentRequestId())
    return isPage(request) ? withFailurePage(request, failure) : failure
  })

  for (const route of restRoutes) {
    app.route(
      route.method,
      route.path,
      ({ request, params }) =>
        answer({ services, turns, largeAnswers, listPrices, identify }, route, {
          request: named(request, route.path),
          params,
          isHead: exchanges.get(request)?.head !== undefined,
        }),
      unparsed,
    )
  }
  app.get(
    STREAM_PATH,
    ({ request, params }) => {
      const exchange = exchanges.get(request)
      if (exchange) exchange.isRecorded = true
      // The router gives null for a part that cannot be decoded.
      const { trackId, apiKey }: Record<string, string | null> = params
      return stream(trackId ?? '', apiKey ?? '', exchange?.head ?? request, () => exchange?.peer)
    },
    unparsed,
  )
  const adaptive = createAdaptiveRoute(services)
  app.get(
    ADAPTIVE_PATH,
    ({ request, params }) => {
      const { trackId, grant, file }: Record<string, string | null> = params
      return adaptive(trackId ?? '', grant ?? '', file ?? '', named(request, ADAPTIVE_PATH))
    },
    unparsed,
  )
  const listening = createListeningRoute(services)
  app.post(
    LISTENING_PATH,
    async ({ request, params }) => {
      const { trackId, grant }: Record<string, string | null> = params
      const { client } = await identify(named(request, LISTENING_PATH), true)
      return listening(trackId ?? '', grant ?? '', request, client)
    },
    unparsed,
  )
  for (const { path, methods } of methodsByShape.values()) {
    const error = new AppError('method_not_allowed', `method: must be one of ${methods.join(', ')}`)
    const allow = { allow: methods.join(', ') }
    app.all(path, ({ request }) => fail(services, named(request, path), error, currentRequestId(), allow), unparsed)
  }

  const ownOperations = [...readPageOperations(), ...toolSources.map(({ operation }) => operation)]
  const graphql = createGraphql(services, identify, { largeTurns: turns.large, largeAnswers, ownOperations })
  const executeFor = (request: Request, body: string) => {
    const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
    const { signal } = request
    const operation = new Request(new URL(GRAPHQL_PATH, request.url), { method: 'POST', headers, body, signal })
    const exchange = exchanges.get(request)
    if (exchange) exchanges.set(operation, exchange)
    return graphql(operation)
  }
  const graphiql = createGraphiql(services)
  const countAddress = (request: Request) => identify(request, true)
  const nothing = new AppError('not_found', 'path: there is nothing here')
  const pages: PageRoute[] = [
    { path: KEY_SET_PATH, handle: (request) => publishKeySet(services, request) },
    { path: OPENAPI_PATH, handle: createOpenApi(services) },
    { path: GRAPHQL_PATH, handle: (request) => graphiql.page(request) ?? graphql(request) },
    { path: MCP_PATH, handle: createMcp(services, { identify, execute: executeFor }) },
    { path: SDL_PATH, handle: (request) => publishSdl(services, request) },
    { path: `${ASSETS_PATH}*`, handle: graphiql.asset },
    {
      path: '/',
      handle: (request) =>
        isForBrowser(request) ? startPage(services.config) : fail(services, request, nothing, currentRequestId()),
    },
    ...createDesignRoutes(services),
    ...createStudioRoutes(services),
    ...createSignInRoutes(services, countAddress),
    ...createDocsRoutes(services),
    ...createShareRoutes(services, countAddress, stream),
    ...createUploadRoutes(services, countAddress),
  ]
  for (const { path, handle } of pages) app.all(path, ({ request }) => handle(named(request, path)), unparsed)

  return (request, peer) => {
    const isHead = request.method === 'HEAD' && new URL(request.url).pathname.startsWith('/v1/')
    const answeredRequest = isHead ? new Request(request, { method: 'GET' }) : request
    const exchange: GatewayExchange = { ...newExchange(), peer, head: isHead ? request : undefined }
    exchanges.set(answeredRequest, exchange)
    return observe(request, exchange, () =>
      isHead ? withoutBody(app.fetch(answeredRequest)) : app.fetch(answeredRequest),
    )
  }
}

/** HEAD is GET without the body (RFC 9110, section 9.3.2). Programs that check a link before playing use it. */
async function withoutBody(answered: Response | Promise<Response>): Promise<Response> {
  const response = await answered
  // A download of any length is not made to be counted.
  if (!response.body) return response
  const { byteLength } = await response.arrayBuffer()
  const headers = new Headers(response.headers)
  headers.set('content-length', String(byteLength))
  return new Response(null, { status: response.status, headers })
}

/**
 * Statements of /v1 at a time, so that an organization leaves connections to others, and all of them leave some to stream
 * links, sign-in and the edge.
 */
const STATEMENTS = { request: 4, organization: 8, all: 16, waitMs: 10_000 }

/** Whom the statements of a request count against. */
const findPayer = (viewer: Viewer | null, { address }: Pick<Context, 'address'>): string =>
  viewer?.organizationId ?? addressBlock(address)

/** Parts of the gateway that an answer needs. */
interface GatewayAccess {
  services: Services
  turns: WorkTurns
  largeAnswers: LargeAnswers
  listPrices: ListPrices
  identify: Identify
}

interface RoutedRequest {
  request: Request
  params: Record<string, string> | undefined
  /** Whether only the headers are sent. */
  isHead: boolean
}

/** A request to /v1 of a client that may send it. */
interface PermittedRequest extends RoutedRequest {
  ctx: Context
  work: Work
  /** Headers of every answer. */
  headers: Record<string, string>
}

/** Answers a request to /v1: identifies the client, checks its rights, and runs the operation. */
async function answer(gateway: GatewayAccess, route: Route, routed: RoutedRequest) {
  const { services, turns, identify } = gateway
  const { request } = routed
  const requestId = currentRequestId()
  let limitHeaders: Record<string, string> = {}
  let work: Work | undefined
  try {
    const { viewer, client, headers } = await identify(request, route.auth === 'none')
    limitHeaders = headers
    work = startWork(turns, findPayer(viewer, client), request.signal)
    const ctx: Context = { ...services, ...client, ...limitedAccess(services, work), viewer, requestId }
    if (route.auth === 'key') {
      const permit = route.permit ?? (route.method === 'GET' ? readScope : writeScope)
      permit(ctx, route.keys)
    }
    const permittedRequest = { ...routed, ctx, work, headers }
    return await (route.method === 'GET'
      ? answerRead(gateway, route, permittedRequest)
      : answerWrite(route, permittedRequest))
  } catch (error) {
    return fail(services, request, error, requestId, limitHeaders)
  } finally {
    work?.end()
  }
}

/** The envelope of a result. Some routes leave the ID of the request out. */
const toEnvelope = (result: object, { isRequestIdLeftOut }: Route, { requestId }: Context) =>
  successEnvelope(result, isRequestIdLeftOut ? null : requestId)

async function answerRead(
  { largeAnswers, listPrices }: GatewayAccess,
  route: Route,
  { ctx, work, request, params = {}, isHead, headers }: PermittedRequest,
): Promise<Response> {
  const query = readQuery(new URL(request.url))
  const payer = findPayer(ctx.viewer, ctx)
  const list = `${payer} ${route.path}`
  const records = Math.min(Math.max(Number(query.limit) || DEFAULT_PAGE, 1), MAX_PAGE)
  async function readPage() {
    await work.awaitLargeTurn(listPrices.estimate(list, records))
    const page = await route.run(ctx, { params, query, body: {} })
    listPrices.record(list, records, work.points)
    return page
  }
  await listPrices.begin(list)
  const result = await readPage().finally(() => listPrices.end(list))
  if (isLive(result)) {
    const answer = { requestId: ctx.requestId, headers: corsHeaders }
    if (isHead) return liveHead(result, answer)
    ctx.metrics.subscriptions.inc()
    const end = () => ctx.metrics.subscriptions.dec()
    return liveResponse(result, { ...answer, stopping: ctx.notifications.ending, wait: work.end, end })
  }
  if (isDownload(result)) return (isHead ? downloadHead : downloadResponse)(result, ctx.requestId, headers)
  const envelope = toEnvelope(result, route, ctx)
  const body = work.isLarge() ? await writeLarge(envelope, work, largeAnswers, payer) : JSON.stringify(envelope)
  return jsonResponse(200, body, ctx.requestId, headers)
}

async function writeLarge(envelope: object, work: Work, largeAnswers: LargeAnswers, organization: string) {
  await work.awaitLargeTurn()
  const pieces = (await writeJson(envelope, () => true)) ?? []
  return largeAnswers.body(pieces, organization)
}

/** A POST of a known client with an Idempotency-Key runs once. */
async function answerWrite(route: Route, { ctx, request, params = {}, headers }: PermittedRequest): Promise<Response> {
  const url = new URL(request.url)
  const { text, body } = await readJson(request)
  const run = async (ctx: Context) =>
    JSON.stringify(toEnvelope(await route.run(ctx, { params, query: readQuery(url), body }), route, ctx))
  const { viewer } = ctx
  const key = request.headers.get('idempotency-key')
  if (key === null || route.method !== 'POST' || !viewer)
    return jsonResponse(200, await run(ctx), ctx.requestId, headers)
  const ownerId = viewer.type === 'key' ? viewer.keyId : viewer.administratorId
  const operation = { organizationId: viewer.organizationId, ownerId, key, payload: `${url.pathname}\n${text}` }
  const stored = await withIdempotency(ctx, operation, run)
  return jsonResponse(200, stored.body, stored.requestId, {
    ...headers,
    ...(stored.isReplay && { 'idempotency-replayed': 'true' }),
  })
}

function fail(
  services: Services,
  request: Request,
  error: unknown,
  requestId: string,
  headers?: Record<string, string>,
) {
  const accept = request.headers.get('accept')
  return errorResponse(error, { accept, requestId, log: services.log }, headers)
}

/** Everything below /v1 is for programs: errors have the envelope of the contract, section 1. */
const isPage = (request: Request) => !/^https?:\/\/[^/]*\/v1\//.test(request.url) && isForBrowser(request)

/** Methods by path. Paths that differ only in the names of their parameters are the same. */
const toPathShape = (path: string) => path.replace(/:[^/]+/g, ':')
const methodsByShape = new Map<string, { path: string; methods: string[] }>()
const streamRoutes = [
  { path: STREAM_PATH, method: 'GET' },
  { path: ADAPTIVE_PATH, method: 'GET' },
  { path: LISTENING_PATH, method: 'POST' },
]
for (const { path, method } of [...streamRoutes, ...restRoutes]) {
  const sameShape = methodsByShape.get(toPathShape(path))
  methodsByShape.set(toPathShape(path), {
    path: sameShape?.path ?? path,
    methods: [...(sameShape?.methods ?? []), method],
  })
}

const patterns = [...methodsByShape].map(
  ([shape, { methods }]) => [new RegExp(`^${shape.replaceAll(':', '[^/]+')}$`), methods] as const,
)
const methodsOf = (pathname: string) => patterns.find(([pattern]) => pattern.test(pathname))?.[1]
