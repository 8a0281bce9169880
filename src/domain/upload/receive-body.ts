import type { Services } from '../../platform/context.ts'
import { AppError, invalidInput } from '../../platform/errors.ts'
import { type Incoming, TooLargeError } from '../../platform/storage/storage.ts'

/** The bytes of an upload and their announced number. */
export interface UploadBody {
  /** A chunk is valid until the next one is requested. */
  chunks: AsyncIterable<Uint8Array>
  /** Content-Length, or null for a chunked body. */
  declaredBytes: number | null
}

/** Rules for the body of an upload. */
interface BodyRules {
  /** Storage key for the bytes. */
  key: string
  maxBytes: number
  /** Number of bytes that was announced for the track. Null if unknown. */
  announcedBytes: number | null
  /** Observes or checks the bytes before they are stored. */
  read: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>
  /** Names the stored bytes in a row. */
  complete: (incoming: Incoming) => Promise<void>
}

/** The size and SHA-256 of an accepted upload. */
export type AcceptedUpload = Pick<Incoming, 'bytes' | 'sha256'>

/**
 * Stores the body of an upload. An interrupted upload leaves nothing.
 * @throws AppError `too_large`, `invalid_input`; errors of `read` and `complete`
 */
export async function receiveBody(
  { storage, metrics }: Services,
  { chunks, declaredBytes }: UploadBody,
  { key, maxBytes, announcedBytes, read, complete }: BodyRules,
): Promise<AcceptedUpload> {
  const tooLarge = new AppError('too_large', `body: must be at most ${maxBytes} bytes`)
  if (declaredBytes !== null && declaredBytes > maxBytes) throw tooLarge
  checkAnnounced(declaredBytes, announcedBytes)
  const incoming = await storage.receive(key, await read(chunks), { maxBytes }).catch((error) => {
    throw error instanceof TooLargeError ? tooLarge : error
  })
  try {
    checkBytes(incoming.bytes, declaredBytes)
    checkAnnounced(incoming.bytes, announcedBytes)
    await complete(incoming)
  } finally {
    await incoming.discard()
  }
  metrics.uploadedBytes.inc(incoming.bytes)
  return { bytes: incoming.bytes, sha256: incoming.sha256 }
}

function checkBytes(bytes: number, declaredBytes: number | null): void {
  if (bytes === 0) throw invalidInput('body', 'must not be empty')
  if (declaredBytes === null || bytes === declaredBytes) return
  throw invalidInput('body', `must have ${declaredBytes} bytes, as announced by Content-Length`)
}

function checkAnnounced(bytes: number | null, announcedBytes: number | null): void {
  if (bytes === null || announcedBytes === null || bytes === announcedBytes) return
  throw invalidInput('body', `must have ${announcedBytes} bytes, as announced for the track`)
}
