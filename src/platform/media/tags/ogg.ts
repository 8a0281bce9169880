import { type FileHandle, open } from 'node:fs/promises'
import { notMade } from '../ffmpeg/output.ts'
import { bytesFrom, readAt, rewrite } from '../formats/rewrite.ts'
import type { TagContent } from './content.ts'
import { MAX_PAGE_BYTES, pageBytes, readSegments, readSerial, renumber, splitIntoPages } from './ogg-page.ts'
import type { Picture } from './picture.ts'
import { chapterComments, commentList, pictureBlock, toComments } from './vorbis.ts'

/** Start and end of a codec's comment packet, which is the second of its header packets, and their number. */
const codecs = {
  vorbis: { magic: Buffer.from('\x03vorbis', 'latin1'), end: Buffer.from([1]), headers: 3 },
  opus: { magic: Buffer.from('OpusTags', 'latin1'), end: Buffer.alloc(0), headers: 2 },
}
type Codec = keyof typeof codecs
/** Ample for the headers of a file without tags. */
const HEADERS_BYTES = 4 * MAX_PAGE_BYTES

/**
 * Replaces the comments of an Ogg file, including the picture. Granule positions, which declare the start and end of
 * the sound, are unchanged.
 * @throws MediaError `encoder_failed` for a file that is not Ogg
 */
export async function writeOgg(file: string, codec: Codec, { fields, chapters, picture }: TagContent) {
  const texts = [...fields.flatMap(toComments), ...chapterComments(chapters)]
  const comments = [...texts, ...(picture ? [pictureComment(picture)] : [])]
  const old = await readHeaders(file, codecs[codec].headers)
  const [identification, comment, ...setup] = old.packets
  if (!identification || !comment) throw notMade('the Ogg file lacks a header')
  const packet = commentPacket(codec, comment, comments)
  // A shorter packet is padded with zeros, which readers of both codecs ignore, so that the sound does not move.
  const fits = packet.length <= comment.length
  const filled = fits ? Buffer.concat([packet, Buffer.alloc(comment.length - packet.length)]) : packet
  const pages = splitIntoPages([filled, ...setup], old.serial, 1)
  const size = pages.reduce((sum, page) => sum + page.length, 0)
  if (pages.length === old.pages - 1 && size === old.end - old.second) {
    return overwrite(file, old.second, Buffer.concat(pages))
  }
  await rewrite(file, async function* (source) {
    yield* bytesFrom(source, 0, old.second)
    yield* pages
    yield* renumbered(source, old.end, pages.length + 1 - old.pages)
  })
}

interface Headers {
  packets: Buffer[]
  serial: number
  /** Number of pages. */
  pages: number
  /** Byte offsets of the second page and of the sound. */
  second: number
  end: number
}

async function readHeaders(file: string, count: number): Promise<Headers> {
  const source = await open(file, 'r')
  const bytes = await readAt(source, 0, HEADERS_BYTES).finally(() => source.close())
  const packets: Buffer[] = []
  const parts: Buffer[] = []
  let [second, pages, at] = [0, 0, 0]
  while (packets.length < count) {
    const length = pageLength(bytes, at)
    if (length === null) throw notMade('the headers of the Ogg file do not end')
    for (const { body, isEnd } of readSegments(bytes, at)) {
      parts.push(body)
      if (isEnd) packets.push(Buffer.concat(parts.splice(0)))
    }
    at += length
    pages += 1
    if (pages === 1) second = at
  }
  return { packets, serial: readSerial(bytes, 0), pages, second, end: at }
}

function pageLength(bytes: Buffer, at: number): number | null {
  try {
    return pageBytes(bytes, at)
  } catch (error) {
    throw notMade(`the Ogg file does not consist of pages: ${error}`)
  }
}

/** Returns the new comment packet. Keeps the vendor string, which is not a tag. */
function commentPacket(codec: Codec, old: Buffer, comments: readonly Buffer[]): Buffer {
  const { magic, end } = codecs[codec]
  const vendorEnd = magic.length + 4 + (old.length < magic.length + 4 ? 0 : old.readUInt32LE(magic.length))
  if (!old.subarray(0, magic.length).equals(magic) || vendorEnd > old.length) throw notMade('no comment header')
  return Buffer.concat([old.subarray(0, vendorEnd), commentList(comments), end])
}

const pictureComment = (picture: Picture): Buffer =>
  Buffer.from(`METADATA_BLOCK_PICTURE=${pictureBlock(picture).toString('base64')}`)

async function overwrite(file: string, at: number, bytes: Buffer): Promise<void> {
  const target = await open(file, 'r+')
  try {
    await target.write(bytes, 0, bytes.length, at)
  } finally {
    await target.close()
  }
}

/** Yields the pages from an offset on, with shifted sequence numbers. */
async function* renumbered(source: FileHandle, from: number, by: number) {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of bytesFrom(source, from)) {
    const bytes = Buffer.concat([rest, chunk])
    let at = 0
    for (let length = pageLength(bytes, at); length !== null; length = pageLength(bytes, at)) {
      renumber(bytes, at, length, by)
      at += length
    }
    yield bytes.subarray(0, at)
    rest = bytes.subarray(at)
  }
  if (rest.length > 0) throw notMade('the last page of the Ogg file is cut off')
}
