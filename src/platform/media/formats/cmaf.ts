import { type FileHandle, open } from 'node:fs/promises'
import { notMade } from '../ffmpeg/output.ts'
import { box, boxAt, findIndex, fullBox, listBoxes, u32 } from './mp4-box.ts'
import { readAt, writeAll } from './rewrite.ts'

// Common Media Application Format (ISO/IEC 23000-19): an MP4 file in fragments, with an index of them.

/** Samples of a frame of AAC. */
const FRAME_SAMPLES = 1024
/** Length of a segment, as Apple's HLS authoring specification recommends. */
const SEGMENT_SECONDS = 6
/** A shorter rest is a part of the last segment. */
const LEAST_SECONDS = 0.5

/** Parts of a CMAF file. */
export interface CmafParts {
  /** Bytes before the index of segments: file type and description of the sound. */
  headerBytes: number
  /** Bytes of the index (`sidx`). The segments follow it. */
  indexBytes: number
}

/** A segment of a CMAF file. */
export interface Segment {
  /** Offset in the file. */
  at: number
  bytes: number
  seconds: number
}

/** The sound of an MP4 file: its frames and what a player needs to decode them. */
interface Sound {
  /** Hz, and the unit of all times. */
  sampleRate: number
  /** Samples that the encoder puts before the sound. */
  delay: number
  /** Samples of the sound without delay and padding. */
  samples: number
  /** Bytes of each frame. */
  frames: readonly number[]
  /** Offset of the first frame. The others follow it. */
  at: number
  /** Boxes that both forms of the file share, with their headers. */
  handler: Buffer
  soundHeader: Buffer
  dataInformation: Buffer
  description: Buffer
}

/**
 * Writes the sound of an MP4 file with AAC as a CMAF file. The frames are copied. Segments end at equal samples for
 * equal recordings and any bit rate, so that players may change between files at each end.
 * @param source local path of a file as our encoder writes it, after `setExactLength`
 * @param target local path
 * @throws MediaError `encoder_failed` for another file
 * @see ISO/IEC 14496-12, 8.8 (fragments) and 8.16.3 (index); ISO/IEC 23000-19, 7
 */
export async function writeCmaf(source: string, target: string): Promise<CmafParts> {
  await using input = await open(source, 'r')
  await using output = await open(target, 'w')
  const sound = await readSound(input)
  const segments = splitFrames(sound)
  const header = Buffer.concat([fileType, movie(sound)])
  const index = segmentIndex(sound, segments)
  await writeAll(output, Buffer.concat([header, index]))
  let at = sound.at
  for (const [number, segment] of segments.entries()) {
    const bytes = await readAt(input, at, segment.dataBytes)
    if (bytes.length < segment.dataBytes) throw notMade('the MP4 file is incomplete')
    await writeAll(output, Buffer.concat([fragment(segment, number + 1), box('mdat', bytes)]))
    at += segment.dataBytes
  }
  return { headerBytes: header.length, indexBytes: index.length }
}

/** Offsets of fields of version 0 after the header of their box (ISO/IEC 14496-12, 8.2.2, 8.4.2, 8.6.6, 8.7.3, 8.7.5). */
const [TIMESCALE, DURATION] = [12, 16]
const [EDIT_COUNT, EDIT_START] = [4, 12]
const [FRAME_BYTES, FRAME_COUNT, FRAME_TABLE] = [4, 8, 12]
const CHUNK_TABLE = 8

async function readSound(input: FileHandle): Promise<Sound> {
  const { at, size } = await findIndex(input)
  const index = await readAt(input, at + 8, size - 8)
  const inside = (...path: string[]) => boxAt(index, ...path)
  const whole = (parent: Buffer, type: string) => {
    const child = listBoxes(parent).find((entry) => entry.type === type)
    if (!child) throw notMade(`the MP4 file lacks ${type}`)
    return parent.subarray(child.from, child.to)
  }
  const [media, edits] = [inside('trak', 'mdia', 'mdhd'), inside('trak', 'edts', 'elst')]
  const information = inside('trak', 'mdia', 'minf')
  const tables = inside('trak', 'mdia', 'minf', 'stbl')
  if (media.readUInt8(0) !== 0 || edits.readUInt8(0) !== 0 || edits.readUInt32BE(EDIT_COUNT) !== 1)
    throw notMade('the MP4 index is unusual')
  const delay = edits.readUInt32BE(EDIT_START)
  return {
    sampleRate: media.readUInt32BE(TIMESCALE),
    delay,
    samples: media.readUInt32BE(DURATION) - delay,
    frames: readFrames(boxAt(tables, 'stsz')),
    at: readFirstChunk(tables),
    handler: whole(inside('trak', 'mdia'), 'hdlr'),
    soundHeader: whole(information, 'smhd'),
    dataInformation: whole(information, 'dinf'),
    description: whole(tables, 'stsd'),
  }
}

function readFrames(table: Buffer): number[] {
  const count = table.readUInt32BE(FRAME_COUNT)
  const equal = table.readUInt32BE(FRAME_BYTES)
  return Array.from({ length: count }, (_, n) => equal || table.readUInt32BE(FRAME_TABLE + 4 * n))
}

/** The chunks of a file with one track follow each other. */
function readFirstChunk(tables: Buffer): number {
  const isShort = listBoxes(tables).some(({ type }) => type === 'stco')
  const chunks = boxAt(tables, isShort ? 'stco' : 'co64')
  if (chunks.length < CHUNK_TABLE + (isShort ? 4 : 8)) throw notMade('the MP4 file has no sound')
  return isShort ? chunks.readUInt32BE(CHUNK_TABLE) : Number(chunks.readBigUInt64BE(CHUNK_TABLE))
}

/** Frames of one segment. */
interface Frames {
  /** Time of the first one, in samples from the delay's begin. */
  from: number
  sizes: readonly number[]
  dataBytes: number
  /** Samples, without the padding of the last frame. */
  samples: number
}

function splitFrames({ sampleRate, frames, delay, samples }: Sound): Frames[] {
  const perSegment = Math.round((SEGMENT_SECONDS * sampleRate) / FRAME_SAMPLES)
  const end = delay + samples
  // Frames after the end have padding only.
  const played = frames.slice(0, Math.ceil(end / FRAME_SAMPLES))
  if (played.length * FRAME_SAMPLES < end) throw notMade('the MP4 file has fewer frames than its length')
  const rest = Math.round((LEAST_SECONDS * sampleRate) / FRAME_SAMPLES)
  const segments = Math.max(1, Math.ceil((played.length - rest) / perSegment))
  return Array.from({ length: segments }, (_, n) => {
    const sizes = played.slice(n * perSegment, n === segments - 1 ? undefined : (n + 1) * perSegment)
    const from = n * perSegment * FRAME_SAMPLES
    const dataBytes = sizes.reduce((sum, size) => sum + size, 0)
    return { from, sizes, dataBytes, samples: Math.min(sizes.length * FRAME_SAMPLES, end - from) }
  })
}

const ascii = (text: string) => Buffer.from(text, 'latin1')
const withFlags = (type: string, version: number, flags: number, ...body: Buffer[]) =>
  box(type, Buffer.concat([u32(version * 0x100_0000 + flags), ...body]))

/** Brands: CMAF tracks with AAC, DASH, and the versions of the format that have what is used here. */
const fileType = box('ftyp', Buffer.concat([ascii('iso6'), u32(0), ascii('iso6mp41dashcmfccaac')]))

const TRACK = 1
const IDENTITY = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000]
/** In 16.16 and 8.8 bits: normal speed and volume. */
const [SPEED, VOLUME] = [0x10000, 0x100_0000]
/** Enabled, in the movie, in its preview. */
const TRACK_FLAGS = 7
/** Language "und" in 5 bits a letter, and 16 bits that are 0. */
const UNDETERMINED = 0x55c4_0000
/** `sample_depends_on` 2: a frame of AAC needs no other. */
const INDEPENDENT = 0x0200_0000

/** The description of a movie whose frames are in fragments. */
function movie({ sampleRate, delay, samples, ...shared }: Sound): Buffer {
  const none = u32(0)
  const tables = [
    shared.description,
    fullBox('stts', none),
    fullBox('stsc', none),
    fullBox('stsz', u32(0, 0)),
    fullBox('stco', none),
  ]
  const media = [
    fullBox('mdhd', u32(0, 0, sampleRate, 0, UNDETERMINED)),
    shared.handler,
    box('minf', Buffer.concat([shared.soundHeader, shared.dataInformation, box('stbl', Buffer.concat(tables))])),
  ]
  const track = [
    withFlags('tkhd', 0, TRACK_FLAGS, u32(0, 0, TRACK, 0, 0, 0, 0, 0, VOLUME, ...IDENTITY, 0, 0)),
    // The delay is skipped. A length of 0 is that of all fragments.
    box('edts', fullBox('elst', u32(1, 0, delay, SPEED))),
    box('mdia', Buffer.concat(media)),
  ]
  const fragments = [fullBox('mehd', u32(samples)), fullBox('trex', u32(TRACK, 1, FRAME_SAMPLES, 0, INDEPENDENT))]
  return box(
    'moov',
    Buffer.concat([
      fullBox('mvhd', u32(0, 0, sampleRate, 0, SPEED, VOLUME, 0, 0, ...IDENTITY, 0, 0, 0, 0, 0, 0, TRACK + 1)),
      box('trak', Buffer.concat(track)),
      box('mvex', Buffer.concat(fragments)),
    ]),
  )
}

/** A segment begins with a frame that needs no other. */
const STARTS_WITH_ACCESS_POINT = 0x9000_0000
/** `trun`: offset of the data, length and size of each frame; without lengths, all have that of `trex`. */
const [DATA_OFFSET, FRAME_LENGTHS, FRAME_SIZES] = [0x1, 0x100, 0x200]
/** `tfhd`: offsets count from the fragment. */
const BASE_IS_FRAGMENT = 0x02_0000

/** Times are those of the sound, so the first segment is shorter by the delay. */
function segmentIndex({ sampleRate, delay }: Sound, segments: readonly Frames[]): Buffer {
  const entries = segments.flatMap((segment) => [
    fragmentBytes(segment) + 8 + segment.dataBytes,
    segment.samples - (segment.from === 0 ? delay : 0),
    STARTS_WITH_ACCESS_POINT,
  ])
  return fullBox('sidx', u32(TRACK, sampleRate, 0, 0, segments.length, ...entries))
}

const isPadded = ({ sizes, samples }: Frames) => samples < sizes.length * FRAME_SAMPLES
const FRAGMENT_BYTES = 8 + 16 + 8 + 16 + 20 + 20
const fragmentBytes = (frames: Frames) => FRAGMENT_BYTES + frames.sizes.length * (isPadded(frames) ? 8 : 4)

function fragment(frames: Frames, number: number): Buffer {
  const { from, sizes, samples } = frames
  const hasLengths = isPadded(frames)
  const last = samples - (sizes.length - 1) * FRAME_SAMPLES
  const lengthAt = (n: number) => (n === sizes.length - 1 ? last : FRAME_SAMPLES)
  const table = sizes.flatMap((size, n) => (hasLengths ? [lengthAt(n), size] : [size]))
  const flags = DATA_OFFSET + FRAME_SIZES + (hasLengths ? FRAME_LENGTHS : 0)
  const run = [
    withFlags('tfhd', 0, BASE_IS_FRAGMENT, u32(TRACK)),
    withFlags('tfdt', 1, 0, u32(Math.floor(from / 2 ** 32), from % 2 ** 32)),
    withFlags('trun', 0, flags, u32(sizes.length, fragmentBytes(frames) + 8, ...table)),
  ]
  return box('moof', Buffer.concat([fullBox('mfhd', u32(number)), box('traf', Buffer.concat(run))]))
}

/** Entries of an index, after its header and eight 32-bit fields. */
const [ENTRIES, ENTRY_BYTES] = [32, 12]

/**
 * Returns the segments that the index of a CMAF file lists.
 * @param index the bytes of `sidx`
 * @param firstAt offset of the first segment in the file
 * @throws RangeError for bytes that are no index
 */
export function readSegments(index: Buffer, firstAt: number): Segment[] {
  const timescale = index.readUInt32BE(16)
  const count = index.readUInt16BE(ENTRIES - 2)
  let at = firstAt
  return Array.from({ length: count }, (_, n) => {
    const entry = ENTRIES + n * ENTRY_BYTES
    const bytes = index.readUInt32BE(entry)
    const segment = { at, bytes, seconds: index.readUInt32BE(entry + 4) / timescale }
    at += bytes
    return segment
  })
}
