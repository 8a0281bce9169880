import { open } from 'node:fs/promises'
import { notMade } from '../ffmpeg/output.ts'
import { bytesFrom, readAt, rewrite } from '../formats/rewrite.ts'
import type { TagContent } from './content.ts'
import { chapterComments, commentList, pictureBlock, toComments } from './vorbis.ts'

const MAGIC = Buffer.from('fLaC')
const HEADER_BYTES = 4
/** Types of metadata blocks (RFC 9639, 8.1). */
const STREAM_INFO = 0
const SEEK_TABLE = 3
const VORBIS_COMMENT = 4
const PICTURE = 6
const STREAM_INFO_BYTES = 34
/** Ample for a file of our encoder. */
const MAX_BLOCKS = 64

interface Block {
  type: number
  data: Buffer
}

/**
 * Replaces the comments and the picture of a FLAC file. The sound is unchanged.
 * @throws MediaError `encoder_failed` for a file that is not FLAC
 */
export async function writeFlac(file: string, { fields, chapters, picture }: TagContent): Promise<void> {
  const { blocks: old, end } = await readBlocks(file)
  const vendor = readVendor(old.find(({ type }) => type === VORBIS_COMMENT))
  const comments = [...fields.flatMap(toComments), ...chapterComments(chapters)]
  const blocks = [
    ...old.filter(({ type }) => type === STREAM_INFO || type === SEEK_TABLE),
    { type: VORBIS_COMMENT, data: Buffer.concat([vendor, commentList(comments)]) },
    ...(picture ? [{ type: PICTURE, data: pictureBlock(picture) }] : []),
  ]
  await rewrite(file, async function* (source) {
    yield MAGIC
    for (const [i, { type, data }] of blocks.entries()) {
      yield writeHeader(type, data.length, i === blocks.length - 1)
      yield data
    }
    yield* bytesFrom(source, end)
  })
}

/** The metadata blocks, and the offset of the sound. */
async function readBlocks(file: string): Promise<{ blocks: Block[]; end: number }> {
  const source = await open(file, 'r')
  try {
    if (!(await readAt(source, 0, MAGIC.length)).equals(MAGIC)) throw notMade('it is not a FLAC file')
    const blocks: Block[] = []
    let end = MAGIC.length
    for (let isLast = false; !isLast; ) {
      const header = await readAt(source, end, HEADER_BYTES)
      if (header.length < HEADER_BYTES || blocks.length === MAX_BLOCKS) throw notMade('the FLAC metadata does not end')
      const length = header.readUIntBE(1, 3)
      const data = await readAt(source, end + HEADER_BYTES, length)
      if (data.length < length) throw notMade('a FLAC metadata block is cut off')
      isLast = header.readUInt8(0) >= 0x80
      blocks.push({ type: header.readUInt8(0) & 0x7f, data })
      end += HEADER_BYTES + length
    }
    const [first] = blocks
    if (first?.type !== STREAM_INFO || first.data.length !== STREAM_INFO_BYTES) throw notMade('no FLAC stream info')
    return { blocks, end }
  } finally {
    await source.close()
  }
}

function writeHeader(type: number, length: number, isLast: boolean): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt8(isLast ? type | 0x80 : type)
  header.writeUIntBE(length, 1, 3)
  return header
}

/** The vendor string with its length. It is not a tag. */
function readVendor(comment: Block | undefined): Buffer {
  const length = comment && comment.data.length >= 4 ? 4 + comment.data.readUInt32LE(0) : 4
  return comment && length <= comment.data.length ? comment.data.subarray(0, length) : Buffer.alloc(4)
}
