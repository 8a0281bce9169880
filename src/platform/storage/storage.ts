/** Size and hash of a received upload. */
export interface Received {
  bytes: number
  /** Lower-case hexadecimal. */
  sha256: string
}

/** Thrown when an upload exceeds its limit. */
export class TooLargeError extends Error {
  override name = 'TooLargeError'
}

/**
 * A storage fault: unreachable, full or not writable. Never the fault of the client or the recording. The same call may
 * succeed later.
 */
export class StorageError extends Error {
  override name = 'StorageError'
  /** Such as `put`. */
  readonly operation: string
  /** Null when several or no objects are concerned. */
  readonly key: string | null
  /** HTTP status of a bucket. Null without an answer, and for a folder. */
  readonly status: number | null

  constructor(operation: string, key: string | null, cause: unknown) {
    const { code, message, status } = (cause ?? {}) as { code?: unknown; message?: unknown; status?: unknown }
    super(`storage ${operation}${key === null ? '' : ` ${key}`}: ${code ?? ''} ${message ?? cause}`, { cause })
    this.operation = operation
    this.key = key
    this.status = typeof status === 'number' ? status : null
  }
}

// Error codes of a disk. None of them can originate from the connection of a received body.
const diskErrors = /^(ENOSPC|EDQUOT|EIO|EROFS|ENOENT|ENOTDIR|EACCES|EPERM|EMFILE|ENFILE|ESTALE|ENODEV|ENXIO|EFBIG)$/

/** Converts a disk error to a StorageError. Returns an error of the received body unchanged. */
export function asStorageError(operation: string, error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && diskErrors.test(code) ? new StorageError(operation, null, error) : error
}

/**
 * Converts any failure of a storage operation to a StorageError.
 * @throws StorageError; TooLargeError unchanged
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
 * Stores objects by key. Keys are relative paths of safe characters. An object is complete or absent, never partial.
 * Two implementations: a folder and an S3 bucket. Every method throws StorageError when storage fails, and also when its
 * `signal` has ended it.
 */
export interface Storage {
  /**
   * Receives a stream and hashes it. The object does not exist until `commit`; `discard` removes the bytes of an
   * uncommitted one. One of them must be called.
   * @param body no chunk is used after the next one is requested
   * @throws TooLargeError as soon as more than `maxBytes` have arrived
   */
  receive(key: string, body: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<Incoming>
  /** Stores a finished local file under a key, replacing an existing object. The local file may be moved. */
  put(key: string, localFile: string, contentType: string, signal?: AbortSignal): Promise<void>
  /** Copies an object to another key. */
  copy(from: string, to: string, signal?: AbortSignal): Promise<void>
  /**
   * Provides an object as a local file in `folder`, under a unique name. The file may be a link, so it must not be
   * written to, and `folder` must not be visible to media programs as a whole.
   * @returns path of the file
   */
  fetch(key: string, folder: string, signal?: AbortSignal): Promise<string>
  /**
   * Returns the bytes from `start` to `end` (exclusive), or null when storage answers that the object does not exist.
   */
  read(key: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | Blob | null>
  /**
   * Returns the bytes of a short range without waiting, in memory that the next call overwrites. Returns null for a longer
   * range, for an object that `read` has not read in the last seconds, and after any failure, which `read` then reports. For some seconds after an object was removed or replaced, it
   * may return its bytes. Present if objects are files.
   */
  readNow?(key: string, start: number, end: number): Uint8Array<ArrayBuffer> | null
  /** Returns the size in bytes, or null when storage answers that the object does not exist. */
  size(key: string, signal?: AbortSignal): Promise<number | null>
  /**
   * Removes objects. Absent objects are ignored.
   * @returns the failures; all other objects are removed
   */
  remove(keys: readonly string[], signal?: AbortSignal): Promise<RemovalFailure[]>
  /** Removes the files of uploads that ended with their process, last written before a time. */
  removeUnfinished(before: Date): Promise<void>
  /** @throws when storage is not writable */
  check(): Promise<void>
  /** Returns the free bytes. Null without a known limit. */
  freeBytes(): Promise<number | null>
  /** Present if storage supports uploads in pieces. */
  pieces?: PiecewiseUploads
  /** Present if clients can upload directly to storage. */
  presign?: PresignedUploads
}

export interface ReceiveOptions {
  maxBytes: number
  signal?: AbortSignal
}

/** An object that could not be removed. */
export interface RemovalFailure {
  key: string
  error: StorageError
}

/**
 * Uploads in pieces, possibly through several processes in turn. The caller decides how many bytes are valid and who
 * may write: there is one writer at a time.
 */
export interface PiecewiseUploads {
  /**
   * Appends a stream after the first `start` bytes and drops any bytes after those.
   * @param body no chunk is used after the next one is requested
   * @returns number of received bytes; they are durable
   * @throws TooLargeError as soon as more than `maxBytes` have arrived
   */
  append(id: string, start: number, body: AsyncIterable<Uint8Array>, options: AppendOptions): Promise<number>
  /** Returns the number of stored bytes, valid or not. */
  size(id: string): Promise<number>
  /**
   * Hashes the first `bytes`, to become an object by `commit`, which keeps them. Repeatable until `discard`.
   */
  finish(id: string, key: string, bytes: number): Promise<Incoming>
  discard(id: string): Promise<void>
}

export interface AppendOptions {
  /** Maximum number of received bytes. */
  maxBytes: number
  /** Awaited before each write. Nothing is written after it throws. */
  beforeWrite?: () => Promise<void>
  /** Called about once per second with the number of durable bytes. */
  onSafe?: (bytes: number) => Promise<void>
}

/** Direct uploads to the bucket. */
export interface PresignedUploads {
  /** Returns an address that accepts a PUT of raw bytes into `key` for a number of seconds. */
  putUrl(key: string, seconds: number): string
  /**
   * Lists up to 1,000 objects in the order of their keys.
   * @param token `next` of the page before. Null for the first page
   */
  list(prefix: string, token: string | null, signal?: AbortSignal): Promise<ListedPage>
  /** Returns the current version of an object, or null when it does not exist. */
  find(key: string, signal?: AbortSignal): Promise<UploadedObject | null>
  /**
   * Copies a version of an object to another key.
   * @returns false if the object has another version, or does not exist any more
   */
  copyVersion(from: string, to: string, version: UploadedObject, signal?: AbortSignal): Promise<boolean>
  /** Uploads whose parts a client sends in any order, each to an address of its own. */
  parts: MultipartUploads
}

/** An upload in parts of one object, which does not exist until the upload is completed. */
export interface MultipartUpload {
  key: string
  /** Name that the bucket gave it. */
  uploadId: string
}

export interface Part {
  /** From 1. */
  number: number
  bytes: number
}

/** A part that the bucket has. */
export interface StoredPart extends Part {
  etag: string
}

export interface MultipartUploads {
  begin(key: string): Promise<MultipartUpload>
  /**
   * Returns addresses that each accept a PUT of one part for a number of seconds, with exactly its bytes. The last one
   * counts. They end with the upload.
   */
  putUrls(upload: MultipartUpload, parts: readonly Part[], seconds: number): Promise<string[]>
  /** Returns the parts in order, or null if the upload was completed or aborted. */
  list(upload: MultipartUpload): Promise<StoredPart[] | null>
  /**
   * Makes the object exist.
   * @param parts all parts in order
   * @returns false if the upload was completed or aborted
   */
  complete(upload: MultipartUpload, parts: readonly StoredPart[]): Promise<boolean>
  /** Removes the parts. An upload that was completed or aborted is ignored. */
  abort(upload: MultipartUpload): Promise<void>
}

export interface ListedPage {
  objects: { key: string; bytes: number; modified: Date }[]
  /** Null on the last page. */
  next: string | null
}

export interface UploadedObject {
  bytes: number
  /** Names the version of the bytes. */
  etag: string
}

export interface Incoming extends Received {
  key: string
  /** Makes the object exist. */
  commit(): Promise<void>
  /** Removes the bytes, except those of a committed object. */
  discard(): Promise<void>
}
