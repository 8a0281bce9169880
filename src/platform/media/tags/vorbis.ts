import type { Chapter } from '../chapter.ts'
import { findPlace, type TagField } from './fields.ts'
import { FRONT_COVER, type Picture, readShape } from './picture.ts'

// Vorbis comments and FLAC's picture block, which Ogg and FLAC share.

/** One comment for each value. Names are ASCII without `=` (Vorbis I, 5.2.2). */
export function toComments({ name, values }: TagField): Buffer[] {
  const key = findPlace(name, 'vorbis') ?? name.replaceAll(/[^\x20-\x7d]|=/g, '_')
  return values.map((value) => Buffer.from(`${key}=${value}`))
}

/** Chapters as comments (`CHAPTER001=00:00:00.000`, `CHAPTER001NAME`, `CHAPTER001URL`). */
export const chapterComments = (chapters: readonly Chapter[]): Buffer[] =>
  chapters.flatMap(({ title, startSeconds, url }, at) => {
    const name = `CHAPTER${String(at + 1).padStart(3, '0')}`
    const texts = [
      `${name}=${formatClock(startSeconds)}`,
      `${name}NAME=${title}`,
      ...(url ? [`${name}URL=${url}`] : []),
    ]
    return texts.map((text) => Buffer.from(text))
  })

function formatClock(startSeconds: number): string {
  const ms = Math.round(startSeconds * 1000)
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60]
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}.${String(ms % 1000).padStart(3, '0')}`
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
  const { width, height, depth, colors } = readShape(picture)
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
