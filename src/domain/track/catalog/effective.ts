import { standardName } from '../../../platform/media/tags/fields.ts'
import { isObject } from '../../../platform/object.ts'
import { lastPart, withoutExtension } from '../../delivery/name.ts'
import { MAX_NUMBER, normalizeIsrc } from './record.ts'

/** The values that the names and numbers of a track derive from. */
export interface CatalogRow {
  playerTitle: string | null
  playerSubtitle: string | null
  album: string | null
  trackNumber: number | null
  discNumber: number | null
  isrc: string | null
  year: number | null
  fileName: string
  fileNameOriginal: string | null
  /** The stored probe result, or null. */
  info: unknown
}

/** A blank text counts as absent. */
const filled = (text: string | null | undefined) => text?.trim() || undefined

/** A number at the beginning of a tag, such as `3/12`. Null for any other text. */
function readNumber(tag: string | undefined): number | null {
  const number = Number(/^\s*0*(\d{1,6})(?!\d)/.exec(tag ?? '')?.[1] ?? 0)
  return number >= 1 && number <= MAX_NUMBER ? number : null
}

/** The year at the beginning of a date. Null for any other text. */
const readYear = (tag: string | undefined) => Number(/^\s*(\d{4})(?!\d)/.exec(tag ?? '')?.[1]) || null

type Tags = ReturnType<typeof parseTags>
/** Each record is read for several fields. */
const parsedTags = new WeakMap<object, Tags>()

/** Returns the values of a recording's tags. Null without a usable tag. */
export function readTrackTags(info: unknown): Tags {
  if (!isObject(info)) return parseTags({})
  const parsed = parsedTags.get(info) ?? parseTags((info as { tags?: Record<string, string> }).tags ?? {})
  parsedTags.set(info, parsed)
  return parsed
}

function parseTags(values: Record<string, string>) {
  const tags: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    const id = standardName(name)
    // A tag is one line. The standard name takes precedence over its aliases.
    const line = filled(value.replace(/\p{Cc}+/gu, ' '))
    if (id && line && (id === name || tags[id] === undefined)) tags[id] = line
  }
  return {
    title: tags.title ?? null,
    artist: tags.artist ?? null,
    album: tags.album ?? null,
    trackNumber: readNumber(tags.track),
    discNumber: readNumber(tags.disc),
    isrc: normalizeIsrc(tags.isrc?.split(/[;,]/)[0] ?? ''),
    year: readYear(tags.date),
  }
}

type Titled = Pick<CatalogRow, 'playerTitle' | 'fileName' | 'fileNameOriginal' | 'info'>

/**
 * Returns the display name of a track (contract, section 3): the first that is not blank of its title, the title tag, the
 * name that the client sent with all its letters, and the safe name.
 */
export const readTitle = ({ playerTitle, info, fileName, fileNameOriginal }: Titled): string =>
  // A form that was cleared sends an empty title.
  filled(playerTitle) ??
  readTrackTags(info).title ??
  filled(withoutExtension(lastPart(fileNameOriginal ?? ''))) ??
  withoutExtension(fileName)

/** Returns the artist of a track. Empty when it was set to an empty text, null without one. */
export const readArtist = ({ playerSubtitle, info }: Pick<CatalogRow, 'playerSubtitle' | 'info'>): string | null =>
  playerSubtitle ?? readTrackTags(info).artist

/** Reads each name and number of a track that applies: the value that was set, else that of the recording's tags. */
export const catalogReaders = {
  title: readTitle,
  artist: (track: CatalogRow) => readArtist(track) || null,
  album: ({ album, info }: CatalogRow) => (album ?? readTrackTags(info).album) || null,
  trackNumber: ({ trackNumber, info }: CatalogRow) => trackNumber ?? readTrackTags(info).trackNumber,
  discNumber: ({ discNumber, info }: CatalogRow) => discNumber ?? readTrackTags(info).discNumber,
  isrc: ({ isrc, info }: CatalogRow) => isrc ?? readTrackTags(info).isrc,
  year: ({ year, info }: Pick<CatalogRow, 'year' | 'info'>) => year ?? readTrackTags(info).year,
}
