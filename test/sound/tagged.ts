import { makeHostMedia } from '../support/audio.ts'
import { withExif } from '../support/picture.ts'
import { ape, id3, latin1, utf8 } from '../support/tag-bytes.ts'
import { sweeps } from './compare.ts'
import { withFile } from './decode.ts'
import type { Bytes, Recording } from './uploads.ts'

/** A recording, and what must be found in the files that keep its tags. */
export interface TaggedRecording extends Recording {
  /** Values by tag. */
  tags: Record<string, readonly string[]>
  /** Title and start in seconds. */
  chapters?: readonly (readonly [title: string, startSeconds: number])[]
  hasCover?: boolean
}

const SECONDS = 2
const sound = (extension: string, args: readonly string[] = []) =>
  makeHostMedia([...sweeps(2, { seconds: SECONDS }), ...args], extension)
/** An MP3 without a tag. */
const bareMp3 = () =>
  sound('mp3', ['-b:a', '128k', '-map_metadata', '-1', '-id3v2_version', '0', '-fflags', '+bitexact'])
const joined = async (...parts: readonly (Uint8Array | Promise<Uint8Array>)[]): Promise<Bytes> =>
  new Uint8Array(Buffer.concat(await Promise.all(parts)))

const metadata = (tags: Record<string, string>) =>
  Object.entries(tags).flatMap(([key, value]) => ['-metadata', `${key}=${value}`])

const chapters = [
  ['Intro', 0],
  ['Ünï 🎵', 0.5],
  ['The end', 1.25],
] as const

/** Comments of the chapter extension. ffmpeg writes them for Opus only, with wrong times before 6.0. */
const vorbisChapters: Record<string, string> = Object.fromEntries(
  chapters.flatMap(([title, start], at) => [
    [`CHAPTER00${at + 1}`, `00:00:${start.toFixed(3).padStart(6, '0')}`],
    [`CHAPTER00${at + 1}NAME`, title],
  ]),
)

/** Chapters as the container has them, written by ffmpeg. */
const withChapters = (extension: string, args: readonly string[] = []): Promise<Bytes> => {
  const ends = [...chapters.slice(1).map(([, start]) => start), SECONDS]
  const lines = chapters.map(
    ([title, start], at) =>
      `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start * 1000}\nEND=${(ends[at] ?? 0) * 1000}\ntitle=${title}\n`,
  )
  return withFile(Buffer.from(`;FFMETADATA1\ntitle=Chapters\n${lines.join('')}`), 'chapters.txt', (file) =>
    sound(extension, [
      '-f',
      'ffmetadata',
      '-i',
      file,
      '-map_metadata',
      '1',
      '-map_chapters',
      '1',
      '-map',
      '0:a',
      ...args,
    ]),
  )
}

/** A FLAC with these comments only, each name as often as it is given. */
async function flacWith(comments: readonly string[]): Promise<Bytes> {
  const bytes = Buffer.from(await sound('flac'))
  let at = 4
  for (let isLast = false; !isLast; at += 4 + bytes.readUIntBE(at + 1, 3)) isLast = (bytes.readUInt8(at) & 0x80) !== 0
  const little = (value: number) => Buffer.from(Uint32Array.of(value).buffer)
  const entry = (text: string) => Buffer.concat([little(Buffer.byteLength(text)), Buffer.from(text)])
  const body = Buffer.concat([entry('corpus'), little(comments.length), ...comments.map(entry)])
  const head = Buffer.from([0x84, body.length >> 16, (body.length >> 8) & 0xff, body.length & 0xff])
  const streamInfo = Buffer.from(bytes.subarray(0, 42))
  streamInfo.writeUInt8(0, 4)
  return joined(streamInfo, head, body, bytes.subarray(at))
}

/** The tag at the end of old files: fields of 30 bytes. */
function id3v1(title: string, artist: string): Buffer {
  const bytes = Buffer.alloc(128)
  bytes.write('TAG')
  bytes.write(title, 3)
  bytes.write(artist, 33)
  bytes.writeUInt8(255, 127)
  return bytes
}

const picture = (extension: string, args: readonly string[] = []) =>
  makeHostMedia(['-f', 'lavfi', '-i', 'testsrc=size=320x200', '-frames:v', '1', ...args], extension)
const webp = () => picture('webp', ['-c:v', 'libwebp', '-quality', '90'])
const withPosition = async () => withExif(await picture('jpg'), 1)
/** The body of a front cover's frame. */
const front = (type: string, bytes: Uint8Array) => Buffer.concat([Buffer.from(`\x03${type}\0\x03\0`), bytes])

const both = { artist: ['One', 'Two; Three', '四'], genre: ['Jazz', 'Rock'] }
const bothFrames: [string, Uint8Array][] = [
  ['TPE1', utf8(both.artist.join('\0'))],
  ['TCON', utf8(both.genre.join('\0'))],
]
const title = (text: string): [string, Uint8Array] => ['TIT2', utf8(text)]
const cyrillic = (hex: string) => latin1(Buffer.from(hex, 'hex').toString('latin1'))

export const taggedRecordings: TaggedRecording[] = [
  {
    name: 'artists.mp3',
    tags: { title: ['Together'], ...both, bpm: ['128'] },
    make: () => joined(id3(4, [title('Together'), ...bothFrames, ['TBPM', utf8('128')]]), bareMp3()),
  },
  {
    name: 'artists.flac',
    tags: { title: ['Together'], ...both },
    make: () =>
      flacWith([
        'TITLE=Together',
        ...both.artist.map((one) => `ARTIST=${one}`),
        ...both.genre.map((one) => `GENRE=${one}`),
      ]),
  },
  {
    name: 'ape.mp3',
    tags: { title: ['Ape'], artist: ['A1', 'A2'], album: ['An album'] },
    make: () => joined(bareMp3(), ape({ Title: 'Ape', Artist: 'A1\0A2', Album: 'An album' })),
  },
  {
    name: 'ape.wv',
    tags: { title: ['Ape'], artist: ['Someone'] },
    make: () => sound('wv', metadata({ title: 'Ape', artist: 'Someone' })),
  },
  {
    name: 'old.mp3',
    tags: { title: ['Old title'], artist: ['Someone'] },
    make: () => joined(bareMp3(), id3v1('Old title', 'Someone')),
  },
  { name: 'info.wav', tags: { title: ['Info'] }, make: () => sound('wav', metadata({ title: 'Info' })) },
  {
    name: 'id3.aiff',
    tags: { title: ['Aiff'], artist: ['Someone'] },
    make: () => sound('aiff', ['-write_id3v2', '1', ...metadata({ title: 'Aiff', artist: 'Someone' })]),
  },
  {
    name: 'tempo.m4a',
    tags: { title: ['Tempo'], bpm: ['128'] },
    make: () => sound('m4a', ['-c:a', 'aac', ...metadata({ title: 'Tempo', tmpo: '128' })]),
  },
  {
    name: 'unicode.opus',
    tags: { title: ['🎵 \u200fשלום\u200f'], artist: ['Ænima'], lyrics: ['first\nsecond'] },
    make: () => sound('opus', metadata({ title: '🎵 \u200fשלום\u200f', artist: 'Ænima', lyrics: 'first\nsecond' })),
  },
  {
    name: 'windows-1251.mp3',
    tags: { title: ['Привет мир'], artist: ['Кино'] },
    make: () =>
      joined(
        id3(4, [
          ['TIT2', cyrillic('cff0e8e2e5f220ece8f0')],
          ['TPE1', cyrillic('cae8edee')],
        ]),
        bareMp3(),
      ),
  },
  {
    name: 'private.mp3',
    tags: { title: ['Large'], artist: ['Someone'] },
    make: () => {
      const body = Buffer.concat([
        Buffer.from('owner\0'),
        Buffer.from(Uint8Array.from({ length: 5e6 }, (_, at) => at * 7)),
      ])
      return joined(id3(4, [title('Large'), ['PRIV', body], ['TPE1', utf8('Someone')]]), bareMp3())
    },
  },
  { name: 'chapters.mp3', tags: { title: ['Chapters'] }, chapters, make: () => withChapters('mp3', ['-b:a', '128k']) },
  { name: 'chapters.m4a', tags: { title: ['Chapters'] }, chapters, make: () => withChapters('m4a', ['-c:a', 'aac']) },
  {
    name: 'chapters.ogg',
    tags: { title: ['Chapters'] },
    chapters,
    make: () => sound('ogg', ['-c:a', 'libvorbis', ...metadata({ title: 'Chapters', ...vorbisChapters })]),
  },
  {
    name: 'chapters.opus',
    tags: { title: ['Chapters'] },
    chapters,
    make: () => sound('opus', metadata({ title: 'Chapters', ...vorbisChapters })),
  },
  {
    name: 'chapters.flac',
    tags: { title: ['Chapters'] },
    chapters,
    make: () => flacWith(['TITLE=Chapters', ...Object.entries(vorbisChapters).map((entry) => entry.join('='))]),
  },
  { name: 'chapters.mka', tags: { title: ['Chapters'] }, chapters, make: () => withChapters('mka', ['-c:a', 'flac']) },
  {
    name: 'webp.mp3',
    tags: { title: ['Cover'] },
    hasCover: true,
    make: async () => joined(id3(4, [title('Cover'), ['APIC', front('image/webp', await webp())]]), bareMp3()),
  },
  {
    name: 'position.mp3',
    tags: { title: ['Cover'] },
    hasCover: true,
    make: async () => joined(id3(4, [title('Cover'), ['APIC', front('image/jpeg', await withPosition())]]), bareMp3()),
  },
  {
    name: 'everything.mp3',
    tags: { ...both },
    chapters,
    hasCover: true,
    make: async () => {
      // The frames of both tags in one, as programs write them.
      const bytes = Buffer.from(
        await withChapters('mp3', ['-b:a', '128k', '-id3v2_version', '4', '-metadata', 'title=']),
      )
      const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + bytes.readUInt8(at), 0)
      const added = id3(4, [...bothFrames, ['APIC', front('image/webp', await webp())]]).subarray(10)
      const frames = Buffer.concat([added, bytes.subarray(10, 10 + size)])
      const head = Buffer.from(bytes.subarray(0, 10))
      for (const at of [6, 7, 8, 9]) head.writeUInt8((frames.length >> (7 * (9 - at))) & 0x7f, at)
      return joined(head, frames, bytes.subarray(10 + size))
    },
  },
]

export const taggedTable = {
  rows: taggedRecordings,
  variants: ['aac', 'mp3', 'kept_aac', 'kept_mp3', 'kept_ogg', 'kept_opus', 'kept_flac', 'cover'],
} as const
