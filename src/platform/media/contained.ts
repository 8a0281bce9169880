import { type FileHandle, open } from 'node:fs/promises'
import { readAt } from './formats/rewrite.ts'

/** More chunks than any recording has before its sound. */
const MAX_CHUNKS = 1000
/**
 * Programs that write to a pipe do not know the size. They write 0, this (sox), a little more (arecord) or all bits set
 * (ffmpeg), so a size from here on counts as unknown.
 */
const MIN_PLACEHOLDER = 0x7fff_f000

/** How a container stores its chunks. */
interface ChunkForm {
  /** Byte offset of the first chunk. */
  start: number
  idBytes: number
  sizeBytes: 4 | 8
  isLittleEndian: boolean
  /** Whether the size of a chunk includes its header. */
  countsHead: boolean
  alignment: number
  /** ID of the chunk that contains the sound. */
  soundId: string
}

const wave: ChunkForm = {
  start: 12,
  idBytes: 4,
  sizeBytes: 4,
  isLittleEndian: true,
  countsHead: false,
  alignment: 2,
  soundId: 'data',
}
/** By the first four bytes: WAV, its 64-bit forms (EBU Tech 3306), Wave64, Core Audio Format, AIFF and DSF. */
const forms: Record<string, ChunkForm> = {
  RIFF: wave,
  RF64: wave,
  BW64: wave,
  RIFX: { ...wave, isLittleEndian: false },
  riff: { start: 40, idBytes: 16, sizeBytes: 8, isLittleEndian: true, countsHead: true, alignment: 8, soundId: 'data' },
  caff: { start: 8, idBytes: 4, sizeBytes: 8, isLittleEndian: false, countsHead: false, alignment: 1, soundId: 'data' },
  FORM: { ...wave, isLittleEndian: false, soundId: 'SSND' },
  'DSD ': { start: 0, idBytes: 4, sizeBytes: 8, isLittleEndian: true, countsHead: true, alignment: 1, soundId: 'data' },
}

/**
 * Returns the share of the declared sound that a file contains whose header has the size of its sound: WAV (also RF64 and
 * W64), CAF, AIFF, DSF, AU. ffprobe derives the duration of most of these from the bytes that are present.
 * @param file local path
 * @returns 0 to 1; 1 for other containers and for unknown sizes
 */
export async function containedShare(file: string): Promise<number> {
  const source = await open(file, 'r')
  try {
    const magic = (await readAt(source, 0, 4)).toString('latin1')
    if (magic === '.snd') return await measureAuShare(source)
    const form = forms[magic]
    return form ? await measureShare(source, form) : 1
  } finally {
    await source.close()
  }
}

async function measureShare(source: FileHandle, form: ChunkForm): Promise<number> {
  const { size: end } = await source.stat()
  const headBytes = form.idBytes + form.sizeBytes
  let longSize: number | null = null
  for (let at = form.start, chunks = 0; at + headBytes <= end && chunks < MAX_CHUNKS; chunks++) {
    const head = await readAt(source, at, headBytes)
    const id = head.toString('latin1', 0, 4)
    const size = sizeIn(head, form)
    const body = at + headBytes
    if (id === form.soundId) {
      const announced = knownSize(longSize ?? size, longSize === null ? form.sizeBytes : 8)
      return announced === null ? 1 : Math.min(1, (end - body) / announced)
    }
    // RF64: size of the file, then size of the sound.
    if (id === 'ds64') longSize = await readLongSize(source, body + 8)
    at = body + Math.ceil(size / form.alignment) * form.alignment
  }
  return 1
}

/** The header of AU has the offset of the sound and its size. */
async function measureAuShare(source: FileHandle): Promise<number> {
  const head = await readAt(source, 0, 12)
  if (head.length < 12) return 1
  const announced = knownSize(head.readUInt32BE(8), 4)
  return announced === null
    ? 1
    : Math.max(0, Math.min(1, ((await source.stat()).size - head.readUInt32BE(4)) / announced))
}

/** Size of a chunk's body in bytes. */
function sizeIn(head: Buffer, { idBytes: at, sizeBytes, isLittleEndian, countsHead }: ChunkForm): number {
  if (sizeBytes === 4) return isLittleEndian ? head.readUInt32LE(at) : head.readUInt32BE(at)
  const size = Number(isLittleEndian ? head.readBigUInt64LE(at) : head.readBigUInt64BE(at))
  return countsHead ? Math.max(0, size - head.length) : size
}

async function readLongSize(source: FileHandle, at: number): Promise<number | null> {
  const bytes = await readAt(source, at, 8)
  return bytes.length === 8 ? Number(bytes.readBigUInt64LE()) : null
}

/** Returns null for a placeholder of an unknown size. */
function knownSize(size: number, sizeBytes: 4 | 8): number | null {
  const limit = sizeBytes === 4 ? MIN_PLACEHOLDER : Number.MAX_SAFE_INTEGER
  return size > 0 && size < limit ? size : null
}

/** The longest page is 65,307 bytes (RFC 3533, section 6), so this range contains a whole page unless junk follows. */
const TAIL_BYTES = 1 << 17
const [PAGE_HEAD_BYTES, TYPE_AT, SEGMENTS_AT, END_OF_STREAM] = [27, 5, 26, 4]

/**
 * Returns whether the last page of an Ogg file is truncated or lacks the end-of-stream mark. Live recordings often lack
 * it.
 * @param file local path
 * @returns false for files that are not Ogg
 */
export async function lacksEndOfStream(file: string): Promise<boolean> {
  const source = await open(file, 'r')
  try {
    if ((await readAt(source, 0, 4)).toString('latin1') !== 'OggS') return false
    const { size } = await source.stat()
    const tail = await readAt(source, Math.max(0, size - TAIL_BYTES), TAIL_BYTES)
    for (let at = tail.lastIndexOf('OggS'); at >= 0; at = at > 0 ? tail.lastIndexOf('OggS', at - 1) : -1) {
      if (isPage(tail, at)) return !isWholeEnd(tail, at)
    }
    return false
  } finally {
    await source.close()
  }
}

/** The letters may occur in sound by chance, so a version and a type must follow, unless the file ends there. */
const isPage = (tail: Buffer, at: number) => (tail[at + 4] ?? 0) === 0 && (tail[at + TYPE_AT] ?? 0) <= 7

function isWholeEnd(tail: Buffer, at: number): boolean {
  const body = at + PAGE_HEAD_BYTES + (tail[at + SEGMENTS_AT] ?? 0)
  const lengths = tail.subarray(at + PAGE_HEAD_BYTES, body)
  const bytes = lengths.reduce((sum, length) => sum + length, 0)
  return ((tail[at + TYPE_AT] ?? 0) & END_OF_STREAM) !== 0 && body + bytes <= tail.length
}
