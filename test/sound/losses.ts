import { makeHostMedia } from '../support/audio.ts'
import { noise } from '../support/hostile.ts'
import { isReadable } from '../support/tools.ts'
import { sweeps } from './compare.ts'
import { type Bytes, type Recording, unlessOld } from './uploads.ts'

/** Changes of the bytes of a recording. */
export const losses = {
  whole: (bytes: Buffer) => bytes,
  'cut at 10 %': (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * 0.1)),
  'cut at 50 %': (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * 0.5)),
  'cut at 95 %': (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * 0.95)),
  'without its last byte': (bytes: Buffer) => bytes.subarray(0, bytes.length - 1),
  'zeros in the middle': (bytes: Buffer) => {
    const copy = Buffer.from(bytes)
    return copy.fill(0, Math.floor(bytes.length * 0.55), Math.floor(bytes.length * 0.65))
  },
  'flipped bits': (bytes: Buffer) => {
    const copy = Buffer.from(bytes)
    const from = Math.floor(bytes.length * 0.6)
    for (const [at, byte] of noise(64, 'flipped').entries())
      copy.writeUInt8((copy[from + at] ?? 0) ^ (byte | 1), from + at)
    return copy
  },
} as const
export type Loss = keyof typeof losses

/** Why a loss cannot be found. */
export const reasons = {
  uncounted: 'the format has no length: every beginning of it is a whole recording',
  plain: 'its samples have no checksum: any bytes are sound',
  concealed: 'its frames have no checksum, and the decoder reads the bytes as others',
} as const
type Reason = keyof typeof reasons

interface Row extends Recording {
  format: string
  loss: Loss
  /** Why it is not named. Null when it is. */
  reason: Reason | null
}

const SECONDS = 4
/** So that the last byte is of the sound, or an index. */
const withoutTags = ['-fflags', '+bitexact']
type Impossible = Partial<Record<Loss, Reason>>
const cutsUncounted: Impossible = {
  'cut at 10 %': 'uncounted',
  'cut at 50 %': 'uncounted',
  'cut at 95 %': 'uncounted',
  'without its last byte': 'uncounted',
}
const plain: Impossible = { 'zeros in the middle': 'plain', 'flipped bits': 'plain' }
const concealed: Impossible = { 'flipped bits': 'concealed' }

/** Formats with the options of ffmpeg, and the losses that cannot be found in them. */
const formats: readonly (readonly [name: string, args: readonly string[], impossible?: Impossible])[] = [
  ['a.wav', [], plain],
  ['deep.wav', ['-c:a', 'pcm_s24le'], plain],
  ['adaptive.wav', ['-c:a', 'adpcm_ms'], { 'zeros in the middle': 'plain' }],
  ['long.wav', ['-rf64', 'always'], plain],
  ['a.w64', [], plain],
  ['a.aiff', [], plain],
  ['a.au', [], plain],
  ['a.caf', [], plain],
  ['lossless.caf', ['-c:a', 'alac'], concealed],
  ['a.flac', []],
  ['flac.oga', ['-c:a', 'flac']],
  ['a.tta', []],
  ['a.wv', []],
  ['lossless.m4a', ['-c:a', 'alac']],
  ['a.m4a', ['-c:a', 'aac']],
  ['front.m4a', ['-c:a', 'aac', '-movflags', '+faststart']],
  ['pieces.mp4', ['-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-frag_duration', '300000']],
  ['a.mp3', ['-b:a', '128k'], concealed],
  ['variable.mp3', ['-q:a', '3']],
  [
    'uncounted.mp3',
    ['-write_xing', '0'],
    { ...cutsUncounted, 'zeros in the middle': 'uncounted', 'flipped bits': 'concealed' },
  ],
  ['a.mka', ['-c:a', 'libvorbis']],
  ['opus.mka', ['-c:a', 'libopus'], concealed],
  ['a.webm', ['-c:a', 'libopus'], concealed],
  ['live.webm', ['-c:a', 'libopus', '-live', '1'], concealed],
  ['flac.mka', ['-c:a', 'flac']],
  ['a.ogg', ['-c:a', 'libvorbis', '-page_duration', '200000']],
  ['a.opus', ['-page_duration', '200000']],
  ['a.spx', ['-c:a', 'libspeex', '-ar', '16000']],
  ['a.wma', ['-c:a', 'wmav2'], concealed],
  ['a.aac', ['-c:a', 'aac'], cutsUncounted],
  ['a.ac3', []],
  ['a.mp2', [], { ...cutsUncounted, 'zeros in the middle': 'uncounted', 'flipped bits': 'concealed' }],
  ['a.ts', ['-c:a', 'aac', '-f', 'mpegts'], { ...cutsUncounted, 'zeros in the middle': 'uncounted' }],
]

const rows: Row[] = formats.flatMap(([format, args, impossible = {}]) => {
  const extension = format.split('.').at(-1) ?? ''
  let pending: Promise<Bytes> | null = null
  const make = () => {
    pending ??= makeHostMedia([...sweeps(1, { seconds: SECONDS, rate: 48_000 }), ...withoutTags, ...args], extension)
    return pending
  }
  return (Object.keys(losses) as Loss[]).map((loss) => ({
    name: `${format}, ${loss}`,
    format,
    loss,
    reason: impossible[loss] ?? null,
    make: async () => new Uint8Array(losses[loss](Buffer.from(await make()))),
  }))
})

/** Older programs decode damages without a message. */
export const lossRows = unlessOld(
  rows.filter(({ format }) => isReadable(format)),
  rows.filter(({ loss }) => /zeros|flipped/.test(loss)).map(({ name }) => name),
)

export const lossTable = { rows: lossRows, variants: ['levels'] } as const
