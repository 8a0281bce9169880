import { z } from 'zod'
import { checksumAlgorithms, type Piece } from '../../domain/upload/resumable/append.ts'
import type { Services } from '../../platform/context.ts'
import { AppError, invalidInput } from '../../platform/errors.ts'
import { corsHeaders } from '../../platform/http/rest.ts'

/** The protocol for uploads that can be resumed: https://tus.io/protocols/resumable-upload, in the one version there is. */
export const TUS_VERSION = '1.0.0'
export const PIECE_TYPE = 'application/offset+octet-stream'
export const TUS_METHODS = ['PUT', 'POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']
const EXTENSIONS = 'creation,creation-defer-length,creation-with-upload,expiration,checksum,termination'

/** Headers of an answer that a page on another origin may read. */
export const exposedHeaders = {
  'access-control-expose-headers': `${corsHeaders['access-control-expose-headers']}, Location, X-Checksum-Sha256, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, Upload-Offset, Upload-Length, Upload-Defer-Length, Upload-Expires`,
}

/** What a client may count on, as OPTIONS tells it. */
export const abilities = ({ config }: Services) => ({
  'tus-version': TUS_VERSION,
  'tus-extension': EXTENSIONS,
  'tus-max-size': String(config.maxUploadBytes),
  'tus-checksum-algorithm': checksumAlgorithms.join(','),
})

/** The method that counts: some networks let only GET and POST through. */
export const methodOf = ({ method, headers }: Request): string =>
  headers.get('x-http-method-override')?.toUpperCase() ?? method

/** Whether a request is one of the protocol's; a PUT is a whole upload, whatever else it says. */
export function isTus(request: Request): boolean {
  const method = methodOf(request)
  if (method === 'HEAD' || method === 'PATCH') return true
  return request.headers.has('tus-resumable') && (method === 'POST' || method === 'DELETE')
}

/** @throws AppError `unsupported_protocol_version` */
export function checkVersion({ headers }: Request): void {
  if (headers.get('tus-resumable') === TUS_VERSION) return
  const told = { headers: { 'tus-version': TUS_VERSION } }
  throw new AppError('unsupported_protocol_version', `Tus-Resumable: must be ${TUS_VERSION}`, told)
}

const count = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

/** A whole number that a header holds; null without it. */
export function countOf({ headers }: Request, name: string): number | null {
  const value = headers.get(name)
  if (value === null) return null
  const parsed = count.safeParse(value)
  if (!parsed.success) throw invalidInput(name, 'must be a whole number')
  return parsed.data
}

/**
 * Upload-Length. Nothing is not a recording.
 * @returns null where it is left for later
 */
export function sizeOf(request: Request): number | null {
  const size = countOf(request, 'Upload-Length')
  if (size === 0) throw invalidInput('Upload-Length', 'must be at least 1')
  return size
}

/** Upload-Checksum: an algorithm, and a digest as base64. */
export function checksumOf({ headers }: Request): Piece['checksum'] {
  const value = headers.get('upload-checksum')
  if (value === null) return null
  const [name = '', digest = ''] = value.trim().split(/ +/)
  const algorithm = checksumAlgorithms.find((known) => known === name)
  if (!algorithm) throw invalidInput('Upload-Checksum', `must begin with one of ${checksumAlgorithms.join(', ')}`)
  return { algorithm, digest: Buffer.from(digest, 'base64') }
}
