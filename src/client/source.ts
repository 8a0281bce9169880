/** A recording: a `File` or another Blob, its bytes, or a stream of them, such as the body of an answer. */
export type UploadSource = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | ByteStream
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

export const isStream = (source: UploadSource): source is ByteStream =>
  !(source instanceof Blob) && !(source instanceof ArrayBuffer) && !ArrayBuffer.isView(source)

/** Bytes in memory as a Blob. */
export const toBlob = (source: Exclude<UploadSource, ByteStream>): Blob =>
  source instanceof Blob ? source : new Blob([source])

/** The last part of a file's path: the name of a `File` has no folders, that of `Bun.file` has. */
export const readFileName = (source: UploadSource): string =>
  (source as Partial<File>).name?.replace(/^.*[\\/]/, '') ?? 'recording'

/** The size of a source in bytes. Undefined for a stream. */
export const readSize = (source: UploadSource): number | undefined =>
  isStream(source) ? undefined : source instanceof Blob ? source.size : source.byteLength

/** A stream as `fetch` takes it. */
export function toReadable(source: ByteStream): ReadableStream<Uint8Array> {
  if (source instanceof ReadableStream) return source
  const iterator = source[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async (reason) => void (await iterator.return?.(reason)),
  })
}
