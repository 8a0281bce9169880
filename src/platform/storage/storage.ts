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
 * Where bytes lie. Keys are relative paths of safe characters; a key is whole or absent, never half written.
 * Two implementations: a folder, and a bucket.
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
  /** Makes a stored object readable as a local file inside `folder` and returns its path. */
  fetch(key: string, folder: string): Promise<string>
  /** The bytes from `start` up to and without `end`, or null when there is no such object. */
  read(key: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | Blob | null>
  /** Size in bytes, or null when there is no such object. */
  size(key: string): Promise<number | null>
  /** Removes objects; absent ones are no error. */
  remove(keys: readonly string[]): Promise<void>
  /** Removes what uploads left behind that a killed process took, and clients' that nobody asked for, last written before. */
  removeUnfinished(before: Date): Promise<void>
  /** Throws where nothing can be written. */
  check(): Promise<void>
  /** Present where clients upload past us, straight into storage. */
  presign?: PresignedUploads
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
