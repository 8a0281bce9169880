import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findTools, type Tools } from '../../../src/platform/media/ffmpeg/tools.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { makeMedia } from '../../support/audio.ts'

let tools: Tools
let folder: string
let sound: Buffer
beforeAll(async () => {
  tools = await findTools({})
  folder = await mkdtemp(join(tmpdir(), 'tonearm-large-tags-'))
  const bare = ['-map_metadata', '-1', '-id3v2_version', '0', '-fflags', '+bitexact']
  sound = Buffer.from(await makeMedia(['-f', 'lavfi', '-i', 'sine=frequency=440:duration=1', ...bare], 'mp3'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Seven bits in each byte (ID3v2.4, 6.2). */
const syncSafe = (size: number) => Buffer.from([21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f))
const frame = (id: string, body: Buffer) =>
  Buffer.concat([Buffer.from(id), syncSafe(body.length), Buffer.alloc(2), body])
const textFrame = (id: string, text: string) => frame(id, Buffer.from(`\x03${text}`))
const tag = (frames: readonly Buffer[]) => {
  const body = Buffer.concat(frames)
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), syncSafe(body.length), body])
}
const bytes = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 7919) % 251))

const title = textFrame('TIT2', 'A title')
/** Each between two frames that must be read all the same. */
const large: { name: string; frames: Buffer[]; tags: object }[] = [
  { name: 'a comment of 3 MB', frames: [frame('COMM', Buffer.from(`\x03eng\0${'x'.repeat(3e6)}`))], tags: {} },
  {
    name: 'lyrics of 300 kB with quotes and line ends',
    frames: [frame('USLT', Buffer.from(`\x03eng\0${'"\\\n'.repeat(1e5)}`))],
    tags: {},
  },
  {
    name: 'private data of 500 kB',
    frames: [frame('PRIV', Buffer.concat([Buffer.from('owner\0'), bytes(5e5)]))],
    tags: {},
  },
  {
    name: 'private data of 5 MB',
    frames: [frame('PRIV', Buffer.concat([Buffer.from('owner\0'), bytes(5e6)]))],
    tags: {},
  },
  {
    name: 'a text of 3 MB with a name of its own',
    frames: [textFrame('TXXX', `own\0${'é'.repeat(1.5e6)}`)],
    tags: { own: 'é'.repeat(1000) },
  },
  {
    name: 'a text that is cut inside of a character',
    frames: [textFrame('TXXX', `own\0${'x'.repeat(999)}😀${'x'.repeat(999)}`)],
    tags: { own: 'x'.repeat(999) },
  },
]

const probed = async (frames: readonly Buffer[]) => {
  const file = join(folder, `${crypto.randomUUID()}.mp3`)
  await Bun.write(file, Buffer.concat([tag(frames), sound]))
  return probe(tools, file)
}

test.each(large)('reads an MP3 with $name, and its other tags', async ({ frames, tags }) => {
  const report = await probed([title, ...frames, textFrame('TPE1', 'An artist')])
  expect(report).toMatchObject({ codec: 'mp3', isHeard: true })
  expect(report.tags).toMatchObject({ title: 'A title', artist: 'An artist', ...tags })
  for (const value of Object.values(report.tags)) expect(value.length).toBeLessThanOrEqual(1000)
})

test('reads an MP3 with too many tags without tags', async () => {
  const many = Array.from({ length: 800 }, (_, at) => textFrame('TXXX', `name ${at}\0${'value '.repeat(1300)}`))
  const report = await probed([title, ...many])
  expect(report).toMatchObject({ codec: 'mp3', isHeard: true, tags: {} })
})
