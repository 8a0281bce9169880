import { invalidInput } from '../../platform/errors.ts'
import { isPictureHead, SIGNATURE_BYTES } from '../../platform/media/cover/signature.ts'

/**
 * Reads the first bytes of a cover and returns all of them. The rest is read as it is taken.
 * @throws AppError `invalid_input` for bytes that are no JPEG, PNG, WebP or GIF; any error of the body
 */
export async function checkedPicture(chunks: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const source = chunks[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let bytes = 0
  while (bytes < SIGNATURE_BYTES) {
    const { done, value } = await source.next()
    if (done) break
    // A chunk is valid until the next one is requested.
    first.push(Uint8Array.from(value))
    bytes += value.byteLength
  }
  if (!isPictureHead(Buffer.concat(first.map((chunk) => chunk.subarray(0, SIGNATURE_BYTES))))) {
    await source.return?.()
    throw bytes === 0
      ? invalidInput('body', 'must not be empty')
      : invalidInput('body', 'must be a JPEG, PNG, WebP or GIF picture')
  }
  async function* all() {
    yield* first
    yield* { [Symbol.asyncIterator]: () => source }
  }
  return all()
}
