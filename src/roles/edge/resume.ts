import { appendPiece } from '../../domain/upload/resumable/append.ts'
import {
  announceUpload,
  cancelUpload,
  getProgress,
  recordMetadata,
  type UploadProgress,
} from '../../domain/upload/resumable/service.ts'
import type { Services } from '../../platform/context.ts'
import { AppError, invalidInput } from '../../platform/errors.ts'
import type { UploadGrant } from '../../platform/identity/signing.ts'
import type { EdgeConnection } from './connection.ts'
import { PIECE_STALL_SECONDS, rawBody, readGrant } from './receive.ts'
import {
  checkAnnounced,
  checkVersion,
  isDeferred,
  PIECE_TYPE,
  parseChecksum,
  parseCount,
  parseSize,
  readMetadata,
  readMethod,
} from './tus.ts'

/**
 * Handles one request of a resumable upload. The address is the same as for a whole upload. Creating the track has
 * created the upload: POST only sets its length, and returns the same address.
 * @see contract, section 5; tus 1.0
 */
export async function resume(
  services: Services,
  request: Request,
  url: URL,
  connection?: EdgeConnection,
): Promise<Response> {
  checkVersion(request)
  checkAnnounced(request)
  const grant = readGrant(services, url)
  const method = readMethod(request)
  if (method === 'HEAD') return answer(200, await getProgress(services, grant))
  if (method === 'POST') return create(services, request, grant, url, connection)
  if (method === 'PATCH') return answer(204, await append(services, request, grant, connection))
  await cancelUpload(services, grant)
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })
}

async function create(services: Services, request: Request, grant: UploadGrant, url: URL, connection?: EdgeConnection) {
  const size = parseSize(request)
  if ((size === null) !== isDeferred(request))
    throw invalidInput('Upload-Length', 'is required, or Upload-Defer-Length')
  const metadata = readMetadata(request)
  await announceUpload(services, grant, size)
  if (metadata !== null) await recordMetadata(services, grant, metadata)
  const progress =
    request.headers.get('content-type') === PIECE_TYPE
      ? await append(services, request, grant, connection)
      : await getProgress(services, grant)
  const response = answer(201, progress)
  response.headers.set('location', services.config.edgeUrl + url.pathname + url.search)
  return response
}

async function append(services: Services, request: Request, grant: UploadGrant, connection?: EdgeConnection) {
  if (request.headers.get('content-type') !== PIECE_TYPE) {
    throw new AppError('unsupported_media_type', `Content-Type: must be ${PIECE_TYPE}`)
  }
  const offset = readMethod(request) === 'PATCH' ? parseCount(request, 'Upload-Offset') : 0
  if (offset === null) throw invalidInput('Upload-Offset', 'is required')
  const piece = {
    offset,
    size: parseSize(request),
    checksum: parseChecksum(request),
    ...rawBody(request, connection, PIECE_STALL_SECONDS),
  }
  return appendPiece(services, grant, piece)
}

function answer(status: number, { offset, size, expiresAt, sha256, metadata }: UploadProgress): Response {
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'upload-offset': String(offset),
    ...(size === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(size) }),
    ...(metadata && { 'upload-metadata': metadata }),
    ...(expiresAt && { 'upload-expires': expiresAt.toUTCString() }),
    ...(sha256 && { etag: `"${sha256}"`, 'x-checksum-sha256': sha256 }),
  }
  return new Response(null, { status, headers })
}
