import { DefaultHttpStack } from 'tus-js-client'
import type { RequestOptions } from './rest.ts'

export interface SendOptions extends RequestOptions {
  /** Called with the bytes that were sent, and all bytes: of a stream, those that were sent so far. */
  onProgress?: (sent: number, total: number) => void
}

export const isBrowser = 'XMLHttpRequest' in globalThis

/** An address that takes bytes by one request. */
interface PutTarget {
  method: string
  upload_url: string
}

/** Sends bytes by one request. @throws the reason of the signal; an error of the network */
export const put = (file: Blob, target: PutTarget, options: SendOptions): Promise<{ status: number; text: string }> =>
  isBrowser ? putFromPage(file, target, options) : putByFetch(file, target, options)

async function putByFetch(file: Blob, { method, upload_url }: PutTarget, { onProgress, signal }: SendOptions) {
  const response = await fetch(upload_url, { method, body: file, signal })
  if (response.ok) onProgress?.(file.size, file.size)
  return { status: response.status, text: await response.text() }
}

/** A PUT with progress, which `fetch` does not report. */
async function putFromPage(file: Blob, { method, upload_url }: PutTarget, { onProgress, signal }: SendOptions) {
  const request = new DefaultHttpStack({}).createRequest(method, upload_url)
  request.setProgressHandler((sent) => onProgress?.(sent, file.size))
  let stop = () => {}
  // A request of the stack does not settle when it is aborted.
  const stopped = new Promise<never>((_, reject) => {
    stop = () => {
      void request.abort()
      reject(signal?.reason)
    }
  })
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const response = await Promise.race([request.send(file), stopped])
    return { status: response.getStatus(), text: response.getBody() }
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}
