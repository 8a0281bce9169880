import { makeHostMedia } from '../support/audio.ts'
import { isReadable } from '../support/tools.ts'
import { sweeps } from './compare.ts'
import { type Recording, unlessOld } from './uploads.ts'

/** A recording in a format that people upload, and what the service must find in it. */
export interface Format extends Recording {
  /** As named by ffprobe. */
  codec: string
  seconds: number
  channels: number
  /** The file does not state how much its encoder has added to fill its frames. */
  isPadded?: boolean
  isSilent?: boolean
}

const SECONDS = 1.2

/** Encoded by ffmpeg, with its name of the codec and the options that it takes. */
function encoded(name: string, codec: string, args: readonly string[] = [], rate = 44_100, channels = 1): Format {
  const [extension = ''] = name.split('.').slice(-1)
  const make = () => makeHostMedia([...sweeps(channels, { seconds: SECONDS, rate }), ...args], extension)
  return { name, codec, seconds: SECONDS, channels, make }
}
const padded = (...args: Parameters<typeof encoded>): Format => ({ ...encoded(...args), isPadded: true })

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
  name,
  codec,
  seconds,
  channels: 1,
  isSilent: true,
  make: async () => new Uint8Array(make()),
})

const stereo = (name: string, codec: string, args: readonly string[], rate: number) =>
  encoded(name, codec, args, rate, 2)
const deep = ['-c:a', 'flac', '-sample_fmt', 's32', '-bits_per_raw_sample', '24']

/** Sample rates and formats, with two channels. */
const rates: Format[] = [
  stereo('8000.wav', 'pcm_u8', ['-c:a', 'pcm_u8'], 8000),
  stereo('11025.wav', 'pcm_s16le', [], 11_025),
  stereo('16000.wav', 'pcm_alaw', ['-c:a', 'pcm_alaw'], 16_000),
  stereo('22050.mp3', 'mp3', ['-q:a', '2'], 22_050),
  stereo('24000.aiff', 'pcm_f32be', ['-c:a', 'pcm_f32be'], 24_000),
  stereo('32000.flac', 'flac', ['-frame_size', '4001'], 32_000),
  stereo('44100.mp3', 'mp3', ['-q:a', '2'], 44_100),
  stereo('44100.ogg', 'vorbis', ['-c:a', 'libvorbis', '-q:a', '6'], 44_100),
  stereo('44100.wv', 'wavpack', ['-sample_fmt', 'fltp'], 44_100),
  stereo('48000.wav', 'pcm_f64le', ['-c:a', 'pcm_f64le'], 48_000),
  stereo('48000.m4a', 'aac', [...aac, '-b:a', '192k'], 48_000),
  stereo('48000.opus', 'opus', ['-frame_duration', '60'], 48_000),
  stereo('48000-short.opus', 'opus', ['-frame_duration', '2.5'], 48_000),
  stereo('88200.flac', 'flac', deep, 88_200),
  stereo('96000.wav', 'pcm_s24le', ['-c:a', 'pcm_s24le'], 96_000),
  stereo('96000.m4a', 'alac', ['-c:a', 'alac', '-sample_fmt', 's32p'], 96_000),
  stereo('176400.wav', 'pcm_s32le', ['-c:a', 'pcm_s32le'], 176_400),
  stereo('192000.caf', 'pcm_f32le', ['-c:a', 'pcm_f32le'], 192_000),
  stereo('192000.w64', 'pcm_f32le', ['-c:a', 'pcm_f32le'], 192_000),
]

/**
 * Monkey's Audio, Musepack and TAK are not among them: nothing on a usual machine encodes them, and their decoders take
 * nothing that is easily written by hand.
 */
const formats: Format[] = [
  wav,
  encoded('eight.wav', 'pcm_u8', ['-c:a', 'pcm_u8']),
  encoded('deep.wav', 'pcm_s24le', ['-c:a', 'pcm_s24le']),
  encoded('float.wav', 'pcm_f32le', ['-c:a', 'pcm_f32le']),
  { ...encoded('surround.wav', 'pcm_s16le', ['-ac', '6']), channels: 6 },
  encoded('a.law.wav', 'pcm_mulaw', ['-c:a', 'pcm_mulaw'], 8000),
  encoded('adaptive.wav', 'adpcm_ms', ['-c:a', 'adpcm_ms']),
  padded('ima.wav', 'adpcm_ima_wav', ['-c:a', 'adpcm_ima_wav']),
  encoded('large.wav', 'pcm_s16le', ['-rf64', 'always']),
  padded('layer3.wav', 'mp3', ['-c:a', 'libmp3lame']),
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
  padded('pieces.mp4', 'aac', [...aac, '-movflags', 'frag_keyframe+empty_moov', '-frag_duration', '300000']),
  padded('a.aac', 'aac', aac),
  padded('a.mka', 'vorbis', ['-c:a', 'libvorbis']),
  encoded('a.webm', 'opus', ['-c:a', 'libopus'], 48_000),
  encoded('a.opus', 'opus', [], 48_000),
  encoded('a.spx', 'speex', ['-c:a', 'libspeex'], 16_000),
  padded('a.ac3', 'ac3'),
  padded('a.eac3', 'eac3'),
  padded('a.dts', 'dts', ['-c:a', 'dca', '-strict', '-2', '-ac', '1'], 48_000),
  padded('a.mp2', 'mp2'),
  padded('broadcast.ts', 'aac', aac),
  padded('layer3.ts', 'mp3', ['-c:a', 'libmp3lame']),
  padded('a.wma', 'wmav2'),
  mp3,
  padded('unmarked.mp3', 'mp3', ['-q:a', '5', '-write_xing', '0']),
  { ...changed(mp3, 'late.mp3', (bytes) => Buffer.concat([Buffer.alloc(1 << 20), bytes])), isPadded: true },
  {
    ...changed(mp3, 'joined.mp3', (bytes) => Buffer.concat([bytes, bytes])),
    seconds: 2 * SECONDS,
    isPadded: true,
  },
  encoded('late.mka', 'flac', ['-c:a', 'flac', '-output_ts_offset', '5']),
  encoded('film.mp4', 'aac', [...picture, ...aac, '-c:v', 'libx264', '-pix_fmt', 'yuv420p']),
  padded('film.mkv', 'vorbis', [...picture, '-c:a', 'libvorbis', '-c:v', 'libx264']),
  encoded('film.webm', 'opus', [...picture, '-c:a', 'libopus', '-c:v', 'libvpx'], 48_000),
  byHand('a.amr', 'amr_nb', 1.2, amr),
  byHand('wide.amr', 'amr_wb', 1.2, amrWide),
  byHand('a.dsf', 'dsd_lsbf_planar', (104 * 4096 * 8) / 2_822_400, dsf),
]

export const containers = unlessOld([...formats, ...rates], ['44100.ogg', 'broadcast.ts', 'layer3.ts']).filter(
  ({ name }) => isReadable(name),
)
