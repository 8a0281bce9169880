import type { Logger } from 'pino'
import { z } from 'zod'
import type { Context } from '../context.ts'
import type { KeyKind } from '../db/generated/client/enums.ts'
import { AppError, type ErrorCode, invalidInput, toAppError } from '../errors.ts'
import { mapKeys, readKeys, toSnake } from '../schema/case.ts'
import { isTooDeep, parse } from '../schema/input.ts'

/** The parsed input of a route, in camelCase: what the schemas of the route make of the request. */
export interface RestOperation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  ctx: Context
  params: z.output<Params>
  query: z.output<Query>
  body: z.output<Body>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type NoFields = z.ZodObject<Record<never, never>>

/** One path of /v1: a call to a use case, and the wrapper keys around its result. */
export interface RouteOptions<
  Answer extends z.ZodObject = z.ZodObject,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> {
  method: Method
  /** With `:name` for path parameters; relative to /v1. */
  path: string
  /** `key`: the Authorization header is required. `none`: an id in the path is the credential. */
  auth: 'key' | 'none'
  /** Kinds of keys that may use it. Defaults to `api`. Administrators may use any, within their role. */
  keys?: readonly KeyKind[]
  /** Operation ID of the OpenAPI document, and the name of the use case. Stable: generated clients name their functions after it. */
  operation: string
  /** One line, as a sentence. */
  summary: string
  /** Markdown. */
  description?: string
  /** Validates the request. Each name in the path needs one in `params`. */
  params?: Params
  query?: Query
  body?: Body
  /** The body as the OpenAPI document shows it. Defaults to `body`. For bodies that a use case validates in steps. */
  documentedBody?: z.ZodType
  /** The result of the handler, without the envelope. */
  answer: Answer
  /** Media type of the file that it answers instead, on request. */
  fileType?: string
  /** Codes with which it can fail, besides those of any route of its kind (platform/openapi/failures.ts). */
  fails?: readonly ErrorCode[]
  /** Success answers of two upload session calls carry no `api_request_id` (specification, section 2). */
  isRequestIdLeftOut?: boolean
  handle: (operation: RestOperation<Params, Query, Body>) => Promise<z.input<Answer> | Download>
}

/** A request as it arrived: keys of `query` and `body` in camelCase, values not validated. */
export interface RestRequest {
  params: Record<string, string>
  query: Record<string, string>
  body: Record<string, unknown>
}

/** A route with its types erased, as the router and the OpenAPI document read it. */
export interface Route extends Omit<RouteOptions, 'handle'> {
  /**
   * Validates the request and runs the handler.
   * @throws AppError `invalid_input` and those of the use case
   */
  run: (ctx: Context, request: RestRequest) => Promise<object>
}

/** Defines a route. Its handler receives the input as its schemas parse it. */
export function route<
  Answer extends z.ZodObject,
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = NoFields,
>({ handle, path, ...options }: RouteOptions<Answer, Params, Query, Body>): Route {
  const { params = noFields, query = noFields, body = noFields } = options
  return {
    ...options,
    path: `/v1${path}`,
    run: (ctx, request) =>
      handle({
        ctx,
        params: parse(params, request.params) as z.output<Params>,
        query: parse(query, request.query) as z.output<Query>,
        body: parse(body, request.body) as z.output<Body>,
      }),
  }
}

const noFields = z.object({})

/** A body that a use case validates in steps: any object. */
export const anyObject = z.looseObject({})

/** An answer of GET that is no JSON and may be of any length. */
export interface Download {
  contentType: string
  /** Under which a browser saves it. */
  fileName: string
  /** Its text. What is thrown before the first part is answered as any error. */
  chunks: AsyncGenerator<string>
}

const downloads = new WeakSet<object>()

/** Marks what a handler answers as to be sent as it is. */
export function download(answer: Download): Download {
  downloads.add(answer)
  return answer
}
export const isDownload = (result: object): result is Download => downloads.has(result)

/** Sends a download as its reader takes it; one that breaks off is cut off, so that nobody takes it for whole. */
export async function downloadResponse(
  { contentType, fileName, chunks }: Download,
  requestId: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const first = await chunks.next()
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => (first.done ? controller.close() : controller.enqueue(encoder.encode(first.value))),
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done) return controller.close()
      controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await chunks.return(undefined)),
  })
  return new Response(body, {
    headers: {
      ...corsHeaders,
      'content-type': contentType,
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...headers,
    },
  })
}

const MAX_BODY_BYTES = 1 << 20

/**
 * Reads a JSON object. An absent body is an empty object: rules on its fields say the rest.
 * @throws AppError `unsupported_media_type`, `too_large`, `invalid_input`
 * @see contract, section 1
 */
export async function readJson(request: Request): Promise<{ text: string; body: Record<string, unknown> }> {
  const text = await readText(request)
  if (text.trim() === '') return { text, body: {} }
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!/^application\/(json|[\w.+-]+\+json)$/.test(type)) {
    throw new AppError('unsupported_media_type', 'Content-Type: must be application/json')
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new AppError('invalid_input', 'body: must be valid JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidInput('body', 'must be an object')
  if (isTooDeep(value)) throw invalidInput('body', 'must not be nested that deep')
  return { text, body: readKeys(value) as Record<string, unknown> }
}

/**
 * Reads a body as text, within the bound of every JSON body.
 * @throws AppError `too_large`, `invalid_input` for what is not UTF-8
 */
export async function readText(request: Request): Promise<string> {
  const announced = request.headers.get('content-length')
  if (Number(announced ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  if (!request.body) return ''
  // No more than is announced ever arrives; going through a stream takes longer than the rest of a small request.
  const bytes = announced === null ? await readBounded(request.body) : await request.bytes()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new AppError('invalid_input', 'body: must be UTF-8')
  }
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = () => new AppError('too_large', `body: must be at most ${MAX_BODY_BYTES} bytes`)

/** The path's query with keys in camelCase; of a repeated one the last counts. */
export function readQuery(url: URL): Record<string, string> {
  return readKeys(Object.fromEntries(url.searchParams)) as Record<string, string>
}

/** On every answer of /v1 (contract, section 1). */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Content-Range, Accept-Ranges, Content-Length, ETag',
}

/**
 * Answers a preflight. Every requested header is allowed (contract, section 1): no credentials are sent along, so that
 * a list would protect nothing.
 */
export function preflight(request: Request, methods: readonly string[], requestId: string): Response {
  const requested = request.headers.get('access-control-request-headers')
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders,
      'access-control-allow-methods': methods.join(', '),
      ...(requested && { 'access-control-allow-headers': requested }),
      vary: 'Access-Control-Request-Headers',
      'access-control-max-age': '86400',
      'x-request-id': requestId,
    },
  })
}

/** A result in the envelope, keys in snake_case. */
export function successBody(result: object, requestId: string | null): string {
  const envelope = { ok: true, ...(requestId === null ? {} : { apiRequestId: requestId }), ...result }
  return JSON.stringify(mapKeys(envelope, toSnake))
}

export function jsonResponse(status: number, body: string, requestId: string, headers: Record<string, string> = {}) {
  return new Response(body, {
    status,
    headers: { ...corsHeaders, 'content-type': 'application/json', 'x-request-id': requestId, ...headers },
  })
}

/**
 * Renders any failure in the envelope, or as RFC 9457 problem details where Accept asks for them. What is none of
 * our own errors is logged whole and shown as `internal`.
 */
export function errorResponse(
  error: unknown,
  request: { accept: string | null; requestId: string; log: Logger },
  headers: Record<string, string> = {},
): Response {
  const shown = toAppError(error)
  if (shown.status >= 500) request.log.error({ err: shown.cause ?? error, requestId: request.requestId }, shown.message)
  const message = shown.messageFor(toSnake)
  const isProblem = request.accept?.toLowerCase().includes('application/problem+json') ?? false
  const body = isProblem
    ? {
        type: 'about:blank',
        title: shown.code.replaceAll('_', ' '),
        status: shown.status,
        detail: message,
        code: shown.code,
        ok: false,
        message,
        api_request_id: request.requestId,
      }
    : { ok: false, message, code: shown.code, api_request_id: request.requestId }
  return jsonResponse(shown.status, JSON.stringify(body), request.requestId, {
    ...(isProblem ? { 'content-type': 'application/problem+json' } : {}),
    ...(shown.code === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(shown.retryAfterSeconds ? { 'retry-after': String(shown.retryAfterSeconds) } : {}),
    ...shown.headers,
    ...headers,
  })
}
