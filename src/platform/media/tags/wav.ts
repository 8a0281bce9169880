import { open } from 'node:fs/promises'
import { notMade } from '../ffmpeg/output.ts'
import { readAt, writeAll } from '../formats/rewrite.ts'
import type { TagContent } from './content.ts'
import type { TagField } from './fields.ts'
import { id3Tag } from './id3.ts'

/** Names of RIFF's INFO list, by the standard name of a tag. */
const infoNames: Readonly<Record<string, string>> = {
  title: 'INAM',
  artist: 'IART',
  album: 'IPRD',
  genre: 'IGNR',
  date: 'ICRD',
  track: 'ITRK',
  comment: 'ICMT',
  copyright: 'ICOP',
  language: 'ILNG',
}

const HEAD_BYTES = 8
/** The chunk that ffmpeg reserves for 64-bit sizes with `-rf64 auto`: `JUNK`, or `ds64` if it needed them. */
const SIZES_BYTES = 28
const SIZES_AT = 12
const FORMAT_AT = SIZES_AT + HEAD_BYTES + SIZES_BYTES
const FRAME_BYTES_AT = FORMAT_AT + HEAD_BYTES + 12
/** Room for the format, which is the longest of the extensible ones, and the header of the sound. */
const MAX_HEADER_BYTES = FORMAT_AT + HEAD_BYTES + 40 + HEAD_BYTES
/** Stands for a size that `ds64` has. */
const IN_SIZES = 0xffff_ffff

const SEPARATOR = '; '
/** INFO has no encoding: programs take other characters for those of a code page, and prefer them to the ID3 tag. */
const ASCII = /^[\x20-\x7e\n\r\t]*$/

/**
 * Replaces the tags of a WAV file, after its sound: RIFF's INFO list, which has nine of their names and
 * those in ASCII, and an ID3v2.4 tag with all of them, the chapters and the picture. A file that exceeds 4 GiB becomes RF64. Changes the file in place.
 * @param file as ffmpeg writes it with `-rf64 auto`
 * @throws MediaError `encoder_failed` for another file
 * @see EBU Tech 3306; Multimedia Programming Interface and Data Specifications 1.0
 */
export async function writeWav(file: string, content: TagContent): Promise<void> {
  const tags = Buffer.concat([chunk('LIST', infoList(content.fields)), chunk('id3 ', id3Tag(content))])
  const target = await open(file, 'r+')
  try {
    const header = await readAt(target, 0, MAX_HEADER_BYTES)
    const sound = readSound(header)
    const end = sound.at + sound.bytes + (sound.bytes % 2)
    await target.truncate(end)
    await writeAll(target, tags, end)
    setSizes(header, sound, end + tags.length - HEAD_BYTES)
    await writeAll(target, header.subarray(0, sound.at), 0)
  } finally {
    await target.close()
  }
}

interface Sound {
  /** Offset in the file. */
  at: number
  bytes: number
}

function readSound(header: Buffer): Sound {
  const nameAt = (at: number) => header.toString('latin1', at, at + 4)
  const form = `${nameAt(0)} ${nameAt(8)} ${nameAt(SIZES_AT)} ${nameAt(FORMAT_AT)}`
  const isKnown = header.length >= FORMAT_AT + HEAD_BYTES && /^(RIFF WAVE JUNK|RF64 WAVE ds64) fmt $/.test(form)
  const at = isKnown ? FORMAT_AT + HEAD_BYTES + header.readUInt32LE(FORMAT_AT + 4) + HEAD_BYTES : 0
  if (at > header.length || nameAt(at - HEAD_BYTES) !== 'data') throw notMade('the WAV file has another form')
  const size = header.readUInt32LE(at - 4)
  const bytes = size === IN_SIZES ? Number(header.readBigUInt64LE(SIZES_AT + HEAD_BYTES + 8)) : size
  return { at, bytes }
}

/** Writes the size of the file, in the reserved chunk if it needs 64 bits or the sound does. */
function setSizes(header: Buffer, { at, bytes }: Sound, fileBytes: number): void {
  if (fileBytes < IN_SIZES) return void header.writeUInt32LE(fileBytes, 4)
  const frames = Math.floor(bytes / header.readUInt16LE(FRAME_BYTES_AT))
  header.write('RF64', 0, 'latin1')
  header.write('ds64', SIZES_AT, 'latin1')
  for (const [i, size] of [fileBytes, bytes, frames].entries()) {
    header.writeBigUInt64LE(BigInt(size), SIZES_AT + HEAD_BYTES + 8 * i)
  }
  header.writeUInt32LE(IN_SIZES, 4)
  header.writeUInt32LE(IN_SIZES, at - 4)
}

function infoList(fields: readonly TagField[]): Buffer {
  const items = fields.flatMap(({ name, values }) => {
    const id = infoNames[name]
    const text = values.join(SEPARATOR)
    return id && ASCII.test(text) ? [chunk(id, Buffer.from(`${text}\0`))] : []
  })
  return Buffer.concat([Buffer.from('INFO'), ...items])
}

/** Chunks begin at even offsets. */
function chunk(id: string, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(id, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}
