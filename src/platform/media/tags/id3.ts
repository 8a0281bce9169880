import type { Chapter } from '../chapter.ts'
import { bytesFrom, readAt, rewrite } from '../formats/rewrite.ts'
import { clippedUtf8 } from './clipped-utf8.ts'
import type { TagContent } from './content.ts'
import { findPlace, type TagField } from './fields.ts'
import { FRONT_COVER, type Picture } from './picture.ts'

const HEADER_BYTES = 10
/** exiftool takes a tag that ends with a longer frame for a truncated one, unless padding follows, which music-metadata reports. */
const MAX_LAST_BYTES = 127
const PADDING_BYTES = 16
const UTF8 = 3
/** Comments and lyrics must declare a language, which sources seldom do; some players show only English ones. */
const LANGUAGE = 'eng'

/**
 * Replaces the tag of an MP3 file with an ID3v2.4 tag. The audio frames are unchanged, including the one with the
 * encoder's delay and padding.
 */
export function writeId3(file: string, content: TagContent): Promise<void> {
  return rewrite(file, async function* (source) {
    const head = await readAt(source, 0, HEADER_BYTES)
    yield id3Tag(content)
    yield* bytesFrom(source, tagBytes(head))
  })
}

/** An ID3v2.4 tag. */
export function id3Tag({ fields, chapters, picture, durationSeconds }: TagContent): Buffer {
  const texts = [...fieldFrames(fields), ...chapterFrames(chapters, durationSeconds)]
  const frames = Buffer.concat(endWithShort(picture ? [...texts, pictureFrame(picture)] : texts))
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), syncSafe(frames.length), frames])
}

/** Moves the last short frame to the end, or adds padding where no frame is short. */
function endWithShort(frames: readonly Buffer[]): Buffer[] {
  const at = frames.findLastIndex(({ length }) => length <= HEADER_BYTES + MAX_LAST_BYTES)
  const last = frames[at] ?? Buffer.alloc(PADDING_BYTES)
  return [...frames.filter((_, index) => index !== at), last]
}

/** Length of the tag at the start of a file, in bytes. */
function tagBytes(head: Buffer): number {
  if (head.length < HEADER_BYTES || head.toString('latin1', 0, 3) !== 'ID3') return 0
  return HEADER_BYTES + head.subarray(6, 10).reduce((size, byte) => size * 128 + (byte & 127), 0)
}

function fieldFrames(fields: readonly TagField[]): Buffer[] {
  const used = new Set<string>()
  return fields.flatMap((field) => {
    const place = findPlace(field.name, 'id3') ?? `TXXX:${field.name}`
    // Two fields may map to a frame that may occur only once.
    const id = used.has(place) ? `TXXX:${field.name}` : place
    used.add(id)
    return toFrames(id, field)
  })
}

function toFrames(id: string, { name, values }: TagField): Buffer[] {
  const [value] = values
  if (id === 'COMM' || id === 'USLT') return [frame(id, encoded(`${LANGUAGE}\0${value}`))]
  // A null character separates values (ID3v2.4 frames, 4.2).
  const all = values.join('\0')
  if (!id.startsWith('TXXX:')) return [frame(id, encoded(all))]
  const text = frame('TXXX', encoded(`${id.slice(5)}\0${all}`))
  // MusicBrainz's programs read the recording's ID from UFID, others from TXXX.
  const owner = `http://musicbrainz.org\0${value}`
  return name === 'musicbrainz_trackid' ? [frame('UFID', Buffer.from(owner)), text] : [text]
}

/**
 * Maximum length of a frame inside of a chapter. ffmpeg reads its length as a plain number and loses the chapter when
 * it is longer (5.1).
 */
const MAX_INNER_BYTES = 127
const NO_OFFSET = 0xffff_ffff

/** Chapters and their table of contents, which is top-level and ordered (ID3v2 Chapter Frame Addendum 1.0). */
function chapterFrames(chapters: readonly Chapter[], durationSeconds: number): Buffer[] {
  if (chapters.length === 0) return []
  const ids = chapters.map((_, at) => `chp${at}\0`)
  const frames = chapters.map(({ title, startSeconds, endSeconds, url }, at) => {
    const end = endSeconds ?? chapters[at + 1]?.startSeconds ?? Math.max(durationSeconds, startSeconds)
    const times = Buffer.alloc(16)
    const words = [milliseconds(startSeconds), milliseconds(end), NO_OFFSET, NO_OFFSET]
    for (const [i, word] of words.entries()) times.writeUInt32BE(word, 4 * i)
    const inner = [frame('TIT2', encoded(clippedUtf8(title, MAX_INNER_BYTES - 1))), ...linkFrames(url)]
    return frame('CHAP', Buffer.concat([Buffer.from(ids[at] ?? ''), times, ...inner]))
  })
  const contents = Buffer.concat([Buffer.from('toc\0'), Buffer.from([3, ids.length]), Buffer.from(ids.join(''))])
  return [frame('CTOC', contents), ...frames]
}

/** The address of a chapter. A long one is left out. */
function linkFrames(url: string | null): Buffer[] {
  const body = url === null ? null : Buffer.concat([encoded('\0'), Buffer.from(url, 'latin1')])
  return body && body.length <= MAX_INNER_BYTES ? [frame('WXXX', body)] : []
}

const milliseconds = (seconds: number) => Math.min(0xffff_fffe, Math.round(seconds * 1000))

const pictureFrame = ({ bytes, type }: Picture) =>
  frame('APIC', Buffer.concat([encoded(`${type}\0`), Buffer.from([FRONT_COVER, 0]), bytes]))

const encoded = (text: string | Buffer) => Buffer.concat([Buffer.from([UTF8]), Buffer.from(text)])

const frame = (id: string, body: Buffer) =>
  Buffer.concat([Buffer.from(id), syncSafe(body.length), Buffer.alloc(2), body])

/** Seven bits per byte, so that no length looks like the start of an audio frame (ID3v2.4 structure, 6.2). */
const syncSafe = (size: number) => Buffer.from([21, 14, 7, 0].map((shift) => (size >>> shift) & 127))
