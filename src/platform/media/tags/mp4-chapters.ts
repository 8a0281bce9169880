import type { Chapter } from '../chapter.ts'
import { notMade } from '../ffmpeg/output.ts'
import { box, fullBox, listBoxes, u32 } from '../formats/mp4-box.ts'
import { clippedUtf8 } from './clipped-utf8.ts'

// QuickTime's chapters, the only ones that players of Apple show: a disabled track of texts, to which the track of the
// sound refers (QuickTime File Format Specification, "Chapter Lists" and "Text Media").

/** Units of the track's times per second. */
const TIMESCALE = 1000
const MAX_TITLE_BYTES = 255

/** Offsets of 32-bit fields of `mvhd`, version 0, after the header of the box (ISO 14496-12, 8.2.2). */
const [MOVIE_TIMESCALE, MOVIE_DURATION, NEXT_TRACK] = [12, 16, 96]

/** Returns the box of the texts, which belongs at the end of the file. */
export const chapterTexts = (chapters: readonly Chapter[]) => box('mdat', Buffer.concat(chapters.map(textSample)))

/**
 * Returns an index with a track of chapters.
 * @param index boxes inside `moov`, with one track
 * @param chapters at least one, in the order of their start
 * @param textsAt position of `chapterTexts` in the file. The length of the result is independent of it
 * @throws MediaError `encoder_failed` for another index, and for a file of more than 4 GiB
 */
export function withChapterTrack(
  index: Buffer,
  { chapters, durationSeconds }: { chapters: readonly Chapter[]; durationSeconds: number },
  textsAt: number,
): Buffer {
  const boxes = listBoxes(index).map(({ type, from, to }) => ({ type, bytes: index.subarray(from, to) }))
  const header = Buffer.from(boxes.find(({ type }) => type === 'mvhd')?.bytes ?? [])
  const isPlain = header.length === 8 + NEXT_TRACK + 4 && header.readUInt8(8) === 0
  if (!isPlain || boxes.filter(({ type }) => type === 'trak').length !== 1) throw notMade('the MP4 index is unusual')
  if (textsAt + 8 > 0xffff_ffff) throw notMade('the MP4 file is too long for its chunk offsets')
  const movie = header.subarray(8)
  const id = movie.readUInt32BE(NEXT_TRACK)
  const track = chapterTrack(chapters, {
    id,
    durationSeconds,
    textsAt,
    movieTimescale: movie.readUInt32BE(MOVIE_TIMESCALE),
    movieDuration: movie.readUInt32BE(MOVIE_DURATION),
  })
  movie.writeUInt32BE(id + 1, NEXT_TRACK)
  const changed = boxes.map(({ type, bytes }) => {
    if (type === 'mvhd') return header
    return type === 'trak' ? referringTo(id, bytes) : bytes
  })
  return Buffer.concat([...changed, track])
}

/** A track that names the track of its chapters. */
function referringTo(id: number, track: Buffer): Buffer {
  const reference = box('tref', box('chap', u32(id)))
  const children = listBoxes(track, 8).flatMap(({ type, from, to }) => {
    const bytes = track.subarray(from, to)
    return type === 'mdia' ? [reference, bytes] : [bytes]
  })
  return box('trak', Buffer.concat(children))
}

interface TrackOptions {
  id: number
  durationSeconds: number
  textsAt: number
  movieTimescale: number
  movieDuration: number
}

/** `tkhd` of a track that is part of the movie, but disabled: nothing shows its texts over the sound. */
const DISABLED = 2
const IDENTITY = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000]
/** Language "und" in 5 bits a letter. */
const UNDETERMINED = 0x55c4

function chapterTrack(chapters: readonly Chapter[], options: TrackOptions): Buffer {
  const { id, durationSeconds, textsAt, movieTimescale, movieDuration } = options
  const starts = chapters.map(({ startSeconds }) => Math.round(startSeconds * TIMESCALE))
  const end = Math.max(Math.round(durationSeconds * TIMESCALE), (starts.at(-1) ?? 0) + 1)
  const lengths = starts.map((start, at) => (starts[at + 1] ?? end) - start)
  const [first = 0] = starts
  const delay = Math.round((first * movieTimescale) / TIMESCALE)
  const edits = [...(delay > 0 ? [[delay, -1]] : []), [Math.max(0, movieDuration - delay), 0]] as [number, number][]
  const sizes = chapters.map((chapter) => textSample(chapter).length)
  const tables = box(
    'stbl',
    Buffer.concat([
      fullBox('stsd', Buffer.concat([u32(1), textDescription])),
      fullBox('stts', u32(lengths.length, ...lengths.flatMap((length) => [1, length]))),
      fullBox('stsc', u32(1, 1, sizes.length, 1)),
      fullBox('stsz', u32(0, sizes.length, ...sizes)),
      fullBox('stco', u32(1, textsAt + 8)),
    ]),
  )
  const itself = fullBox('dref', Buffer.concat([u32(1), box('url ', u32(1))]))
  return box(
    'trak',
    Buffer.concat([
      box('tkhd', u32(DISABLED, 0, 0, id, 0, movieDuration, 0, 0, 0, 0, ...IDENTITY, 0, 0)),
      box('edts', fullBox('elst', Buffer.concat([u32(edits.length), ...edits.map(edit)]))),
      box(
        'mdia',
        Buffer.concat([
          fullBox('mdhd', Buffer.concat([u32(0, 0, TIMESCALE, end - first), u16(UNDETERMINED, 0)])),
          fullBox('hdlr', Buffer.concat([u32(0), Buffer.from('text'), u32(0, 0, 0), Buffer.alloc(1)])),
          box('minf', Buffer.concat([textHeader, box('dinf', itself), tables])),
        ]),
      ),
    ]),
  )
}

function edit([duration, mediaTime]: [number, number]): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt32BE(duration)
  bytes.writeInt32BE(mediaTime, 4)
  bytes.writeUInt16BE(1, 8)
  return bytes
}

/** `gmhd`: no graphics mode, and the matrix of the text. */
const textHeader = box(
  'gmhd',
  Buffer.concat([fullBox('gmin', u16(0x40, 0x8000, 0x8000, 0x8000, 0, 0)), box('text', u32(...IDENTITY))]),
)

/** Black text without a box, font or name. */
const textDescription = box('text', Buffer.concat([u32(0), u16(0, 1), u32(1, 0), Buffer.alloc(36)]))

/** Length and text, and the statement that it is UTF-8. */
function textSample({ title }: Chapter): Buffer {
  const text = clippedUtf8(title, MAX_TITLE_BYTES)
  return Buffer.concat([u16(text.length), text, box('encd', u32(0x100))])
}

function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  values.forEach((value, at) => {
    bytes.writeUInt16BE(value, 2 * at)
  })
  return bytes
}
