import type { Logger } from 'pino'
import { z } from 'zod'
import { mapKeys, readKeys, toSnake } from '../case.ts'
import type { Context } from '../context.ts'
import type { KeyKind } from '../db/generated/client/enums.ts'
import { AppError, type ErrorCode, invalidInput, toAppError } from '../errors.ts'
import { isTooDeep, parse } from '../schema/parse.ts'
import { weighted } from './accept.ts'
import { logFailure } from './failure-log.ts'
import type { LiveEvents } from './live-events.ts'
import { readBody } from './unread-body.ts'

/** Validated input of a route, in camelCase. */
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
  /** With `:name` for path parameters. Relative to /v1. */
  path: string
  /** `key`: the Authorization header is required. `none`: an id in the path is the credential. */
  auth: 'key' | 'none'
  /** Kinds of keys that may use it. Defaults to `api`. Administrators may use any route within their role. */
  keys?: readonly KeyKind[]
  /**
   * Checks the viewer before the request is read, so that a client without the right learns nothing about the
   * operation. Defaults to the right to read for GET, to the right to write for other methods.
   * @throws AppError `unauthenticated`, `forbidden`
   */
  permit?: (ctx: Context, keys?: readonly KeyKind[]) => unknown
  /**
   * Operation ID of the OpenAPI document, and the name of the use case. Stable: generated clients name their functions
   * after it.
   */
  operation: string
  /** One sentence. */
  summary: string
  /** Markdown. */
  description?: string
  /** Validates the path parameters. Must contain every name in the path. */
  params?: Params
  query?: Query
  body?: Body
  /** The body as the OpenAPI document shows it. Defaults to `body`. For bodies that a use case validates in steps. */
  documentedBody?: z.ZodType
  /** The result of the handler, without the envelope. */
  answer: Answer
  /** Media type of the file that it returns on request. */
  fileType?: string
  /** Media type of a stream that it returns in place of JSON. */
  streamType?: string
  /** Error codes in addition to those of every route of its kind (roles/gateway/openapi/failures.ts). */
  fails?: readonly ErrorCode[]
  /** Success answers of two upload session calls carry no `api_request_id` (specification, section 2). */
  isRequestIdLeftOut?: boolean
  handle: (operation: RestOperation<Params, Query, Body>) => Promise<z.input<Answer> | Download | LiveEvents>
}

/** A raw request: keys of `query` and `body` in camelCase, values not validated. */
export interface RestRequest {
  params: Record<string, string>
  query: Record<string, string>
  body: Record<string, unknown>
}

/** A route with erased types, as the router and the OpenAPI document use it. */
export interface Route extends Omit<RouteOptions, 'handle'> {
  /**
   * Validates the request and runs the handler.
   * @throws AppError `invalid_input` and those of the use case
   */
  run: (ctx: Context, request: RestRequest) => Promise<object>
}

/** Defines a route. Its handler receives validated input. */
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

/** Any object, for a body that a use case validates in steps. */
export const anyObject = z.looseObject({})

/** An answer of GET that is not JSON and may have any length. */
export interface Download {
  contentType: string
  /** File name for browsers. */
  fileName: string
  /** Text chunks. An error before the first chunk is answered like any error. */
  chunks: AsyncGenerator<string>
}

const downloads = new WeakSet<object>()

/** Marks a handler's result as a download. */
export function download(answer: Download): Download {
  downloads.add(answer)
  return answer
}
export const isDownload = (result: object): result is Download => downloads.has(result)

/**
 * Streams a download at its reader's pace. On an error the connection is aborted, so that the client detects an
 * incomplete file.
 */
export async function downloadResponse(
  answer: Download,
  requestId: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { chunks } = answer
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
  return new Response(body, { headers: downloadHeaders(answer, requestId, headers) })
}

/** The answer to HEAD: the headers of the download, whose rows are not read. */
export const downloadHead = (answer: Download, requestId: string, headers: Record<string, string> = {}) =>
  new Response(null, { headers: downloadHeaders(answer, requestId, headers) })

const downloadHeaders = (
  { contentType, fileName }: Download,
  requestId: string,
  headers: Record<string, string>,
): Record<string, string> => ({
  ...corsHeaders,
  'content-type': contentType,
  'content-disposition': `attachment; filename="${fileName}"`,
  'cache-control': 'no-store',
  'x-request-id': requestId,
  ...headers,
})

const MAX_BODY_BYTES = 1 << 20

/**
 * Reads a JSON object. An absent body is an empty object; the rules of the fields apply.
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
  if (isTooDeep(value)) throw invalidInput('body', 'nesting is too deep')
  return { text, body: readKeys(value) as Record<string, unknown> }
}

/** Time in which a JSON body must arrive. */
const BODY_SECONDS = 60

/**
 * Reads a body as text, up to the maximum of JSON bodies. A connection whose body does not arrive in time is closed.
 * @throws AppError `too_large`; `invalid_input` for invalid UTF-8 and for a body that is late
 */
export async function readText(request: Request, seconds = BODY_SECONDS): Promise<string> {
  const declaredBytes = request.headers.get('content-length')
  if (Number(declaredBytes ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  if (!request.body) return ''
  // At most the declared length arrives. A stream takes longer than the rest of a small request.
  const reading = declaredBytes === null ? readBounded(request) : request.bytes()
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const message = `body: must arrive within ${seconds} seconds`
    reject(new AppError('invalid_input', message, { headers: { connection: 'close' } }))
  }, seconds * 1000)
  const bytesOrError = reading.catch((error) => {
    // The client sees no answer. It must not count as a failure of the service.
    throw request.signal.aborted ? new AppError('invalid_input', 'body: the client has disconnected') : error
  })
  const bytes = await Promise.race([bytesOrError, late]).finally(() => clearTimeout(timer))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new AppError('invalid_input', 'body: must be UTF-8')
  }
}

async function readBounded(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of readBody(request)) {
    bytes += chunk.byteLength
    if (bytes > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = () => new AppError('too_large', `body: must be at most ${MAX_BODY_BYTES} bytes`)

/** Returns the query with keys in camelCase. Repeated names are a list, as if it were written with commas. */
export function readQuery({ searchParams }: URL): Record<string, string> {
  const values = new Map<string, string[]>()
  for (const [name, value] of searchParams) {
    const same = values.get(name)
    if (same) same.push(value)
    else values.set(name, [value])
  }
  const joined = values.entries().map(([name, same]) => [name, same.join()])
  return readKeys(Object.fromEntries(joined)) as Record<string, string>
}

/** Headers of every /v1 answer (contract, section 1). */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Content-Range, Accept-Ranges, Content-Length, ETag, Tonearm-Refusal',
}

/**
 * Answers a preflight. Allows every requested header (contract, section 1): requests carry no browser credentials, so a
 * list would protect nothing.
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

/** Headers of every JSON answer: some contain keys, tokens and addresses that are credentials. */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Returns a result in the envelope, with keys in snake_case. */
export function successEnvelope(result: object, requestId: string | null): object {
  const envelope = { ok: true, ...(requestId === null ? {} : { apiRequestId: requestId }), ...result }
  return mapKeys(envelope, toSnake) as object
}

/** @param body JSON */
export function jsonResponse(status: number, body: BodyInit, requestId: string, headers: Record<string, string> = {}) {
  return new Response(body, {
    status,
    headers: {
      ...corsHeaders,
      ...privateHeaders,
      'content-type': 'application/json',
      'x-request-id': requestId,
      ...headers,
    },
  })
}

/**
 * Formats any error in the envelope, or as RFC 9457 problem details if Accept requests them. Errors other than AppError
 * are logged and shown as `internal`.
 */
export function errorResponse(
  error: unknown,
  request: { accept: string | null; requestId: string; log: Logger },
  headers: Record<string, string> = {},
): Response {
  const shownError = loggedError(error, request)
  const message = shownError.messageFor(toSnake)
  const isProblem = weighted(request.accept).some(
    ({ value, weight }) => value === 'application/problem+json' && weight > 0,
  )
  const body = isProblem
    ? {
        type: 'about:blank',
        title: shownError.code.replaceAll('_', ' '),
        status: shownError.status,
        detail: message,
        code: shownError.code,
        ok: false,
        message,
        api_request_id: request.requestId,
      }
    : { ok: false, message, code: shownError.code, api_request_id: request.requestId }
  return failureResponse(shownError, body, request.requestId, {
    ...(isProblem ? { 'content-type': 'application/problem+json' } : {}),
    ...headers,
  })
}

/** Returns the error that a client receives. Errors other than AppError are logged and shown as `internal`. */
export function loggedError(error: unknown, { requestId, log }: { requestId: string; log: Logger }): AppError {
  const shownError = toAppError(error)
  if (shownError.status >= 500)
    logFailure(log, shownError, { err: shownError.cause ?? error, requestId }, shownError.message)
  return shownError
}

/** Answers with an error in any form, with the status and the headers of its code. */
export function failureResponse(
  { status, code, retryAfterSeconds, headers: errorHeaders }: AppError,
  body: object,
  requestId: string,
  headers: Record<string, string> = {},
): Response {
  return jsonResponse(status, JSON.stringify(body), requestId, {
    ...(code === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(retryAfterSeconds ? { 'retry-after': String(retryAfterSeconds) } : {}),
    ...errorHeaders,
    ...headers,
  })
}
