import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { lexicographicSortSchema, printSchema } from 'graphql'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { corsHeaders, errorResponse } from '../../platform/http/rest.ts'
import { currentRequestId } from '../../platform/origin.ts'
import { schema } from './schema.ts'

export const SDL_PATH = '/graphql/schema.graphql'

/** The committed copy, so that a change of the schema shows in review. */
export const schemaFile = join(import.meta.dir, 'schema.graphql')

/** The whole schema in the schema definition language, in alphabetical order. */
export const sdl = `${printSchema(lexicographicSortSchema(schema))}\n`

const etag = `"${createHash('sha256').update(sdl).digest('hex').slice(0, 32)}"`

/** Serves `GET /graphql/schema.graphql`, for code generators of clients. */
export function publishSdl(services: Services, request: Request): Response {
  const requestId = currentRequestId()
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const error = new AppError('method_not_allowed', 'method: must be GET')
    return errorResponse(error, { accept: null, requestId, log: services.log }, { allow: 'GET, HEAD' })
  }
  const headers = {
    ...corsHeaders,
    'content-type': 'application/graphql; charset=utf-8',
    'cache-control': 'public, max-age=300',
    etag,
    'x-request-id': requestId,
  }
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
  return new Response(request.method === 'HEAD' ? null : sdl, { headers })
}
