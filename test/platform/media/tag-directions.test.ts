import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usableChapters } from '../../../src/platform/media/chapter.ts'
import { probe } from '../../../src/platform/media/probe.ts'
import { mergeTags, readTags } from '../../../src/platform/media/tags/read.ts'
import { makeMedia } from '../../support/audio.ts'
import { id3, utf8 } from '../../support/tag-bytes.ts'
import { sandboxedTools } from '../../support/tools.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Embeddings, overrides and isolates (UAX 9, sections 2.1 to 2.5). */
const controls = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'
const text = `${controls}=HYPER\u202eLINK()${controls}`
/** A mark of text that is written from right to left, which changes nothing else. */
const MARK = '\u200f'

test('tags have no characters that change the direction of text', async () => {
  const sound = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=1', '-map_metadata', '-1', '-id3v2_version', '0'], 'mp3')
  const tag = id3(4, [
    ['TIT2', utf8(text)],
    // Several values are read by the program of our own.
    ['TPE1', utf8(`one${text}\0two${text}`)],
    ['TXXX', utf8(`own${text}\0${text}`)],
    ['TALB', utf8(`שלום${MARK}!`)],
  ])
  const file = join(folder, 'recording.mp3')
  await Bun.write(file, Buffer.concat([tag, sound]))
  const report = await probe(sandboxedTools, file)
  const { tags } = mergeTags(report, await readTags(sandboxedTools, file, folder))
  expect(tags.title).toEqual(['=HYPERLINK()'])
  expect(tags.artist).toEqual(['one=HYPERLINK()', 'two=HYPERLINK()'])
  expect(JSON.stringify([tags, report.tags])).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
  expect(tags.album).toEqual([`שלום${MARK}!`])
})

test('titles of chapters have none', () => {
  const chapter = { title: text, startSeconds: 0, endSeconds: null, url: null }
  expect(usableChapters([chapter])).toEqual([{ ...chapter, title: '=HYPERLINK()' }])
})
