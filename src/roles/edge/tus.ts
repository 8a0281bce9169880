import { z } from 'zod'
import { checksumAlgorithms, type Piece } from '../../domain/upload/resumable/append.ts'
import type { Services } from '../../platform/context.ts'
import { AppError, invalidInput } from '../../platform/errors.ts'
import { corsHeaders } from '../../platform/http/rest.ts'

/** Version of the protocol for resumable uploads: https://tus.io/protocols/resumable-upload. */
export const TUS_VERSION = '1.0.0'
export const PIECE_TYPE = 'application/offset+octet-stream'
export const TUS_METHODS = ['PUT', 'POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']
const EXTENSIONS = 'creation,creation-defer-length,creation-with-upload,expiration,checksum,termination'

/** Answer headers that pages of other origins may read. */
export const exposedHeaders = {
  'access-control-expose-headers': `${corsHeaders['access-control-expose-headers']}, Location, X-Checksum-Sha256, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, Upload-Offset, Upload-Length, Upload-Defer-Length, Upload-Metadata, Upload-Expires`,
}

/** Capabilities of the server, in the answer to OPTIONS. */
export const abilities = ({ config }: Services) => ({
  'tus-version': TUS_VERSION,
  'tus-extension': EXTENSIONS,
  'tus-max-size': String(config.maxUploadBytes),
  'tus-checksum-algorithm': checksumAlgorithms.join(','),
})

/** Returns the effective method: some networks only allow GET and POST. */
export const readMethod = ({ method, headers }: Request): string =>
  headers.get('x-http-method-override')?.toUpperCase() ?? method

/** Returns whether a request belongs to the protocol. A PUT is always a whole upload. */
export function isTus(request: Request): boolean {
  const method = readMethod(request)
  if (method === 'HEAD' || method === 'PATCH') return true
  return request.headers.has('tus-resumable') && (method === 'POST' || method === 'DELETE')
}

/** @throws AppError `unsupported_protocol_version` */
export function checkVersion({ headers }: Request): void {
  if (headers.get('tus-resumable') === TUS_VERSION) return
  const supported = { headers: { 'tus-version': TUS_VERSION } }
  throw new AppError('unsupported_protocol_version', `Tus-Resumable: must be ${TUS_VERSION}`, supported)
}

/**
 * Refuses what OPTIONS does not announce: ignored, a part of a recording would become the whole.
 * @throws AppError `invalid_input`
 */
export function checkAnnounced({ headers }: Request): void {
  if (headers.has('upload-concat')) {
    throw invalidInput(
      'Upload-Concat',
      'must not be sent: uploads are not concatenated. Send one upload, without parallel parts',
    )
  }
  if (/\bupload-checksum\b/i.test(headers.get('trailer') ?? '')) {
    throw invalidInput('Upload-Checksum', 'must be a header, not a trailer')
  }
}

const MAX_METADATA_CHARS = 4096
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** Visible ASCII without commas. */
const METADATA_KEY = /^[!-+\--~]+$/

/**
 * Checks Upload-Metadata: pairs of a key and a base64 value, separated by commas. Keys are unique.
 * @returns the header as it was sent, or null without it
 * @throws AppError `invalid_input`
 */
export function readMetadata({ headers }: Request): string | null {
  const value = headers.get('upload-metadata')
  if (value === null) return null
  const keys = new Set<string>()
  const isValid = value.split(',').every((pair) => {
    const [key = '', content = '', ...rest] = pair.trim().split(' ')
    const isNew = !keys.has(key)
    keys.add(key)
    return isNew && METADATA_KEY.test(key) && BASE64.test(content) && rest.length === 0
  })
  if (value.length > MAX_METADATA_CHARS)
    throw invalidInput('Upload-Metadata', `must have at most ${MAX_METADATA_CHARS} characters`)
  if (isValid) return value
  throw invalidInput('Upload-Metadata', 'must be pairs of a unique key and a base64 value, separated by commas')
}

/**
 * Parses Upload-Defer-Length.
 * @returns whether the length is sent later
 */
export function isDeferred({ headers }: Request): boolean {
  const value = headers.get('upload-defer-length')
  if (value !== null && value !== '1') throw invalidInput('Upload-Defer-Length', 'must be 1')
  return value !== null
}

const count = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

/** Parses a header with a whole number. Null without the header. */
export function parseCount({ headers }: Request, name: string): number | null {
  const value = headers.get(name)
  if (value === null) return null
  const parsed = count.safeParse(value)
  if (!parsed.success) throw invalidInput(name, 'must be a whole number')
  return parsed.data
}

/**
 * Parses Upload-Length. At least 1.
 * @returns null if it is deferred
 */
export function parseSize(request: Request): number | null {
  const size = parseCount(request, 'Upload-Length')
  if (size === 0) throw invalidInput('Upload-Length', 'must be at least 1')
  return size
}

/** Parses Upload-Checksum: an algorithm and a base64 digest. */
export function parseChecksum({ headers }: Request): Piece['checksum'] {
  const value = headers.get('upload-checksum')
  if (value === null) return null
  const [name = '', digest = ''] = value.trim().split(/ +/)
  const algorithm = checksumAlgorithms.find((supportedName) => supportedName === name)
  if (!algorithm) throw invalidInput('Upload-Checksum', `must begin with one of ${checksumAlgorithms.join(', ')}`)
  return { algorithm, digest: Buffer.from(digest, 'base64') }
}
