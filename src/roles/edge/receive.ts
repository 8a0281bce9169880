import type { Server } from 'bun'
import { acceptUpload, MAX_COVER_BYTES } from '../../domain/upload/accept.ts'
import type { Services } from '../../platform/context.ts'
import { AppError, invalidInput } from '../../platform/errors.ts'
import type { UploadGrant } from '../../platform/identity/signing.ts'
import { StorageError } from '../../platform/storage/storage.ts'

/** A sender that delivers nothing for so long has gone. */
const STALL_SECONDS = 120

/**
 * One upload by a signed address (contract, section 5).
 * @returns 200 with ETag and `x-checksum-sha256`
 */
export async function receive(
  services: Services,
  request: Request,
  url: URL,
  server?: Server<undefined>,
): Promise<Response> {
  const grant = grantOf(services, url)
  const body = await bodyOf(request, server)
  let received: { bytes: number; sha256: string }
  try {
    received = await acceptUpload(services, grant, body)
  } catch (error) {
    throw asBrokenOff(error, request)
  }
  const { sha256, bytes } = received
  return Response.json(
    { ok: true, size: bytes, sha256 },
    { headers: { etag: `"${sha256}"`, 'x-checksum-sha256': sha256, 'cache-control': 'no-store' } },
  )
}

/**
 * What an upload address allows.
 * @throws AppError `forbidden` where it is none of ours
 */
export function grantOf({ signing }: Services, url: URL): UploadGrant {
  const grant = signing.readUploadPath(url)
  if (!grant) throw new AppError('forbidden', 'signature: does not fit this upload address')
  return grant
}

/** A body that broke off, in words; any other failure as it is. */
export const asBrokenOff = (error: unknown, request: Request): unknown =>
  isBrokenOff(error, request) ? invalidInput('body', 'ended before the bytes that were announced') : error

const isBrokenOff = (error: unknown, request: Request) =>
  !(error instanceof StorageError) &&
  (request.signal.aborted ||
    (error instanceof Error && (error.name === 'AbortError' || /aborted|closed/i.test(error.message))))

/** The raw body, or the one file of a form: covers may come as either. */
async function bodyOf(request: Request, server?: Server<undefined>) {
  const type = request.headers.get('content-type') ?? ''
  if (request.method === 'POST' && type.startsWith('multipart/form-data')) {
    return { chunks: await formFile(request), declaredBytes: null }
  }
  return rawBody(request, server)
}

/** The bytes of a request as they come, and how many it announced. */
export function rawBody(request: Request, server?: Server<undefined>) {
  const length = request.headers.get('content-length')
  return { chunks: chunksOf(request, server), declaredBytes: length === null ? null : Number(length) }
}

async function* chunksOf(request: Request, server?: Server<undefined>): AsyncGenerator<Uint8Array> {
  if (!request.body) return
  // Bun cuts an idle connection; ours is idle only when the sender stalls.
  server?.timeout(request, STALL_SECONDS)
  let renewed = Date.now()
  for await (const chunk of request.body) {
    if (Date.now() - renewed > 1000) {
      server?.timeout(request, STALL_SECONDS)
      renewed = Date.now()
    }
    yield chunk
  }
}

/** What a form holds besides its one file. */
const FORM_SLACK_BYTES = 65_536

/** Forms are read into memory, hence within the bound of a cover before a byte of them is parsed. */
async function formFile(request: Request): Promise<AsyncIterable<Uint8Array>> {
  const maxBytes = MAX_COVER_BYTES + FORM_SLACK_BYTES
  const tooLarge = new AppError('too_large', `body: must be at most ${MAX_COVER_BYTES} bytes`)
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunksOf(request)) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLarge
    chunks.push(chunk)
  }
  const headers = { 'content-type': request.headers.get('content-type') ?? '' }
  const form = await new Response(Buffer.concat(chunks), { headers }).formData().catch(() => {
    throw invalidInput('body', 'must be multipart/form-data with one file')
  })
  const values = [...form.values()] as unknown as (string | Blob)[]
  const files = values.filter((value) => typeof value !== 'string')
  if (files.length !== 1 || !files[0]) throw invalidInput('body', 'must hold exactly one file')
  return files[0].stream()
}
