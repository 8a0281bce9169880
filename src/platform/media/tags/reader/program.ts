/**
 * Separate program, run in a sandbox: reads the tags of an untrusted recording. Arguments: the recording, the folder
 * for its picture. Its last line on standard output is a `Report`.
 */
import { join } from 'node:path'
import { type IAudioMetadata, type ITag, parseFile } from 'music-metadata'
import {
  MAX_FIELDS,
  MAX_PICTURE_BYTES,
  MAX_READ_CHAPTERS,
  MAX_TEXT_CHARS,
  MAX_VALUES,
  PICTURE_FILE,
  UNWRITABLE,
} from './bounds.ts'
import type { Report } from './report.ts'

type Format = Report['fields'][number]['format']
type Chapter = Report['chapters'][number]

/** Formats whose tags ffprobe reports incompletely, in the order of precedence, by their name in music-metadata. */
const formats: [name: RegExp, format: Format][] = [
  [/^ID3v2/, 'id3v2'],
  [/^vorbis$/, 'vorbis'],
  [/^iTunes$/, 'itunes'],
  [/^APEv2$/, 'apev2'],
  [/^ID3v1$/, 'id3v1'],
]

const clipped = (text: string) => text.slice(0, MAX_TEXT_CHARS).toWellFormed()

/** Returns the text of a value. Null for others, such as a picture. */
function toText(value: unknown): string | null {
  if (typeof value === 'string') return clipped(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(Number(value))
  // Comments with a description are values of programs, which ffprobe reports under that name.
  const { text, descriptor = '' } = (value ?? {}) as { text?: unknown; descriptor?: unknown }
  return typeof text === 'string' && descriptor === '' ? clipped(text) : null
}

function listFields({ native }: IAudioMetadata): Report['fields'] {
  const inOrder = formats.flatMap(([pattern, format]) =>
    Object.entries(native)
      .filter(([type]) => pattern.test(type))
      .flatMap(([type, tags]) => {
        const byName = Map.groupBy(tags, ({ id }) => id)
        return [...byName].map(([name, same]) => ({ format, name: clipped(name), values: listValues(type, same) }))
      }),
  )
  return inOrder.filter(({ values }) => values.length > 0).slice(0, MAX_FIELDS)
}

function listValues(type: string, tags: readonly ITag[]): string[] {
  const values = tags.map(({ value }) => toText(value)).filter((text) => text !== null && text !== '') as string[]
  return isSlashed(type) ? rejoined(values) : values.slice(0, MAX_VALUES)
}

/** ID3v2.3 separates values by slashes, which names such as AC/DC contain. Writers seldom mean several values. */
const isSlashed = (type: string) => /^ID3v2\.[23]/.test(type)
const rejoined = (values: string[]) => (values.length > 1 ? [clipped(values.join('/'))] : values)

interface Chap {
  label: string
  info: { startTime: number; endTime: number }
  frames: Map<string, unknown>
}

/** Chapters of ID3 (ID3v2 Chapter Frame Addendum 1.0), in the order of their times. */
function id3Chapters(tags: readonly ITag[]): Chapter[] {
  return tags
    .filter(({ id }) => id === 'CHAP')
    .map(({ value }) => {
      const { label, info, frames } = value as unknown as Chap
      const first = (name: string): unknown => [frames.get(name)].flat()[0]
      const { url } = (first('WXXX') ?? {}) as { url?: unknown }
      return {
        title: toText(first('TIT2')) ?? clipped(label),
        startSeconds: info.startTime / 1000,
        endSeconds: info.endTime / 1000,
        url: typeof url === 'string' ? clipped(url) : null,
      }
    })
    .sort((a, b) => a.startSeconds - b.startSeconds)
}

const CHAPTER_FIELD = /^CHAPTER(\d{1,4})(NAME|URL)?$/i

/** Chapters of Vorbis comments: `CHAPTER001=00:00:00.000`, `CHAPTER001NAME`, `CHAPTER001URL`. */
function vorbisChapters(tags: readonly ITag[]): Chapter[] {
  const byNumber = new Map<number, Partial<Record<'TIME' | 'NAME' | 'URL', string>>>()
  for (const { id, value } of tags) {
    const [, number, part = 'TIME'] = CHAPTER_FIELD.exec(id) ?? []
    const text = toText(value)
    if (number === undefined || text === null) continue
    const chapter = byNumber.get(Number(number)) ?? {}
    byNumber.set(Number(number), { ...chapter, [part.toUpperCase()]: text })
  }
  return [...byNumber.values()]
    .flatMap(({ TIME, NAME, URL }) => {
      const [, hours, minutes, seconds] = /^(\d{1,3}):(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?)$/.exec(TIME ?? '') ?? []
      if (!hours) return []
      const startSeconds = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
      return [{ title: NAME ?? '', startSeconds, endSeconds: null, url: URL ?? null }]
    })
    .sort((a, b) => a.startSeconds - b.startSeconds)
}

function listChapters({ native }: IAudioMetadata): Chapter[] {
  const selectTags = (pattern: RegExp) =>
    Object.entries(native).flatMap(([type, tags]) => (pattern.test(type) ? tags : []))
  const chapters = [id3Chapters(selectTags(/^ID3v2/)), vorbisChapters(selectTags(/^vorbis$/))]
  return (chapters.find(({ length }) => length > 0) ?? []).slice(0, MAX_READ_CHAPTERS)
}

/** Writes the front cover, else the first picture. @returns whether there is one */
async function writePicture({ common }: IAudioMetadata, folder: string): Promise<boolean> {
  const pictures = (common.picture ?? []).filter(({ data }) => data.length > 0 && data.length <= MAX_PICTURE_BYTES)
  const picture = pictures.find(({ type }) => type === 'Cover (front)') ?? pictures[0]
  if (!picture) return false
  await Bun.write(join(folder, PICTURE_FILE), picture.data).catch(() => process.exit(UNWRITABLE))
  return true
}

const [recording = '', folder = ''] = process.argv.slice(2)
const metadata = await parseFile(recording, { duration: false, includeChapters: false })
const report: Report = {
  fields: listFields(metadata),
  chapters: listChapters(metadata),
  hasPicture: await writePicture(metadata, folder),
}
console.log(JSON.stringify(report))
