import { language, type TextName, t } from '../../../strings.ts'
import type { OrderedTrackFragment as Track, TrackOrder } from '../../generated/operations.ts'

/** Orders of a list, by their name in the address of the page. */
export const listSorts = {
  album: { text: 'order.album', order: { field: 'ORDER', direction: 'ASC' } },
  newest: { text: 'order.newest', order: { field: 'CREATED_AT', direction: 'DESC' } },
  oldest: { text: 'order.oldest', order: { field: 'CREATED_AT', direction: 'ASC' } },
  changed: { text: 'order.changed', order: { field: 'UPDATED_AT', direction: 'DESC' } },
  title: { text: 'library.title', order: { field: 'TITLE', direction: 'ASC' } },
  artist: { text: 'library.artist', order: { field: 'ARTIST', direction: 'ASC' } },
  shortest: { text: 'order.shortest', order: { field: 'DURATION', direction: 'ASC' } },
  longest: { text: 'order.longest', order: { field: 'DURATION', direction: 'DESC' } },
  file: { text: 'library.fileName', order: { field: 'FILE_NAME', direction: 'ASC' } },
} satisfies Record<string, { text: TextName; order: TrackOrder }>

export type ListSort = keyof typeof listSorts
export const isListSort = (name: string): name is ListSort => Object.hasOwn(listSorts, name)

const { compare } = new Intl.Collator(language, { numeric: true, sensitivity: 'base' })
type Compare = (one: Track, other: Track) => number
/** Unknown numbers are the last. */
const compareBy =
  (...read: ((track: Track) => number | null)[]): Compare =>
  (one, other) =>
    read.reduce((sign, part) => sign || (part(one) ?? MANY) - (part(other) ?? MANY), 0)
const MANY = Number.MAX_SAFE_INTEGER

/** Orders that a person gives the tracks of a collection. Tracks that are equal keep their order. */
export const trackSorts = {
  trackNumber: {
    text: 'library.trackNumber',
    compare: compareBy(
      ({ discNumber }) => discNumber ?? 1,
      ({ trackNumber }) => trackNumber,
    ),
  },
  title: { text: 'library.title', compare: (one, other) => compare(one.title, other.title) },
  artist: { text: 'library.artist', compare: (one, other) => compare(one.artist ?? '', other.artist ?? '') },
  duration: { text: 'library.duration', compare: compareBy(({ duration }) => duration) },
  fileName: { text: 'library.fileName', compare: (one, other) => compare(one.fileName, other.fileName) },
  createdAt: { text: 'library.createdAt', compare: compareBy(({ createdAt }) => Date.parse(createdAt)) },
} satisfies Record<string, { text: TextName; compare: Compare }>

export type TrackSort = keyof typeof trackSorts
export const isTrackSort = (name: string): name is TrackSort => Object.hasOwn(trackSorts, name)

/** Choices of a field, with their texts. */
export const toChoices = (sorts: Record<string, { text: TextName }>) =>
  Object.entries(sorts).map(([id, { text }]) => ({ id, text: t(text) }))
