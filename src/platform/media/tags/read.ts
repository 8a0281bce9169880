import { withoutDirections } from '../../storable-text.ts'
import { type Chapter, usableChapters } from '../chapter.ts'
import { MediaError } from '../ffmpeg/reasons.ts'
import type { Tools } from '../ffmpeg/tools.ts'
import type { Probe } from '../probe.ts'
import { findCodePage } from './code-page.ts'
import { standardName } from './fields.ts'
import { type ReadTags, runReader } from './reader/child.ts'

/** Tags with all their values, by name. */
export type TagValues = Readonly<Record<string, readonly string[]>>

/** Tags, chapters and picture of a recording. */
export interface Tagged {
  /** Names in lower case. */
  tags: TagValues
  /** In the order of their start. */
  chapters: Chapter[]
  /** Local path of the embedded picture, not validated. Null without one that ffprobe may have missed. */
  picture: string | null
}

const nothing: ReadTags = { fields: [], chapters: [], picture: null }

/**
 * Reads what ffprobe does not report of a recording's tags: further values, APEv2 in an MP3, addresses of chapters,
 * pictures of types that ffmpeg does not know. A recording whose tags cannot be read has none of them.
 * @param folder for the picture
 * @throws HostFault; AbortError of the given signal
 */
export async function readTags(
  tools: Pick<Tools, 'sandbox' | 'pictureView'>,
  recording: string,
  folder: string,
  signal?: AbortSignal,
): Promise<ReadTags> {
  try {
    return await runReader(tools, recording, folder, signal)
  } catch (error) {
    if (error instanceof MediaError) return nothing
    throw error
  }
}

const MAX_TAGS = 64
const MAX_TAG_CHARS = 1000

/**
 * Joins the report of ffprobe with that of the reader. ffprobe's tags keep their names. The reader adds values to them,
 * and the tags that ffprobe does not report; texts in another code page are repaired.
 */
export function mergeTags(probe: Pick<Probe, 'tags' | 'chapters'>, read: ReadTags): Tagged {
  const ownFields = ownTags(read.fields)
  const tags: Record<string, readonly string[]> = {}
  for (const [name, value] of Object.entries(probe.tags)) {
    const id = standardName(name) ?? ''
    const ownField = ownFields.get(id)
    ownFields.delete(id)
    tags[name] = ownField && (ownField.values.length > 1 || ownField.isRepaired) ? ownField.values : [value]
  }
  const room = Math.max(0, MAX_TAGS - Object.keys(tags).length)
  for (const [name, { values }] of [...ownFields].slice(0, room)) tags[name] = values
  const chapters = usableChapters(read.chapters.length > 0 ? read.chapters : probe.chapters)
  return { tags, chapters, picture: read.picture }
}

interface OwnTag {
  values: string[]
  isRepaired: boolean
}

/** The reader's tags by standard name. The format that comes first has precedence. */
function ownTags(fields: ReadTags['fields']): Map<string, OwnTag> {
  const tags = new Map<string, OwnTag>()
  for (const { format, name, values, isRepaired } of withoutOldCodePages(fields)) {
    const id = clean(standardName(name, format === 'id3v2' || format === 'itunes' ? format : undefined) ?? '')
    const texts = values.map(clean).filter(Boolean)
    if (id && texts.length > 0 && !tags.has(id)) tags.set(id, { values: texts, isRepaired })
  }
  return tags
}

/** Repairs the texts of the ID3 tags, each tag as a whole. */
function withoutOldCodePages(fields: ReadTags['fields']) {
  const isId3 = (format: string) => format === 'id3v1' || format === 'id3v2'
  const texts = fields.filter(({ format }) => isId3(format)).flatMap(({ values }) => values)
  const repair = findCodePage(texts)
  return fields.map((field) => {
    const values = repair && isId3(field.format) ? field.values.map(repair) : field.values
    return { ...field, values, isRepaired: values.some((value, at) => value !== field.values[at]) }
  })
}

const clean = (text: string) => withoutDirections(text, MAX_TAG_CHARS)
