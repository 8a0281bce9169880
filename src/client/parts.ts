import { delay } from './delay.ts'
import { parsedBody, TonearmError, toTonearmError } from './error.ts'
import { put, type SendOptions } from './put.ts'
import type { Schemas } from './rest.ts'

/** Progress of an upload in parts. */
type UploadParts = Schemas['UploadParts']

/** Waits between tries of an upload that continues. The count starts again when bytes arrive. */
export const RETRY_MS = [0, 1000, 3000, 5000, 10_000, 20_000]
/** Parts that are sent at once. */
const PARALLEL = 3

/**
 * Sends a file to a bucket in parts, without those that it has.
 * @throws TonearmError when the service refuses; the failure of a part that has failed several times; the reason of the
 * signal
 * @param retryMs waits between tries without progress
 */
export async function sendInParts(
  file: Blob,
  partsUrl: string,
  { onProgress, signal }: SendOptions,
  retryMs: readonly number[] = RETRY_MS,
): Promise<void> {
  let mostBytes = -1
  for (let tries = 0; ; tries++) {
    let failure: unknown = null
    try {
      const state = await readState(partsUrl, file.size, signal)
      onProgress?.(state.uploaded_bytes, file.size)
      if (state.is_complete) return
      if (state.uploaded_bytes > mostBytes) tries = 0
      mostBytes = Math.max(mostBytes, state.uploaded_bytes)
      await sendEach(file, state, { onProgress, signal })
    } catch (error) {
      signal?.throwIfAborted()
      if (isFinal(error)) throw error
      failure = error
    }
    const wait = retryMs[tries]
    if (wait === undefined) throw failure ?? new Error('the bucket does not have the parts that it has taken')
    if (failure !== null) await delay(wait, signal)
  }
}

/** Cancels an upload in parts. @throws TonearmError when the service refuses */
export async function cancelParts(partsUrl: string, signal?: AbortSignal | null): Promise<void> {
  const response = await fetch(partsUrl, { method: 'DELETE', signal })
  if (!response.ok) throw toTonearmError(response.status, parsedBody(await response.text()))
}

/** Begins or continues an upload. It is completed when all parts have arrived. */
async function readState(partsUrl: string, bytes: number, signal: SendOptions['signal']): Promise<UploadParts> {
  const headers = { 'upload-length': String(bytes) }
  const response = await fetch(partsUrl, { method: 'POST', headers, signal })
  const body = parsedBody(await response.text())
  if (!response.ok) throw toTonearmError(response.status, body)
  return body as UploadParts
}

/** Sends the parts of a state, a few at once. Begins no more after a failure. */
async function sendEach(file: Blob, { uploaded_bytes, parts }: UploadParts, { onProgress, signal }: SendOptions) {
  const waiting = parts.values()
  const sentBytes = new Map<number, number>()
  let isFailed = false
  const sendNext = async () => {
    for (const { part_number, offset, bytes, ...target } of waiting) {
      if (isFailed) return
      const report = (sent: number) => {
        sentBytes.set(part_number, sent)
        onProgress?.(uploaded_bytes + sum(sentBytes.values()), file.size)
      }
      try {
        const { status, text } = await put(file.slice(offset, offset + bytes), target, { onProgress: report, signal })
        if (status >= 300) throw toTonearmError(status, parsedBody(text))
      } catch (error) {
        isFailed = true
        throw error
      }
    }
  }
  const results = await Promise.allSettled(Array.from({ length: PARALLEL }, sendNext))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Whether the service would refuse the same again. A bucket answers without a code, and a new address may be taken. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof TonearmError) || error.code === 'unknown') return false
  return error.status < 500 && error.status !== 423 && error.status !== 429
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0)
