/** What arrived in a place of storage. */
export interface Received {
  bytes: number
  /** Lower-case hex, of the bytes as they came. */
  sha256: string
}

/** Thrown while an upload runs into its limit. */
export class TooLargeError extends Error {
  override name = 'TooLargeError'
}

/**
 * A fault of storage: unreachable, full or not writable. It is never the client's or the recording's, and the same
 * call may succeed later.
 */
export class StorageError extends Error {
  override name = 'StorageError'

  /** @param operation what was attempted, such as `put` */
  constructor(operation: string, key: string | null, cause: unknown) {
    const { code, message } = (cause ?? {}) as { code?: unknown; message?: unknown }
    super(`storage ${operation}${key === null ? '' : ` ${key}`}: ${code ?? ''} ${message ?? cause}`, { cause })
  }
}

// Failures of a disk. None of them can come from the connection of a body that is being received.
const diskErrors = /^(ENOSPC|EDQUOT|EIO|EROFS|ENOENT|ENOTDIR|EACCES|EPERM|EMFILE|ENFILE|ESTALE|ENODEV|ENXIO|EFBIG)$/

/** A failure of the disk as StorageError; an error of the received body as it is. */
export function asStorageError(operation: string, error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && diskErrors.test(code) ? new StorageError(operation, null, error) : error
}

/**
 * Turns any failure of a storage operation into a StorageError.
 * @throws StorageError; TooLargeError as it is
 */
export async function guardStorage<T>(operation: string, key: string | null, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof TooLargeError || error instanceof StorageError) throw error
    throw new StorageError(operation, key, error)
  }
}

/**
 * Objects by key. Keys are relative paths of safe characters; an object is complete or absent, never half written.
 * Two implementations: a folder, and an S3 bucket. Every method throws StorageError when storage fails.
 */
export interface Storage {
  /**
   * Takes a stream into a place of its own, hashing on the way. Nothing of it can be seen under any key until
   * `commit(key)`; `discard` removes it. Either must be called.
   * @throws TooLargeError as soon as more than `maxBytes` have come
   */
  receive(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Incoming>
  /** Stores a finished local file under a key, replacing what was there; the local file may be gone afterwards. */
  put(key: string, localFile: string, contentType: string): Promise<void>
  /** Gives a stored object a second key. */
  copy(from: string, to: string): Promise<void>
  /**
   * Makes an object readable as a local file in `folder`, under a name of its own. The file may be a link: it must
   * not be written to, and `folder` must not be shown to media programs as a whole.
   * @returns the path of the file
   */
  fetch(key: string, folder: string): Promise<string>
  /** The bytes from `start` to `end` (exclusive), or null when storage answers that there is no such object. */
  read(key: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | Blob | null>
  /** Size in bytes, or null when storage answers that there is no such object. */
  size(key: string): Promise<number | null>
  /** Removes objects; absent ones are no error. */
  remove(keys: readonly string[]): Promise<void>
  /** Removes what uploads left behind that a killed process took, and clients' that nobody asked for, last written before. */
  removeUnfinished(before: Date): Promise<void>
  /** @throws when nothing can be written */
  check(): Promise<void>
  /** Bytes that may still be written; null where no limit is known. */
  freeBytes(): Promise<number | null>
  /** Present where uploads may come in pieces. */
  pieces?: PiecewiseUploads
  /** Present where clients upload past us, straight into storage. */
  presign?: PresignedUploads
}

/**
 * Uploads that come in pieces, possibly to several processes one after the other. How much of one counts, and who may
 * write to it, is decided elsewhere: there is one writer at a time.
 */
export interface PiecewiseUploads {
  /**
   * Puts a stream behind the first `start` bytes, dropping whatever lies there.
   * @returns how many bytes came; they are durable
   * @throws TooLargeError as soon as more than `maxBytes` have come
   */
  append(id: string, start: number, body: AsyncIterable<Uint8Array>, options: AppendOptions): Promise<number>
  /** Bytes that lie there, whether they count or not. */
  size(id: string): Promise<number>
  /** Takes the first `bytes` as the whole upload, and hashes them. */
  finish(id: string, bytes: number): Promise<Incoming>
  discard(id: string): Promise<void>
}

export interface AppendOptions {
  /** Of all bytes that come. */
  maxBytes: number
  /** Awaited before bytes go to the disk; nothing more is written once it throws. */
  beforeWrite?: () => Promise<void>
  /** Told about once a second, while bytes come, how many of them lie safely on the disk. */
  onSafe?: (bytes: number) => Promise<void>
}

/** Uploads that go straight to the bucket. */
export interface PresignedUploads {
  /** An address that takes one PUT of raw bytes into `key` for so long. */
  putUrl(key: string, seconds: number): string
}

export interface Incoming extends Received {
  commit(key: string): Promise<void>
  discard(): Promise<void>
}
