import { DefaultHttpStack, DetailedError, Upload } from 'tus-js-client'
import { parsedBody, toTonearmError } from './error.ts'
import { fetchStack } from './fetch-stack.ts'
import { cancelParts, RETRY_MS, sendInParts } from './parts.ts'
import { isBrowser, put, type SendOptions } from './put.ts'
import type { RequestOptions, Schemas } from './rest.ts'
import { isStream, toBlob, toReadable, type UploadSource } from './source.ts'

/** A signed address for the bytes of one track. Plain JSON: store it to continue after a restart. */
export type UploadTarget = Schemas['TrackUpload']

const CHUNK_BYTES = 8 * 1024 * 1024
/** Larger files are sent to a bucket in parts. */
const SINGLE_BYTES = 8 * 1024 * 1024
/** Undefined for the default of tus-js-client, which is made for browsers and for Node. */
const httpStack = !isBrowser && new DefaultHttpStack({}).getName() === 'XHRHttpStack' ? fetchStack : undefined

/**
 * Sends a file. An upload continues after a broken connection, and also where an earlier one to the same target ended: to
 * pause it, abort the signal. The service takes it by tus 1.0, and a bucket in parts of 8 MiB or more. A smaller file for a
 * bucket is one PUT, and so is a stream, which a bucket does not take.
 * @param source a `File` of a browser, `Bun.file(path)`, `await fileFromPath(path)`, any other Blob, bytes, or a stream
 * @throws TonearmError when the service refuses; the reason of the signal when it was aborted
 * @example
 * ```ts
 * const pause = new AbortController()
 * await sendFile(file, target, { signal: pause.signal }).catch(() => {})
 * await sendFile(file, target)
 * ```
 */
export async function sendFile(source: UploadSource, target: UploadTarget, options: SendOptions = {}): Promise<void> {
  options.signal?.throwIfAborted()
  if (isStream(source)) return sendStream(toReadable(source), target, options)
  const file = toBlob(source)
  if (isResumable(target)) return sendResumable(file, target, options)
  if (target.parts_url && file.size > SINGLE_BYTES) return sendInParts(file, target.parts_url, options)
  const { status, text } = await put(file, target, options)
  if (status >= 300) throw toTonearmError(status, parsedBody(text))
}

/**
 * Ends an upload that is not complete. The service deletes its bytes, and its track gets the status code
 * `upload_cancelled`.
 * @throws TonearmError when the service refuses, such as for a complete upload
 * @example
 * ```ts
 * await cancelUpload(target)
 * ```
 */
export async function cancelUpload(target: UploadTarget, { signal }: RequestOptions = {}): Promise<void> {
  signal?.throwIfAborted()
  if (target.parts_url) return cancelParts(target.parts_url, signal)
  if (!isResumable(target)) return
  const ending = Upload.terminate(target.upload_url, { retryDelays: RETRY_MS, ...(httpStack && { httpStack }) })
  await orAborted(ending, signal).catch((error: Error) => {
    throw readRefusal(error) ?? error
  })
}

/** Rejects with the signal's reason as soon as it is aborted. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** The service takes tus. A bucket takes one PUT, at an address that is presigned by AWS Signature Version 4. */
const isResumable = ({ upload_url }: UploadTarget) => !new URL(upload_url).searchParams.has('X-Amz-Signature')

function sendResumable(file: Blob, { upload_url }: UploadTarget, { onProgress, signal }: SendOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => void upload.abort().then(() => reject(signal?.reason), reject)
    const upload = new Upload(file, {
      uploadUrl: upload_url,
      retryDelays: RETRY_MS,
      storeFingerprintForResuming: false,
      // Announces the size with the last bytes: creating the track may have announced none.
      uploadLengthDeferred: true,
      onProgress: (sent) => onProgress?.(sent, file.size),
      onSuccess: () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      },
      onError: (error) => {
        signal?.removeEventListener('abort', stop)
        reject(readRefusal(error) ?? error)
      },
      ...(httpStack && { httpStack }),
      ...(!isBrowser && { fileReader: blobReader }),
      // Browsers send all bytes in one request. The default of Infinity does so, but WebKit slices nothing up to it.
      chunkSize: isBrowser ? Math.max(file.size, 1) : CHUNK_BYTES,
    })
    signal?.addEventListener('abort', stop, { once: true })
    upload.start()
  })
}

/** Codes of the statuses of an upload. The first request asks for the offset by HEAD, whose answer has no body. */
const codes: Record<number, string> = { 403: 'forbidden', 404: 'not_found', 409: 'upload_completed', 410: 'expired' }

function readRefusal(error: Error) {
  const response = error instanceof DetailedError ? error.originalResponse : null
  if (!response) return null
  const status = response.getStatus()
  return toTonearmError(status, parsedBody(response.getBody()) || { code: codes[status] })
}

/** Lets tus-js-client read Blobs outside of browsers, one chunk at a time. */
const blobReader = {
  openFile: async (input: unknown) => {
    const blob = input as Blob
    return {
      size: blob.size,
      slice: async (start: number, end: number) => {
        const bytes = new Uint8Array(await blob.slice(start, end).arrayBuffer())
        return { value: Object.assign(bytes, { size: bytes.length }), done: end >= blob.size }
      },
      close: () => {},
    }
  },
}

/** One PUT of a length that is not known before. */
async function sendStream(body: ReadableStream<Uint8Array>, target: UploadTarget, options: SendOptions): Promise<void> {
  if (!isResumable(target)) throw new TypeError('a bucket takes a file or bytes, no stream: its size must be known')
  let sent = 0
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        sent += chunk.byteLength
        options.onProgress?.(sent, sent)
        controller.enqueue(chunk)
      },
    }),
  )
  const { method, upload_url } = target
  // Browsers and Node require `duplex` for a stream.
  const init: RequestInit & { duplex: 'half' } = { method, body: counted, signal: options.signal, duplex: 'half' }
  const response = await fetch(upload_url, init)
  if (!response.ok) throw toTonearmError(response.status, parsedBody(await response.text()))
}
