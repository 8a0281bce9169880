import type { Chapter } from '../chapter.ts'
import { notMade } from '../ffmpeg/output.ts'
import { box, findIndex, fullBox, listBoxes } from '../formats/mp4-box.ts'
import { bytesFrom, readAt, rewrite } from '../formats/rewrite.ts'
import { clippedUtf8 } from './clipped-utf8.ts'
import type { TagContent } from './content.ts'
import { findPlace, type TagField } from './fields.ts'
import { chapterTexts, withChapterTrack } from './mp4-chapters.ts'
import type { Picture } from './picture.ts'

/** Value types in iTunes' list (QuickTime File Format, "well-known types"). */
const [BINARY, TEXT, JPEG, PNG, INTEGER] = [0, 1, 13, 14, 21]

/**
 * Replaces the tags of an MP4 file with iTunes' list, and adds the chapters as QuickTime's track and Nero's list, because
 * players read one of them. The index keeps its position, and its chunk offsets are adjusted.
 * Edit lists, which declare the true length, are unchanged.
 * @throws MediaError `encoder_failed` for a file that is not MP4
 */
export function writeMp4(file: string, content: TagContent): Promise<void> {
  const { fields, chapters, picture } = content
  const items = [...fields.map(toItem), ...(picture ? [box('covr', data(pictureType(picture), picture.bytes))] : [])]
  const handler = fullBox('hdlr', Buffer.concat([Buffer.alloc(4), Buffer.from('mdirappl'), Buffer.alloc(9)]))
  const tags = fullBox('meta', Buffer.concat([handler, box('ilst', Buffer.concat(items))]))
  const list = box('udta', Buffer.concat([tags, ...(chapters.length > 0 ? [chapterList(chapters)] : [])]))
  return rewrite(file, async function* (source) {
    const { at, size } = await findIndex(source)
    const index = await readAt(source, at + 8, size - 8)
    const boxes = listBoxes(index).filter(({ type }) => type !== 'udta')
    const plain = Buffer.concat([...boxes.map(({ from, to }) => index.subarray(from, to)), list])
    const isDivided = chapters.length > 0
    const growth = (isDivided ? withChapterTrack(plain, content, 0) : plain).length + 8 - size
    moveChunks(plain, at, growth)
    yield* bytesFrom(source, 0, at)
    const textsAt = (await source.stat()).size + growth
    yield box('moov', isDivided ? withChapterTrack(plain, content, textsAt) : plain)
    yield* bytesFrom(source, at + size)
    if (isDivided) yield chapterTexts(chapters)
  })
}

const pictureType = ({ type }: Picture) => (type === 'image/png' ? PNG : JPEG)

const containers = new Set(['trak', 'mdia', 'minf', 'stbl'])

/** Adjusts the offsets of chunks after the index by the growth of the index. */
function moveChunks(body: Buffer, indexAt: number, by: number, start = 0, end = body.length): void {
  for (const { type, from, to } of listBoxes(body, start, end)) {
    if (containers.has(type)) moveChunks(body, indexAt, by, from + 8, to)
    if (type !== 'stco' && type !== 'co64') continue
    const width = type === 'stco' ? 4 : 8
    const count = body.readUInt32BE(from + 12)
    if (from + 16 + count * width > to) throw notMade('the chunk offsets of the MP4 file are cut off')
    for (let at = from + 16; at < from + 16 + count * width; at += width) moveOne(body, at, width, indexAt, by)
  }
}

function moveOne(body: Buffer, at: number, width: 4 | 8, indexAt: number, by: number): void {
  const offset = width === 4 ? body.readUInt32BE(at) : Number(body.readBigUInt64BE(at))
  if (offset < indexAt) return
  if (width === 8) body.writeBigUInt64BE(BigInt(offset + by), at)
  else if (offset + by > 0xffff_ffff) throw notMade('the MP4 file is too long for its chunk offsets')
  else body.writeUInt32BE(offset + by, at)
}

function toItem({ name, values }: TagField): Buffer {
  const [value] = values
  const place = findPlace(name, 'mp4') ?? `----:${name}`
  if (place.startsWith('----:')) return freeItem(place.slice(5), values)
  if (place === 'trkn' || place === 'disk') {
    const [, number, total = '0'] = /^(\d{1,5})(?:\/(\d{1,5}))?$/.exec(value) ?? []
    const pair = [Number(number), Number(total)]
    if (!pair.every(isShort)) return freeItem(name, [value])
    const body = Buffer.alloc(place === 'trkn' ? 8 : 6)
    pair.forEach((part, i) => {
      body.writeUInt16BE(part, 2 + 2 * i)
    })
    return box(place, data(BINARY, body))
  }
  if (place === 'tmpo') {
    const beats = Math.round(Number(value))
    return isShort(beats) ? box(place, data(INTEGER, Buffer.from([beats >> 8, beats & 255]))) : freeItem(name, [value])
  }
  if (place === 'cpil') return box(place, data(INTEGER, Buffer.from([value === '0' ? 0 : 1])))
  return box(place, textData(values))
}

/** One value atom for each value, as most taggers write them. Players that read only one show the first. */
const textData = (values: readonly string[]) => Buffer.concat(values.map((value) => data(TEXT, Buffer.from(value))))

const isShort = (value: number) => value >= 0 && value <= 0xffff

function freeItem(name: string, values: readonly string[]): Buffer {
  const words = [fullBox('mean', Buffer.from('com.apple.iTunes')), fullBox('name', Buffer.from(name))]
  return box('----', Buffer.concat([...words, textData(values)]))
}

const MAX_TITLE_BYTES = 255
/** Units of a chapter's start: 100 nanoseconds. */
const CHAPTER_UNITS = 10_000_000n

/** Nero's list of chapters: `chpl`, version 1. Titles are counted in one byte. */
function chapterList(chapters: readonly Chapter[]): Buffer {
  const entries = chapters.map(({ title, startSeconds }) => {
    const start = Buffer.alloc(8)
    start.writeBigUInt64BE((BigInt(Math.round(startSeconds * 1000)) * CHAPTER_UNITS) / 1000n)
    const text = clippedUtf8(title, MAX_TITLE_BYTES)
    return Buffer.concat([start, Buffer.from([text.length]), text])
  })
  const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, chapters.length])
  return box('chpl', Buffer.concat([head, ...entries]))
}

function data(type: number | undefined, value: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(type ?? 0)
  return box('data', Buffer.concat([head, value]))
}
