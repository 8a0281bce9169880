import { makeMedia } from './audio.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A recording in a format that people upload, and what ffprobe must report for it. */
export interface Format {
  name: string
  codec: string
  seconds: number
  channels?: number
  make: () => Promise<Bytes>
}

const SECONDS = 1.2
const sine = (rate = 44_100, seconds: number | string = SECONDS) => [
  ...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=${rate}:duration=${seconds}`],
]

/** Encoded by ffmpeg, with its name of the codec and the options that it takes. */
function encoded(name: string, codec: string, args: string[] = [], rate = 44_100): Format {
  const [extension = ''] = name.split('.').slice(-1)
  return { name, codec, seconds: SECONDS, channels: 1, make: () => makeMedia([...sine(rate), ...args], extension) }
}

/** Files made by ffmpeg and changed by hand. */
function changed(of: Format, name: string, change: (bytes: Buffer) => Uint8Array): Format {
  return { ...of, name, make: async () => new Uint8Array(change(Buffer.from(await of.make()))) }
}

const wav = encoded('plain.wav', 'pcm_s16le', ['-fflags', '+bitexact'])
const flac = encoded('plain.flac', 'flac')
const mp3 = encoded('plain.mp3', 'mp3', ['-b:a', '128k'])
const aac = ['-c:a', 'aac']
const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=5:duration=1.2']

/** A chunk whose size is odd, and hence followed by a byte that is not counted, in front of the format. */
const withOddChunk = (bytes: Buffer) =>
  Buffer.concat([bytes.subarray(0, 12), Buffer.from('junk\x05\0\0\0fives\0', 'latin1'), bytes.subarray(12)])

/** A recording written as a stream, without a length in its header. */
function withDataSize(size: number) {
  return (bytes: Buffer) => {
    const copy = Buffer.from(bytes)
    copy.writeUInt32LE(size, 4)
    copy.writeUInt32LE(size, copy.indexOf('data') + 4)
    return copy
  }
}

/** STREAMINFO's last 36 bits in front of the MD5 count the samples; none is for unknown. */
function withoutTotal(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt8((copy[21] ?? 0) & 0xf0, 21)
  copy.fill(0, 22, 26)
  return copy
}

/** Frames of silence: 12.2 kbit/s of AMR-NB, 20 ms each (RFC 4867, 5). */
const amr = () => Buffer.concat([Buffer.from('#!AMR\n'), ...Array(60).fill(Buffer.from([0x3c, ...Array(31).fill(0)]))])
const amrWide = () =>
  Buffer.concat([Buffer.from('#!AMR-WB\n'), ...Array(60).fill(Buffer.from([0x04, ...Array(17).fill(0)]))])

/** DSD64, one channel, in blocks of 4096 bytes, each a third of a tenth of a second (DSF specification 1.01). */
function dsf(): Buffer {
  const blocks = 104
  const data = Buffer.alloc(blocks * 4096, 0x69)
  const head = Buffer.alloc(92)
  head.write('DSD ', 0)
  head.writeBigUInt64LE(28n, 4)
  head.writeBigUInt64LE(BigInt(92 + data.length), 12)
  head.write('fmt ', 28)
  head.writeBigUInt64LE(52n, 32)
  for (const [at, value] of [
    [40, 1],
    [44, 0],
    [48, 1],
    [52, 1],
    [56, 2_822_400],
    [60, 1],
  ] as const) {
    head.writeUInt32LE(value, at)
  }
  head.writeBigUInt64LE(BigInt(data.length * 8), 64)
  head.writeUInt32LE(4096, 72)
  head.write('data', 80)
  head.writeBigUInt64LE(BigInt(12 + data.length), 84)
  return Buffer.concat([head, data])
}

const byHand = (name: string, codec: string, seconds: number, make: () => Buffer): Format => ({
  ...{ name, codec, seconds, channels: 1 },
  make: async () => new Uint8Array(make()),
})

/**
 * Monkey's Audio, Musepack and TAK are not among them: nothing on a usual machine encodes them, and their decoders take
 * nothing that is easily written by hand.
 */
export const formats: Format[] = [
  wav,
  encoded('eight.wav', 'pcm_u8', ['-c:a', 'pcm_u8']),
  encoded('deep.wav', 'pcm_s24le', ['-c:a', 'pcm_s24le']),
  encoded('float.wav', 'pcm_f32le', ['-c:a', 'pcm_f32le']),
  { ...encoded('surround.wav', 'pcm_s16le', ['-ac', '6']), channels: 6 },
  encoded('a.law.wav', 'pcm_mulaw', ['-c:a', 'pcm_mulaw'], 8000),
  encoded('adaptive.wav', 'adpcm_ms', ['-c:a', 'adpcm_ms']),
  encoded('ima.wav', 'adpcm_ima_wav', ['-c:a', 'adpcm_ima_wav']),
  encoded('large.wav', 'pcm_s16le', ['-rf64', 'always']),
  encoded('layer3.wav', 'mp3', ['-c:a', 'libmp3lame']),
  encoded('a.w64', 'pcm_s16le'),
  changed(wav, 'odd.wav', withOddChunk),
  changed(wav, 'streamed.wav', withDataSize(0xffffffff)),
  changed(wav, 'unfinished.wav', withDataSize(0)),
  encoded('a.aiff', 'pcm_s16be'),
  encoded('c.aiff', 'pcm_s16le', ['-c:a', 'pcm_s16le']),
  encoded('a.caf', 'pcm_s16be'),
  encoded('lossless.caf', 'alac', ['-c:a', 'alac']),
  encoded('a.au', 'pcm_s16be'),
  encoded('a.voc', 'pcm_u8', ['-c:a', 'pcm_u8'], 8000),
  flac,
  { ...encoded('eight.flac', 'flac', ['-ac', '8', '-sample_fmt', 's32'], 48_000), channels: 8 },
  changed(flac, 'uncounted.flac', withoutTotal),
  encoded('flac.ogg', 'flac', ['-c:a', 'flac']),
  encoded('a.tta', 'tta'),
  encoded('a.wv', 'wavpack'),
  encoded('lossless.m4a', 'alac', ['-c:a', 'alac']),
  encoded('a.m4a', 'aac', aac),
  encoded('front.m4a', 'aac', [...aac, '-movflags', '+faststart']),
  encoded('pieces.mp4', 'aac', [...aac, '-movflags', 'frag_keyframe+empty_moov', '-frag_duration', '300000']),
  encoded('a.aac', 'aac', aac),
  encoded('a.mka', 'vorbis', ['-c:a', 'libvorbis']),
  encoded('a.webm', 'opus', ['-c:a', 'libopus'], 48_000),
  encoded('a.opus', 'opus', [], 48_000),
  encoded('a.spx', 'speex', ['-c:a', 'libspeex'], 16_000),
  encoded('a.ac3', 'ac3'),
  encoded('a.eac3', 'eac3'),
  encoded('a.dts', 'dts', ['-c:a', 'dca', '-strict', '-2', '-ac', '1'], 48_000),
  encoded('a.mp2', 'mp2'),
  encoded('broadcast.ts', 'aac', aac),
  encoded('layer3.ts', 'mp3', ['-c:a', 'libmp3lame']),
  encoded('a.wma', 'wmav2'),
  mp3,
  encoded('unmarked.mp3', 'mp3', ['-q:a', '5', '-write_xing', '0']),
  changed(mp3, 'padded.mp3', (bytes) => Buffer.concat([Buffer.alloc(1 << 20), bytes])),
  {
    ...changed(mp3, 'joined.mp3', (bytes) => Buffer.concat([bytes, bytes])),
    seconds: 2 * SECONDS,
  },
  {
    ...encoded('late.mka', 'flac', ['-c:a', 'flac', '-output_ts_offset', '5']),
  },
  {
    ...encoded('film.mp4', 'aac', [...picture, ...aac, '-c:v', 'libx264', '-pix_fmt', 'yuv420p']),
  },
  byHand('a.amr', 'amr_nb', 1.2, amr),
  byHand('wide.amr', 'amr_wb', 1.2, amrWide),
  byHand('a.dsf', 'dsd_lsbf_planar', (104 * 4096 * 8) / 2_822_400, dsf),
]
