import { acceptCover, MAX_COVER_BYTES } from '../../domain/upload/accept-cover.ts'
import { acceptTrack } from '../../domain/upload/accept-track.ts'
import { isForCover } from '../../domain/upload/cover.ts'
import type { Services } from '../../platform/context.ts'
import { AppError, invalidInput } from '../../platform/errors.ts'
import { collectGarbage } from '../../platform/http/collect-garbage.ts'
import { freeBytes } from '../../platform/http/free-bytes.ts'
import { readBody } from '../../platform/http/unread-body.ts'
import type { UploadGrant } from '../../platform/identity/signing.ts'
import type { EdgeConnection } from './connection.ts'
import { fileOfForm } from './form.ts'

/** Time without data after which a sender is disconnected. */
const STALL_SECONDS = 120
/** The same for a piece, whose received bytes are kept: a lost connection must not occupy a place for long. */
export const PIECE_STALL_SECONDS = 30

/**
 * Receives one upload by a signed address (contract, section 5).
 * @returns 200 with ETag and `x-checksum-sha256`
 */
export async function receive(
  services: Services,
  request: Request,
  url: URL,
  connection?: EdgeConnection,
): Promise<Response> {
  const grant = readGrant(services, url)
  checkWhole(request)
  const body = selectBody(request, connection)
  const { sha256, bytes } = isForCover(grant)
    ? await acceptCover(services, grant, body)
    : await acceptTrack(services, grant, body)
  return Response.json(
    { ok: true, size: bytes, sha256 },
    { headers: { etag: `"${sha256}"`, 'x-checksum-sha256': sha256, 'cache-control': 'no-store' } },
  )
}

/**
 * Returns the grant of an upload address.
 * @throws AppError `forbidden` for an invalid signature
 */
export function readGrant({ signing }: Services, url: URL): UploadGrant {
  const grant = signing.readUploadPath(url)
  if (!grant) throw new AppError('forbidden', 'signature: does not fit this upload address')
  return grant
}

/**
 * Refuses a body whose bytes are not those of the file, before they use up the address.
 * @throws AppError `invalid_input` for a part of a file (RFC 9110, section 14.5); `unsupported_media_type` for a
 * compressed one (section 8.4)
 */
function checkWhole({ headers }: Request): void {
  if (headers.has('content-range')) {
    throw invalidInput('Content-Range', 'must not be sent: an upload is one request, or pieces by tus 1.0.0')
  }
  if (/^(identity)?$/i.test(headers.get('content-encoding') ?? '')) return
  throw new AppError('unsupported_media_type', 'Content-Encoding: must be identity')
}

/** The raw body, or the one file of a form: covers may come as either. */
function selectBody(request: Request, connection?: EdgeConnection) {
  const type = request.headers.get('content-type') ?? ''
  if (request.method === 'POST' && type.startsWith('multipart/form-data')) {
    return { chunks: formFile(request, type, connection), declaredBytes: null }
  }
  return rawBody(request, connection)
}

/** Returns the bytes of a request as a stream, and its declared length. A chunk is valid until the next is requested. */
export function rawBody(request: Request, connection?: EdgeConnection, stallSeconds = STALL_SECONDS) {
  const length = request.headers.get('content-length')
  const chunks = freed(readChunks(request, connection, stallSeconds))
  return { chunks, declaredBytes: length === null ? null : Number(length) }
}

/** Frees each chunk when the next one is requested. */
async function* freed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk
    freeBytes(chunk)
  }
}

/**
 * The bytes of a body as they arrive; a sender that stalls is cut off.
 * @throws AppError `invalid_input` when the body is interrupted or arrives too slowly
 */
async function* readChunks(
  request: Request,
  connection?: EdgeConnection,
  stallSeconds = STALL_SECONDS,
): AsyncGenerator<Uint8Array> {
  if (!request.body) return
  // Bun closes idle connections; an upload is idle only when the sender stalls.
  connection?.setIdle?.(stallSeconds)
  let renewed = Date.now()
  for await (const chunk of paced(received(readBody(request)), Date.now)) {
    if (Date.now() - renewed > 1000) {
      connection?.setIdle?.(stallSeconds)
      renewed = Date.now()
    }
    yield chunk
  }
}

/**
 * Marks the errors of a body where it is read: the same messages ("closed", "aborted") are those of a database or a
 * bucket elsewhere, and a fault of these is not the client's.
 * @throws AppError `invalid_input`
 */
async function* received(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (cause) {
    throw new AppError('invalid_input', 'body: ended before its declared length', { cause })
  }
}

/** Lowest average rate of a body, and the time after which it applies. */
const MIN_BYTES_PER_SECOND = 16_384
const GRACE_MS = 60_000

/**
 * Passes a body on while it arrives at the lowest rate or faster: a sender of single bytes would occupy a place for ever.
 * @throws AppError `invalid_input`
 */
export async function* paced(chunks: AsyncIterable<Uint8Array>, now: () => number): AsyncGenerator<Uint8Array> {
  const began = now()
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    const ms = now() - began
    if (ms > GRACE_MS && bytes < (MIN_BYTES_PER_SECOND * ms) / 1000) {
      throw invalidInput('body', `must arrive at ${MIN_BYTES_PER_SECOND} bytes per second or faster`)
    }
    yield chunk
  }
}

/** Bytes of a form in addition to those of its file. */
const FORM_SLACK_BYTES = 65_536

/** The one file of a form, refused where the form is larger than any that contains a cover. */
function formFile(request: Request, contentType: string, connection?: EdgeConnection): AsyncIterable<Uint8Array> {
  const maxBytes = MAX_COVER_BYTES + FORM_SLACK_BYTES
  const tooLarge = new AppError('too_large', `body: must be at most ${MAX_COVER_BYTES} bytes`)
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge
  async function* bounded() {
    let bytes = 0
    for await (const chunk of readChunks(request, connection)) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw tooLarge
      yield chunk
      // The parser passes parts of the chunk on.
      collectGarbage(chunk.byteLength)
    }
  }
  return fileOfForm(contentType, bounded())
}
