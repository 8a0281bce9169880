import { makeHostMedia } from '../support/audio.ts'
import { noise } from '../support/hostile.ts'
import { type Bytes, type Recording, unlessOld } from './uploads.ts'

/** A damaged or unusual recording, and what the service must say of it. */
export interface DamagedRecording extends Recording {
  /** Status of the track and its code. */
  state: readonly [status: string, code: string | null]
  /** Length in seconds, at least and at most. Null when there is no sound. */
  seconds: readonly [least: number, most: number] | null
  /** Time of the damage in seconds, at least and at most. */
  damagedAt?: readonly [least: number, most: number]
}

const SECONDS = 4
/** Needs many bits at any time, so that the middle of the file is the middle of the sound. */
const pinkNoise = (seconds: number) => [
  ...['-f', 'lavfi', '-i', `anoisesrc=color=pink:sample_rate=48000:duration=${seconds}:amplitude=0.4:seed=1`],
]
const sound = async (extension: string, args: readonly string[] = [], seconds = SECONDS) =>
  Buffer.from(await makeHostMedia([...pinkNoise(seconds), ...args], extension))
const changed = (make: () => Promise<Buffer>, change: (bytes: Buffer) => Uint8Array) => async (): Promise<Bytes> =>
  new Uint8Array(change(await make()))
const whole = (bytes: Buffer) => bytes

/** The first two fifths. */
const cut = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * 0.4))
/** Bytes after the middle are overwritten. */
const overwritten = (bytes: Buffer) => {
  noise(2000, 'overwritten').copy(bytes, Math.floor(bytes.length / 2))
  return bytes
}
/** The size of the data chunk of a WAV is replaced. */
const sized = (size: number) => (bytes: Buffer) => {
  bytes.writeUInt32LE(size, bytes.indexOf('data') + 4)
  return bytes
}

const ready = ['ready', null] as const
const truncated = ['error', 'truncated'] as const
const exact = (seconds: number) => [seconds - 0.001, seconds + 0.001] as const
/** Blocks of WavPack are half a second long. */
const CUT = [0.2 * SECONDS, 0.5 * SECONDS] as const
const MIDDLE = [SECONDS / 2 - 0.6, SECONDS / 2 + 0.3] as const

const short = ['-page_duration', '200000']
const vorbis = ['-c:a', 'libvorbis', ...short]

const cuts: DamagedRecording[] = (
  [
    ['cut.wav', []],
    ['cut-rf64.wav', ['-rf64', 'always']],
    ['cut.w64', []],
    ['cut.caf', []],
    ['cut.aiff', []],
    ['cut.flac', []],
    ['cut.mp3', ['-b:a', '128k']],
    ['cut-variable.mp3', ['-q:a', '4']],
    ['cut.wv', []],
  ] as const
).map(([name, args]) => {
  const [extension = ''] = name.split('.').slice(-1)
  return { name, state: truncated, seconds: CUT, make: changed(() => sound(extension, args), cut) }
})

const overwrites: DamagedRecording[] = (
  [
    ['overwritten.flac', []],
    ['overwritten.mp3', ['-b:a', '128k']],
    ['overwritten.m4a', ['-c:a', 'aac']],
    ['overwritten.ogg', vorbis],
    ['overwritten.opus', short],
  ] as const
).map(([name, args]) => {
  const [extension = ''] = name.split('.').slice(-1)
  const make = changed(() => sound(extension, args), overwritten)
  return { name, state: ['ready', 'damaged'], seconds: [SECONDS - 0.5, SECONDS + 0.05], damagedAt: MIDDLE, make }
})

const source =
  (expression: string, extension: string, args: readonly string[] = []) =>
  async () =>
    Buffer.from(await makeHostMedia(['-f', 'lavfi', '-i', expression, ...args], extension))
const film = ['-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=5:duration=1', '-pix_fmt', 'yuv420p']
const notAudio = ['init_error', 'not_audio'] as const

const recordings: DamagedRecording[] = [
  ...cuts,
  {
    name: 'cut.ogg',
    state: ['ready', 'end_missing'],
    seconds: CUT,
    make: changed(() => sound('ogg', vorbis), cut),
  },
  {
    name: 'cut.opus',
    state: ['ready', 'end_missing'],
    seconds: CUT,
    make: changed(() => sound('opus', short), cut),
  },
  {
    name: 'cut.m4a',
    state: ['init_error', 'truncated'],
    seconds: null,
    make: changed(() => sound('m4a', ['-c:a', 'aac']), cut),
  },
  ...overwrites,
  {
    name: 'only a header.flac',
    state: ['init_error', 'corrupted'],
    seconds: null,
    make: changed(
      () => sound('flac'),
      (bytes) => Buffer.concat([bytes.subarray(0, 2000), noise(60_000, 'frames')]),
    ),
  },
  { name: 'size 0.wav', state: ready, seconds: exact(SECONDS), make: changed(() => sound('wav'), sized(0)) },
  {
    name: 'size unknown.wav',
    state: ready,
    seconds: exact(SECONDS),
    make: changed(() => sound('wav'), sized(0xffff_ffff)),
  },
  {
    name: 'more behind.wav',
    state: ready,
    seconds: exact(SECONDS),
    make: changed(
      () => sound('wav'),
      (bytes) => Buffer.concat([bytes, Buffer.alloc(999)]),
    ),
  },
  {
    name: 'text.wav',
    state: notAudio,
    seconds: null,
    make: async () => new Uint8Array(Buffer.from('This is not sound. '.repeat(500))),
  },
  { name: 'noise.mp3', state: notAudio, seconds: null, make: async () => new Uint8Array(noise(100_000, 'noise')) },
  {
    name: 'picture.mp3',
    state: notAudio,
    seconds: null,
    make: changed(source('testsrc=size=64x64', 'png', ['-frames:v', '1']), whole),
  },
  {
    name: 'silent film.mp4',
    state: ['init_error', 'no_sound'],
    seconds: null,
    make: async () => makeHostMedia(film, 'mp4'),
  },
  {
    name: 'header.wav',
    state: ['init_error', 'truncated'],
    seconds: null,
    make: changed(
      () => sound('wav'),
      (bytes) => bytes.subarray(0, 36),
    ),
  },
  {
    name: 'one sample.wav',
    state: ready,
    seconds: [0, 0.001],
    make: changed(source('aevalsrc=0.5:s=44100:d=1,atrim=end_sample=1', 'wav'), whole),
  },
  {
    name: 'one sample 8000.wav',
    state: ready,
    seconds: [0, 0.001],
    make: changed(source('aevalsrc=0.5:s=8000:d=1,atrim=end_sample=1', 'wav'), whole),
  },
  {
    name: '20 samples 8000.wav',
    state: ready,
    seconds: [0.001, 0.003],
    make: changed(source('aevalsrc=0.5:s=8000:d=1,atrim=end_sample=20', 'wav'), whole),
  },
  { name: '100 ms.wav', state: ready, seconds: exact(0.1), make: changed(() => sound('wav', [], 0.1), whole) },
  { name: '10 ms.flac', state: ready, seconds: exact(0.01), make: changed(() => sound('flac', [], 0.01), whole) },
  {
    name: 'silence.wav',
    state: ready,
    seconds: exact(1),
    make: changed(source('aevalsrc=0|0:s=44100:d=1', 'wav'), whole),
  },
  {
    name: 'full scale.wav',
    state: ready,
    seconds: exact(1),
    make: changed(source('anoisesrc=sample_rate=44100:duration=1:seed=1', 'wav'), whole),
  },
]

/** Older programs decode the damage of Ogg without a word. */
export const damagedRecordings = unlessOld(recordings, ['overwritten.ogg', 'overwritten.opus'])

export const damagedTable = { rows: damagedRecordings, variants: ['aac', 'opus', 'flac', 'levels'] } as const
