import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseFile } from 'music-metadata'
import { findTools, type Tools } from '../../../src/platform/media/ffmpeg/run.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { mergeTags, readTags } from '../../../src/platform/media/tags/read.ts'
import { ape, big, id3, latin1, utf8 } from '../../support/tag-bytes.ts'
import { bareFile, type Format, formats, shownChapters, taggedFile } from '../../support/tagged.ts'

let folder: string
let tools: Tools
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-tags-read-'))
  tools = await findTools({})
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function read(file: string) {
  const [report, readerTags] = await Promise.all([probe(tools, file), readTags(tools, file, folder)])
  return mergeTags(report, readerTags)
}

/** A bare file between bytes, such as a tag at its start or at its end. */
async function withBytes(format: Format, before: Uint8Array, after: Uint8Array = Buffer.alloc(0)): Promise<string> {
  const file = await bareFile(folder, format)
  await Bun.write(file, Buffer.concat([before, await Bun.file(file).bytes(), after]))
  return file
}

const several = {
  title: 'Together',
  artist: ['One', 'Two; Three', '四'],
  genre: ['Jazz', 'Rock'],
  composer: ['A', 'B'],
  mood: ['calm', 'warm'],
  bpm: '128',
  mykey: ['x', 'y'],
}

describe.each([...formats])('%s', (format) => {
  test('several values are written apart and read again', async () => {
    const file = await taggedFile(folder, format, { tags: several })
    const { common, native } = await parseFile(file)
    expect(common).toMatchObject({
      title: 'Together',
      artists: several.artist,
      genre: several.genre,
      composer: several.composer,
      bpm: 128,
    })
    const values = Object.values(native).flat()
    expect(values.filter(({ id }) => /mykey$/i.test(id)).map(({ value }) => value)).toEqual(['x', 'y'])
    const { tags } = await read(file)
    expect(tags).toMatchObject({ title: ['Together'], artist: several.artist, genre: several.genre, mykey: ['x', 'y'] })
    expect(tags.bpm ?? tags.tbpm).toEqual(['128'])
  })

  const chapters = [
    { title: 'Intro', startSeconds: 0, endSeconds: null, url: null },
    { title: 'Ünï 🎵', startSeconds: 0.25, endSeconds: null, url: 'https://example.com/2' },
    // ffmpeg reads no longer title from a chapter of ID3.
    {
      title: 'c'.repeat(format === 'mp3' || format === 'wav' ? 126 : 255),
      startSeconds: 0.5,
      endSeconds: null,
      url: null,
    },
  ]

  test('chapters are written and read again', async () => {
    const file = await taggedFile(folder, format, { tags: {}, chapters, durationSeconds: 1 })
    const playerChapters = shownChapters(file)
    expect(playerChapters.map(({ title }) => title)).toEqual(chapters.map(({ title }) => title))
    expect(playerChapters.map(({ startSeconds }) => startSeconds)).toEqual([0, 0.25, 0.5])
    const readChapters = (await read(file)).chapters
    expect(readChapters.map(({ title, startSeconds }) => [title, startSeconds])).toEqual(
      chapters.map(({ title, startSeconds }) => [title, startSeconds]),
    )
    if (format !== 'aac' && format !== 'alac')
      expect(readChapters.map(({ url }) => url)).toEqual(chapters.map(({ url }) => url))
  })

  test('stripped tags have no chapters', async () => {
    expect(shownChapters(await taggedFile(folder, format, { tags: null, chapters, durationSeconds: 1 }))).toEqual([])
  })

  test('255 chapters are written', async () => {
    const many = Array.from({ length: 255 }, (_, at) => ({
      title: `${at}`,
      startSeconds: at / 1000,
      endSeconds: null,
      url: null,
    }))
    expect(shownChapters(await taggedFile(folder, format, { tags: {}, chapters: many }))).toHaveLength(255)
  })
})

describe('an MP4 file', () => {
  const chapters = [
    { title: 'Ünï 🎵', startSeconds: 0.25, endSeconds: null, url: null },
    { title: 'Next', startSeconds: 0.5, endSeconds: null, url: null },
  ]

  test.each([
    ['a track of texts', 'chpl'],
    ["Nero's list", 'tref'],
  ])('has its chapters as %s', async (_, other) => {
    const file = await taggedFile(folder, 'aac', { tags: { title: 'x' }, chapters, durationSeconds: 1 })
    const bytes = Buffer.from(await Bun.file(file).bytes())
    expect(bytes.indexOf(other)).toBeGreaterThan(0)
    bytes.write('free', bytes.indexOf(other), 'latin1')
    await Bun.write(file, bytes)
    const playerChapters = shownChapters(file)
    expect(playerChapters.map(({ title }) => title)).toEqual(['Ünï 🎵', 'Next'])
    expect(playerChapters.map(({ startSeconds }) => startSeconds)).toEqual([0.25, 0.5])
  })

  test('has no second track without chapters', async () => {
    const file = await taggedFile(folder, 'aac', { tags: { title: 'x' }, durationSeconds: 1 })
    expect(Buffer.from(await Bun.file(file).bytes()).indexOf('tref')).toBe(-1)
  })
})

test('a chapter of an MP3 with a long title and a long address is read by ffmpeg', async () => {
  const url = `https://example.com/${'u'.repeat(200)}`
  const chapters = [
    { title: 'é'.repeat(255), startSeconds: 0, endSeconds: null, url },
    { title: 'Next', startSeconds: 0.5, endSeconds: null, url: 'https://example.com/' },
  ]
  const file = await taggedFile(folder, 'mp3', { tags: {}, chapters, durationSeconds: 1 })
  expect(shownChapters(file).map(({ title }) => title)).toEqual(['é'.repeat(63), 'Next'])
  expect((await read(file)).chapters.map(({ url }) => url)).toEqual([null, 'https://example.com/'])
})

describe('an MP3', () => {
  test('APEv2 is read', async () => {
    const items = { Title: 'Ape', Artist: 'A1\0A2', Album: 'An album', BPM: '120', 'Own Field': 'kept' }
    const { tags } = await read(await withBytes('mp3', Buffer.alloc(0), ape(items)))
    expect(tags).toMatchObject({
      title: ['Ape'],
      artist: ['A1', 'A2'],
      album: ['An album'],
      bpm: ['120'],
      'own field': ['kept'],
    })
  })

  test('ID3v2 takes precedence over APEv2, which takes precedence over ID3v1', async () => {
    const id3v1 = Buffer.alloc(128)
    id3v1.write('TAGCut off at thirty characters..')
    const file = await withBytes(
      'mp3',
      id3(4, [['TPE1', utf8('ID3')]]),
      Buffer.concat([ape({ Artist: 'APE', Title: 'Ape' }), id3v1]),
    )
    expect((await read(file)).tags.artist).toEqual(['ID3'])
  })

  test('a slash in ID3v2.3 is part of a name', async () => {
    const { tags } = await read(await withBytes('mp3', id3(3, [['TPE1', latin1('AC/DC')]])))
    expect(tags.artist).toEqual(['AC/DC'])
  })

  test('Cyrillic in a frame of Latin-1 is repaired, in every field', async () => {
    const cyrillic = (hex: string) => latin1(Buffer.from(hex, 'hex').toString('latin1'))
    const frames: [string, Uint8Array][] = [
      ['TIT2', cyrillic('cff0e8e2e5f220ece8f0')],
      ['TPE1', cyrillic('cae8edee')],
    ]
    const { tags } = await read(await withBytes('mp3', id3(4, frames)))
    expect(tags).toMatchObject({ title: ['Привет мир'], artist: ['Кино'] })
  })

  test('Western Latin-1 is read as it is', async () => {
    const frames: [string, Uint8Array][] = [
      ['TIT2', latin1('Où es-tu, Noël ?')],
      ['TPE1', latin1('Björk')],
    ]
    const { tags } = await read(await withBytes('mp3', id3(3, frames)))
    expect(tags).toMatchObject({ title: ['Où es-tu, Noël ?'], artist: ['Björk'] })
  })

  test('comments of programs do not join the comment', async () => {
    const frames: [string, Uint8Array][] = [
      ['COMM', latin1('eng\0A comment')],
      ['COMM', latin1('engiTunNORM\0 00000001')],
    ]
    expect((await read(await withBytes('mp3', id3(3, frames)))).tags.comment).toEqual(['A comment'])
  })

  test('chapters out of order, without a title or with an address of a program are usable', async () => {
    const chapter = (id: string, start: number, frames: Buffer) =>
      Buffer.concat([Buffer.from(`${id}\0`), big(start), big(start + 100), big(0xffffffff), big(0xffffffff), frames])
    const inner = (id: string, body: Uint8Array) => id3(4, [[id, body]]).subarray(10)
    const frames: [string, Uint8Array][] = [
      [
        'CHAP',
        chapter('b', 500, Buffer.concat([inner('TIT2', utf8('Second')), inner('WXXX', latin1('\0javascript:x'))])),
      ],
      ['CHAP', chapter('a', 0, Buffer.alloc(0))],
    ]
    expect((await read(await withBytes('mp3', id3(4, frames)))).chapters).toEqual([
      { title: 'a', startSeconds: 0, endSeconds: 0.1, url: null },
      { title: 'Second', startSeconds: 0.5, endSeconds: 0.6, url: null },
    ])
  })

  test('more than 255 chapters are cut off', async () => {
    const chapter = (at: number) =>
      Buffer.concat([Buffer.from(`c${at}\0`), big(at), big(at + 1), big(0xffffffff), big(0xffffffff)])
    const frames = Array.from({ length: 400 }, (_, at): [string, Uint8Array] => ['CHAP', chapter(at)])
    expect((await read(await withBytes('mp3', id3(4, frames)))).chapters).toHaveLength(255)
  })
})

test('a file whose tags cannot be read has those of ffprobe', async () => {
  const file = await taggedFile(folder, 'flac', { tags: { title: 'x' } })
  const empty = join(folder, 'empty')
  await Bun.write(empty, 'nothing that is audio')
  expect(mergeTags(await probe(tools, file), await readTags(tools, empty, folder)).tags).toMatchObject({ title: ['x'] })
})

test('an abort ends the reader', async () => {
  const file = await bareFile(folder, 'mp3')
  await expect(readTags(tools, file, folder, AbortSignal.abort())).rejects.toThrow('abort')
})
