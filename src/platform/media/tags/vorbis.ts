import { type Field, placeOf } from './fields.ts'
import { FRONT_COVER, type Picture, shapeOf } from './picture.ts'

// Vorbis comments and FLAC's picture block, which Ogg and FLAC share.

/** Comment names are ASCII without `=` (Vorbis I, 5.2.2). */
export function commentOf({ name, value }: Field): Buffer {
  const key = placeOf(name, 'vorbis') ?? name.replaceAll(/[^\x20-\x7d]|=/g, '_')
  return Buffer.from(`${key}=${value}`)
}

/** The list of comments that follows the vendor string (Vorbis I, 5.2.1). */
export const commentList = (comments: readonly Buffer[]): Buffer =>
  Buffer.concat([
    littleEndian(comments.length),
    ...comments.flatMap((comment) => [littleEndian(comment.length), comment]),
  ])

function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** FLAC's picture block, without its header (RFC 9639, 8.8). */
export function pictureBlock(picture: Picture): Buffer {
  const { width, height, depth, colors } = shapeOf(picture)
  const type = Buffer.from(picture.type)
  const words = (...values: number[]) => {
    const bytes = Buffer.alloc(4 * values.length)
    values.forEach((value, i) => {
      bytes.writeUInt32BE(value, 4 * i)
    })
    return bytes
  }
  const NO_DESCRIPTION = 0
  const shape = words(NO_DESCRIPTION, width, height, depth, colors, picture.bytes.length)
  return Buffer.concat([words(FRONT_COVER, type.length), type, shape, picture.bytes])
}
