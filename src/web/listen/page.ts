export type TranscriptForm = 'vtt' | 'srt' | 'txt'

/** A track, as the page's data has it (roles/gateway/share). */
export interface Track {
  id: string
  title: string
  subtitle: string
  durationSeconds: number | null
  levels: number[] | null
  cover: string | null
  /** Every size of the cover. */
  artwork: { src: string; sizes: string; type: string }[]
  palette: Record<'light' | 'dark', Record<string, string>>
  year: number | null
  transcription: string | null
  transcriptionLanguage: string | null
  /** Null without a transcription. */
  transcriptForm: TranscriptForm | null
  /** Other languages that it is offered in, with the address of each. */
  translations: { language: string; form: TranscriptForm; path: string }[]
  chapters: Chapter[]
  stream: string
  /** Address of its playlist, which counts a play, too. Null unless it is an adaptive stream. */
  playlist: string | null
  /** Address that counts a play and saves the file. Null where the link does not allow it. */
  download: string | null
  /** Address of the track's own page. */
  page: string
  /** Address at which the page reports what is heard. Null when it does not. */
  listening: string | null
}

export interface Chapter {
  title: string
  startSeconds: number
  url: string | null
}

/** A track of a collection, whose other values are loaded when it plays. */
export interface ListedTrack {
  id: string
  title: string
  subtitle: string
  durationSeconds: number | null
  page: string
  data: string
}

interface PageData {
  track: Track
  /** Of a collection. */
  list: ListedTrack[]
  /** Title of the collection. Empty without one. */
  album: string
  /** The player for other sites. */
  frame: { path: string; width: number; height: number }
  /** Whether the address of a frame has chosen its color. */
  isColorFixed: boolean
}

export const find = <E extends Element>(id: string) => document.getElementById(id) as unknown as E

export const pageData: PageData = JSON.parse(find<HTMLElement>('data').textContent ?? '')
export const isEmbedded = document.documentElement.classList.contains('embed')

/** Texts of the page in its language. */
const texts = find<HTMLElement>('player').dataset

/** @param values by the name of their placeholder in the text, as in `{count}` */
export const text = (name: string, values: Record<string, string | number> = {}) =>
  (texts[name] ?? '').replace(/\{(\w+)\}/g, (placeholder, value: string) => String(values[value] ?? placeholder))

/** A time as `4:05` or `1:04:05`. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const visibleParts = parts[0] ? parts : parts.slice(1)
  return visibleParts.map((part, at) => String(part).padStart(at ? 2 : 1, '0')).join(':')
}

/** A length in words. */
export function describeLength(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (seconds < 60) return text('seconds', { seconds: Math.round(seconds) })
  if (minutes < 60) return text('minutes', { minutes })
  return text('hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
}
