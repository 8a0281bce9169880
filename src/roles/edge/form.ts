import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { AppError, invalidInput } from '../../platform/errors.ts'

/** Bounds of everything in a form except the bytes of its file. */
const limits = { files: 1, fields: 20, fieldSize: 1024, fieldNameSize: 256, headerPairs: 50, headerSize: 8192 }

const malformed = () => invalidInput('body', 'must be multipart/form-data with one file')
const notOneFile = () => invalidInput('body', 'must hold exactly one file')

/**
 * Reads the one file of a form as it arrives, without ever having more than a few chunks of it in memory. Other fields
 * are ignored. The reader must take all of it: that there is no second file is known at the end.
 * @param contentType of the form, with its boundary
 * @throws AppError `invalid_input` for a body that is not a form with exactly one file; any error of `body`
 */
export async function* fileOfForm(contentType: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const form = openForm(contentType)
  const arrival = Promise.withResolvers<BusboyFileStream | null>()
  let file: BusboyFileStream | undefined
  let failure: unknown
  let hasMore = false
  form.on('file', (_: string, stream: BusboyFileStream) => {
    file = stream
    // The reader gets the error, too.
    stream.on('error', () => {})
    arrival.resolve(stream)
  })
  form.on('filesLimit', () => {
    hasMore = true
  })
  async function* source() {
    try {
      yield* body
    } catch (error) {
      failure = error
      throw error
    }
  }
  const reading = Readable.from(source())
  const parsing = pipeline(reading, form).then(
    () => arrival.resolve(null),
    (error) => {
      failure ??= error instanceof AppError ? error : malformed()
      // A form that breaks off within the file does not end the file.
      file?.destroy(error)
      arrival.resolve(null)
    },
  )
  try {
    const fileChunks = await arrival.promise
    if (fileChunks) yield* fileChunks
    await parsing
    if (failure) throw failure
    if (!file || hasMore) throw notOneFile()
  } catch (error) {
    throw failure ?? (error instanceof AppError ? error : malformed())
  } finally {
    // Of a reader that stops early, too.
    reading.destroy()
  }
}

function openForm(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits })
  } catch {
    throw malformed()
  }
}
