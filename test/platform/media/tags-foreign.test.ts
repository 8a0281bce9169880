// Tags of MP3 and WAV files as exiftool and mediainfo read them. Each is skipped where it is absent.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import type { TagContent } from '../../../src/platform/media/tags/content.ts'
import type { TagField } from '../../../src/platform/media/tags/fields.ts'
import { writeId3 } from '../../../src/platform/media/tags/id3.ts'
import { writeWav } from '../../../src/platform/media/tags/wav.ts'
import { bareFile } from '../../support/tagged.ts'

let folder: string
let bytes: Buffer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-foreign-'))
  const red = { width: 200, height: 200, channels: 3, background: 'red' } as const
  bytes = await sharp({ create: red }).png().toBuffer()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const title = 'Tïtle あ'
const longField: TagField = { name: 'title', values: [title.repeat(30)] }
const titleField: TagField = { name: 'title', values: [title] }
const lyricsField: TagField = { name: 'lyrics', values: ['La '.repeat(100)] }
const chapters = Array.from({ length: 20 }, (_, at) => ({
  title: `Chapter ${at}, ${'x'.repeat(110)}`,
  startSeconds: at / 100,
  endSeconds: null,
  url: null,
}))

/** Contents by the frame with which the tag ends. */
const contents: [last: string, contentOf: () => Omit<TagContent, 'durationSeconds'>][] = [
  ['a short text', () => ({ fields: [titleField], chapters: [], picture: null })],
  ['long lyrics', () => ({ fields: [titleField, lyricsField], chapters: [], picture: null })],
  ['chapters', () => ({ fields: [titleField], chapters, picture: null })],
  ['a picture', () => ({ fields: [titleField], chapters, picture: { bytes, type: 'image/png' } })],
  [
    'a picture, and a title that is long',
    () => ({ fields: [longField], chapters, picture: { bytes, type: 'image/png' } }),
  ],
]

const programs: [name: string, command: string[]][] = [
  ['exiftool', ['exiftool', '-a', '-s3', '-Warning', '-Title']],
  ['mediainfo', ['mediainfo', '--Inform=General;%Title%']],
]

for (const [name, command] of programs) {
  describe.skipIf(Bun.which(name) === null)(`${name} reads the title and has no warning`, () => {
    for (const [kind, write] of [
      ['mp3', writeId3],
      ['wav', writeWav],
    ] as const) {
      test.each(contents)(`${kind}, ending with %s`, async (_, contentOf) => {
        const file = await bareFile(folder, kind)
        const content = contentOf()
        await write(file, { ...content, durationSeconds: 1 })
        const { stdout } = Bun.spawnSync([...command, file])
        expect(stdout.toString().trim()).toBe(content.fields[0]?.values[0] ?? '')
      })
    }
  })
}
