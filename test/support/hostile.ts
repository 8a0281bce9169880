import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeMedia } from './audio.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A malicious or damaged file and the reasons that are accepted for it. */
export interface Hostile {
  name: string
  /** The last one is `ready` where the remaining sound may be accepted. */
  reasons: string[]
  make: () => Promise<Bytes> | Bytes
}

/** Bytes that look random and are the same every time. */
export function noise(length: number, seed: string): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, i) =>
    createHash('sha256').update(`${seed}/${i}`).digest(),
  )
  return Buffer.concat(blocks).subarray(0, length)
}

const word = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A box of an ISO file. @param size the size it states, if other than the real one */
export function box(type: string, content: Buffer | Buffer[] = [], size?: number): Buffer {
  const body = Buffer.concat([content].flat())
  return Buffer.concat([word(size ?? body.length + 8), Buffer.from(type, 'latin1'), body])
}

/** A RIFF file with a format chunk and data of its choice. */
export function wave({ channels = 1, rate = 44_100, bits = 16, format = 1, data = Buffer.alloc(8820), dataSize = -1 }) {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE((36 + data.length) >>> 0, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(format, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE((rate * channels * (bits / 8)) >>> 0, 28)
  head.writeUInt16LE((channels * (bits / 8)) & 0xffff, 32)
  head.writeUInt16LE(bits, 34)
  head.write('data', 36)
  head.writeUInt32LE(dataSize < 0 ? data.length : dataSize, 40)
  return Buffer.concat([head, data])
}

const tone = (extension: string, args: string[] = [], seconds = 1) =>
  makeMedia(['-f', 'lavfi', '-i', `sine=d=${seconds}`, ...args], extension)

const change = async (from: Promise<Bytes>, how: (bytes: Buffer) => Buffer): Promise<Bytes> =>
  new Uint8Array(how(Buffer.from(await from)))

/** Replaces everything after the header by noise. */
const withRandomBody = (extension: string, headBytes: number, args: string[] = []) =>
  change(tone(extension, args), (bytes) =>
    Buffer.concat([bytes.subarray(0, headBytes), noise(bytes.length - headBytes, extension)]),
  )

/** Flips one bit in a few thousand. The seed selects which. */
function withFlippedBits(extension: string, args: string[], seed: string) {
  return change(tone(extension, args), (bytes) => {
    const places = noise(64, seed)
    for (let at = 0; at < 64; at += 4) {
      const place = places.readUInt32LE(at) % bytes.length
      bytes.writeUInt8((bytes[place] ?? 0) ^ (1 << (at % 8)), place)
    }
    return bytes
  })
}

/** An ID3 tag that claims a size, in front of something. */
const id3 = (size: number, then: Buffer) =>
  Buffer.concat([
    Buffer.from('ID3\x04\0\0', 'latin1'),
    Buffer.from([21, 14, 7, 0].map((bits) => (size >> bits) & 127)),
    then,
  ])

const manyTags = () => Array.from({ length: 10_000 }, (_, i) => `;tag ${i}\nT${i}=${i}`).join('\n')
const chapters = () =>
  Array.from({ length: 10_000 }, (_, i) => `[CHAPTER]\nTIMEBASE=1/100000\nSTART=${i}\nEND=${i + 1}\ntitle=${i}`).join(
    '\n',
  )

async function withMetadata(text: string, extension: string): Promise<Bytes> {
  const file = join(tmpdir(), `tonearm-metadata-${process.pid}.${extension}`)
  await Bun.write(file, `;FFMETADATA1\n${text}\n`)
  try {
    return await tone(extension, ['-f', 'ffmetadata', '-i', file, '-map_metadata', '1', '-map_chapters', '1'])
  } finally {
    await Bun.file(file).delete()
  }
}

const nested = () => {
  let inner = box('free', Buffer.alloc(8))
  for (let depth = 0; depth < 5000; depth++) inner = box('moov', box('trak', inner))
  return Buffer.concat([box('ftyp', Buffer.from('M4A \0\0\0\0M4A ')), inner])
}
const ftyp = box('ftyp', Buffer.from('M4A \0\0\0\0M4A '))

const damaged = ['truncated', 'corrupted', 'no_sound', 'not_audio', 'decoder_failed']
/** Damage that cannot be detected: the decodable sound is accepted. */
const perhaps = [...damaged, 'no_playable_file', 'ready']

const cut = ([extension, args]: [string, string[]], tenth: number): Hostile => ({
  name: `${tenth} tenths.${extension}`,
  reasons: perhaps,
  make: () => change(tone(extension, args), (bytes) => bytes.subarray(0, Math.max(1, (bytes.length * tenth) / 10))),
})

export const hostiles: Hostile[] = [
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((tenth) =>
    cut(tenth % 2 ? ['flac', []] : ['m4a', ['-movflags', '+faststart']], tenth),
  ),
  ...['mp3', 'ogg', 'wav', 'mka'].map((extension) => cut([extension, []], 5)),
  ...['flac', 'mp3', 'ogg', 'm4a', 'wav'].map((extension, i) => ({
    name: `bits.${extension}`,
    reasons: perhaps,
    make: () => withFlippedBits(extension, [], `flips ${i}`),
  })),
  { name: 'body.flac', reasons: perhaps, make: () => withRandomBody('flac', 8300) },
  { name: 'body.m4a', reasons: perhaps, make: () => withRandomBody('m4a', 60) },
  { name: 'body.ogg', reasons: perhaps, make: () => withRandomBody('ogg', 4000) },
  { name: 'body.mp3', reasons: perhaps, make: () => withRandomBody('mp3', 1200) },
  { name: 'random.mp3', reasons: ['not_audio'], make: () => new Uint8Array(noise(200_000, 'random')) },
  { name: 'zeros.mp3', reasons: ['not_audio'], make: () => new Uint8Array(100_000_000) },
  {
    name: 'channels.wav',
    reasons: ['too_many_channels', 'corrupted'],
    make: () => new Uint8Array(wave({ channels: 65_535 })),
  },
  { name: 'sixty-five.wav', reasons: ['too_many_channels'], make: () => new Uint8Array(wave({ channels: 65 })) },
  { name: 'slow.wav', reasons: ['unsupported_sample_rate'], make: () => new Uint8Array(wave({ rate: 1 })) },
  {
    name: 'fast.wav',
    reasons: ['unsupported_sample_rate', 'corrupted'],
    make: () => new Uint8Array(wave({ rate: 4_000_000_000 })),
  },
  {
    name: 'no rate.wav',
    reasons: ['corrupted', 'unsupported_sample_rate'],
    make: () => new Uint8Array(wave({ rate: 0 })),
  },
  { name: 'codec.wav', reasons: ['unsupported_codec'], make: () => new Uint8Array(wave({ format: 0x4242 })) },
  { name: 'huge.wav', reasons: ['ready'], make: () => new Uint8Array(wave({ dataSize: 0xfffffff0 })) },
  {
    name: 'silent.wav',
    reasons: ['no_sound', 'truncated'],
    make: () => new Uint8Array(wave({ data: Buffer.alloc(0) })),
  },
  { name: 'header.wav', reasons: ['truncated'], make: () => new Uint8Array(wave({}).subarray(0, 36)) },
  {
    name: 'long.wav',
    reasons: ['too_long', 'unsupported_sample_rate'],
    make: () => new Uint8Array(wave({ rate: 1000, bits: 8, data: Buffer.alloc(1000 * 43_300, 128) })),
  },
  {
    name: 'tag.mp3',
    reasons: ['not_audio', 'no_sound', 'corrupted', 'truncated'],
    make: () => new Uint8Array(id3(200_000_000, noise(5000, 'tag'))),
  },
  { name: 'tags.flac', reasons: ['ready'], make: () => withMetadata(manyTags(), 'flac') },
  { name: 'chapters.mka', reasons: ['ready'], make: () => withMetadata(chapters(), 'mka') },
  { name: 'nested.m4a', reasons: ['not_audio', ...damaged], make: () => new Uint8Array(nested()) },
  {
    name: 'zero.m4a',
    reasons: damaged,
    make: () => new Uint8Array(Buffer.concat([ftyp, box('moov', box('trak', [], 0), 0)])),
  },
  {
    name: 'tiny.m4a',
    reasons: damaged,
    make: () => new Uint8Array(Buffer.concat([ftyp, box('moov', box('trak', [], 1), 4)])),
  },
  {
    name: 'endless.m4a',
    reasons: damaged,
    make: () => new Uint8Array(Buffer.concat([ftyp, box('moov', box('trak'), 0xffffffff)])),
  },
  {
    name: 'streams.mka',
    reasons: ['too_many_streams'],
    make: () => tone('mka', [...Array(65).fill(['-map', '0:a']).flat(), '-c:a', 'pcm_s16le'], 0.1),
  },
  {
    name: 'drm.m4p',
    reasons: ['encrypted'],
    make: () => change(tone('m4a'), (bytes) => renamed(bytes, 'mp4a', 'drms')),
  },
  {
    name: 'cenc.mp4',
    reasons: ['encrypted'],
    make: () => tone('mp4', ['-c:a', 'aac', '-encryption_scheme', 'cenc-aes-ctr', ...keys]),
  },
  {
    name: 'drm.wma',
    reasons: ['encrypted'],
    make: () =>
      change(tone('wma'), (bytes) =>
        renamed(
          bytes,
          '\xb5\x03\xbf\x5f\x2e\xa9\xcf\x11\x8e\xe3\x00\xc0\x0c\x20\x53\x65',
          '\xfb\xb3\x11\x22\x23\xbd\xd2\x11\xb4\xb7\x00\xa0\xc9\x55\xfc\x6e',
        ),
      ),
  },
  {
    name: 'book.aax',
    reasons: ['encrypted'],
    make: () => change(tone('m4a'), (bytes) => renamed(bytes, 'M4A ', 'aax ')),
  },
  {
    name: 'book.aa',
    reasons: ['encrypted'],
    make: () => new Uint8Array(Buffer.concat([Buffer.from('0000100057907536', 'hex'), noise(5000, 'aa')])),
  },
  {
    name: 'sound.mka',
    reasons: ['unsupported_codec'],
    make: () => tone('mka', ['-c:a', 'g723_1', '-b:a', '6300', '-ar', '8000', '-ac', '1']),
  },
]

const keys = [
  '-encryption_key',
  '00112233445566778899aabbccddeeff',
  '-encryption_kid',
  '00112233445566778899aabbccddeeff',
]

function renamed(bytes: Buffer, from: string, to: string): Buffer {
  const at = bytes.indexOf(Buffer.from(from, 'latin1'))
  if (at < 0) throw new Error(`${from} is not there`)
  bytes.write(to, at, 'latin1')
  return bytes
}
