// Recordings with any number of tags, byte by byte.
import { makeMedia } from './audio.ts'
import { box } from './hostile.ts'
import { element } from './matroska.ts'

const numbered = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
const little = (value: number) => Buffer.from(Uint32Array.of(value).buffer)
const big = (value: number, bytes = 4) => {
  const field = Buffer.alloc(bytes)
  field.writeUIntBE(value, 0, bytes)
  return field
}
const syncSafe = (size: number) => Buffer.from([21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f))

/** An ID3 tag with a title and texts with names of their own. */
function id3(version: 2 | 3 | 4, count: number): Buffer {
  const [title, text] = version === 2 ? ['TT2', 'TXX'] : ['TIT2', 'TXXX']
  const frame = (id: string, body: string) => {
    const data = Buffer.from(`\0${body}`, 'latin1')
    if (version === 2) return Buffer.concat([Buffer.from(id), big(data.length, 3), data])
    const size = version === 4 ? syncSafe(data.length) : big(data.length)
    return Buffer.concat([Buffer.from(id), size, Buffer.alloc(2), data])
  }
  const frames = Buffer.concat([frame(title, 'A title'), ...numbered(count, (at) => frame(text, `n${at}\0v`))])
  const head = Buffer.from(`ID3${String.fromCharCode(version)}\0\0`, 'latin1')
  return Buffer.concat([head, syncSafe(frames.length), frames])
}

/** Vorbis comments without their mark. */
function comments(count: number): Buffer {
  const texts = ['TITLE=A title', ...numbered(count, (at) => `N${at}=v`)]
  return Buffer.concat([
    little(0),
    little(texts.length),
    ...texts.flatMap((text) => [little(text.length), Buffer.from(text)]),
  ])
}

const bare = ['-map_metadata', '-1', '-fflags', '+bitexact']
const sine = async (extension: string, ...args: string[]) =>
  Buffer.from(await makeMedia(['-f', 'lavfi', '-i', 'sine=d=1:r=48000', ...args, ...bare], extension))

const mp3With = async (tags: Buffer) => Buffer.concat([tags, await sine('mp3', '-id3v2_version', '0')])

async function flac(count: number): Promise<Buffer> {
  const file = await sine('flac')
  let sound = 4
  for (let isLast = false; !isLast; ) {
    isLast = ((file[sound] ?? 0) & 0x80) !== 0
    sound += 4 + file.readUIntBE(sound + 1, 3)
  }
  const block = comments(count)
  const head = file.subarray(4, 42)
  head[0] = 0
  return Buffer.concat([file.subarray(0, 4), head, Buffer.of(0x84), big(block.length, 3), block, file.subarray(sound)])
}

async function mp4(count: number): Promise<Buffer> {
  const data = (text: string) => box('data', Buffer.from(`\0\0\0\x01\0\0\0\0${text}`, 'latin1'))
  const makeOwnTag = (at: number) =>
    box('----', [
      box('mean', Buffer.from('\0\0\0\0com.apple.iTunes', 'latin1')),
      box('name', Buffer.from(`\0\0\0\0n${at}`, 'latin1')),
      data('v'),
    ])
  const hdlr = box('hdlr', Buffer.from(`${'\0'.repeat(8)}mdirappl${'\0'.repeat(9)}`, 'latin1'))
  const list = box('ilst', [box('\xa9nam', data('A title')), ...numbered(count, makeOwnTag)])
  const tags = box('udta', box('meta', [Buffer.alloc(4), hdlr, list]))
  const file = await sine('m4a')
  const at = file.indexOf('moov') - 4
  return Buffer.concat([file.subarray(0, at), box('moov', [file.subarray(at + 8), tags])])
}

async function matroska(count: number): Promise<Buffer> {
  const tag = (name: string, value: string) => element('67c8', [element('45a3', name), element('4487', value)])
  const all = element('7373', [
    element('63c0', ''),
    tag('TITLE', 'A title'),
    ...numbered(count, (at) => tag(`N${at}`, 'v')),
  ])
  const file = await sine('mka', '-c:a', 'libopus')
  const segment = file.indexOf(Buffer.from('18538067', 'hex'))
  const content = file.subarray(segment + 12)
  return Buffer.concat([file.subarray(0, segment), element('18538067', [element('1254c367', [all]), content])])
}

async function wav(count: number): Promise<Buffer> {
  const id = (at: number) =>
    String.fromCharCode(...[17_576, 676, 26, 1].map((step) => 65 + (Math.floor(at / step) % 26)))
  const entry = (name: string, text: string) =>
    Buffer.concat([Buffer.from(name), little(text.length), Buffer.from(text)])
  const list = Buffer.concat([
    Buffer.from('INFO'),
    entry('INAM', 'A title!'),
    ...numbered(count, (at) => entry(id(at), 'vv')),
  ])
  const file = await sine('wav')
  file.writeUInt32LE(file.length - 8 + 8 + list.length, 4)
  return Buffer.concat([file.subarray(0, 12), Buffer.from('LIST'), little(list.length), list, file.subarray(12)])
}

/** A recording of a second with tags of its own, by container. Most have the title `A title`. */
export const withTags: Record<string, (count: number) => Promise<Buffer>> = {
  'ID3v2.2': (count) => mp3With(id3(2, count)),
  'ID3v2.3': (count) => mp3With(id3(3, count)),
  'ID3v2.4': (count) => mp3With(id3(4, count)),
  'several ID3 tags': (count) => mp3With(Buffer.concat(numbered(4, () => id3(4, Math.ceil(count / 4))))),
  FLAC: flac,
  MP4: mp4,
  Matroska: matroska,
  WAV: wav,
}
