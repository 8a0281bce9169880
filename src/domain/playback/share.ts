import { extname } from 'node:path'
import type { Services } from '../../platform/context.ts'
import type { Prisma, Track, TranscriptForm, VariantType } from '../../platform/db/generated/client/client.ts'
import type { Span } from '../../platform/media/trim.ts'
import { type Delivery, deliveryRoot, downloadUrl, signedUrl } from '../delivery/address.ts'
import { type PublicCover, toCoverImage } from '../organization/cover/public.ts'
import { findArtwork, type ImagesOfCover, type StoredImage } from '../organization/cover/stored.ts'
import { type CoverTiers, inheritedCover, inheritedTheme } from '../organization/inherit.ts'
import type { ThemeColor } from '../organization/record.ts'
import { catalogReaders } from '../track/catalog/effective.ts'
import { chaptersWithin, effectiveChapters, type TrackChapter } from '../track/chapter/effective.ts'
import { capturedSpan } from '../track/file/captured.ts'
import { effectivePlayer } from '../track/player.ts'
import { convertTranscript, readTranscriptForm } from '../track/transcript/forms.ts'
import { byLanguage, findTranslatedText, isSameLanguage } from '../track/translation/service.ts'
import { findOpenTrack, listOpenTracks, type OpenTrack } from './open-link.ts'
import { withPlayback } from './session/playback.ts'
import { byPlace } from './session/service.ts'

/** Tracks on a collection's page and in its feed. */
export const MAX_SHARED_TRACKS = 500

/** The cover of a share link. */
export interface SharedCover {
  images: PublicCover
  /** Address of the JPEG for podcast directories, valid for an hour. Null without one. */
  artworkUrl: string | null
  /** Differs for another picture. */
  version: string
}

/** Colors from which those of a page derive. */
export interface SharedColors {
  /** Colors of the cover, largest area first. Empty without one. */
  theme: ThemeColor[]
  /** Color that the track or its collection has been given. Null without one. */
  chosen: string | null
  /** Of the organization. */
  fallback: string
}

/** A track of a share link, as its listener sees it. Values that are not of the requested part are empty or null. */
export interface SharedTrack {
  id: string
  title: string
  /** Empty without one. */
  subtitle: string
  /** Of the file that plays. */
  durationSeconds: number | null
  createdAt: Date
  /** Values from 0 to 1: 320 for a whole recording. Null without a waveform. */
  levels: number[] | null
  cover: SharedCover | null
  colors: SharedColors
  /** Empty without one. */
  description: string
  /** Year of the recording. Null without one. */
  year: number | null
  transcription: string | null
  /** Null without a transcription. Its times are those of the whole recording: for a part of it, it is text. */
  transcriptForm: TranscriptForm | null
  /** BCP 47 tag. */
  transcriptionLanguage: string | null
  /** Other languages that the transcription is offered in. The form is that of its text as for the transcription. */
  translations: { language: string; form: TranscriptForm }[]
  chapters: TrackChapter[]
  /** The file that the stream link plays. It may be the best one of an adaptive stream. `isPart`: not the whole recording. */
  file: { contentType: string; bytes: number; extension: string; isAdaptive: boolean; isPart: boolean }
  organizationId: string
  organizationName: string
  /** Whether search engines may list its page. */
  isIndexable: boolean
  /** Hosts of the sites that may show its player in a frame. Empty for any. */
  sites: string[]
  /** Address at which a browser saves the file, valid for an hour. Null unless the key allows it. */
  downloadUrl: string | null
  /** Address of the organization's own cover, valid for an hour. Null without one. */
  organizationLogo: string | null
  /** Origin of the files' addresses. */
  filesOrigin: string
}

/** A collection of a share link. */
export interface SharedCollection {
  id: string
  title: string
  /** Empty without one. */
  subtitle: string
  cover: SharedCover | null
  /** Empty without one. */
  description: string
  organizationName: string
  /** Whether the link is the feed of one subscriber. */
  isPrivate: boolean
  /** Playable tracks in their order, at most MAX_SHARED_TRACKS. Not empty. */
  tracks: SharedTrack[]
}

/**
 * The part of a track or collection that a client asks for. `list`: a row of a page. `embed`: what oEmbed shows, or the
 * cover alone.
 * A part decides the columns and files that are read: transcriptions and other long values are read for one track only.
 */
export type SharedPart = 'page' | 'list' | 'feed' | 'chapters' | 'transcript' | 'embed'

const shortColumns = {
  id: true,
  playerTitle: true,
  playerSubtitle: true,
  playerColor: true,
  fileName: true,
  fileNameOriginal: true,
  year: true,
  durationSeconds: true,
  createdAt: true,
} as const
const chapterValues = { chapters: true, sourceChapters: true } as const
const transcriptValues = { transcription: true, transcriptionLanguage: true } as const
const translationValues = { translations: { select: { language: true, form: true }, orderBy: byLanguage } } as const
const columnsOf: Record<SharedPart, Prisma.TrackSelect> = {
  page: { ...chapterValues, ...transcriptValues, ...translationValues, theme: true, description: true },
  list: {},
  feed: { ...chapterValues, ...translationValues, transcriptionLanguage: true },
  chapters: chapterValues,
  transcript: transcriptValues,
  embed: {},
}
/** Types of files that are read in addition to the one that plays. */
const fileTypesOf: Record<SharedPart, VariantType[]> = {
  page: ['levels', 'cover'],
  list: [],
  feed: ['cover'],
  chapters: [],
  transcript: [],
  embed: ['levels', 'cover'],
}
const themeColumns = { theme: true, isThemeOverridable: true } as const
const recordsAbove = {
  organization: {
    select: { ...withPlayback.organization.select, ...themeColumns, id: true, name: true, isIndexable: true },
  },
  collection: {
    select: { ...withPlayback.collection.select, ...themeColumns, id: true, title: true, description: true },
  },
} as const
const fileColumns = {
  variantId: true,
  contentType: true,
  size: true,
  path: true,
  data: true,
  props: true,
  variant: { select: { type: true } },
} as const
type SharedRow = Prisma.TrackGetPayload<{
  select: typeof shortColumns & typeof recordsAbove & { files: { select: typeof fileColumns } }
}> &
  Partial<
    Pick<Track, 'chapters' | 'sourceChapters' | 'transcription' | 'transcriptionLanguage' | 'theme' | 'description'> &
      Pick<SharedTrack, 'translations'>
  >

/**
 * Finds the track of a share link, without counting a play.
 * @returns null whenever the stream link answers 404: the cause is not disclosed (contract, section 6)
 */
export async function findSharedTrack(
  services: Services,
  id: string,
  apiKey: string,
  part: SharedPart,
): Promise<SharedTrack | null> {
  const open = await findOpenTrack(services, id, apiKey)
  const [track] = open ? await readTracks(services, [open], part) : []
  return track?.shared ?? null
}

/**
 * Finds the collection of a share link, with the tracks that the key plays.
 * @param part of a page, only the first track has all values, the others those of `list`; of `embed` there is one track
 * @returns null if the key plays no track of it, or only a single track
 */
export async function findSharedCollection(
  services: Services,
  id: string,
  apiKey: string,
  part: 'page' | 'feed' | 'embed',
): Promise<SharedCollection | null> {
  const open = await listOpenTracks(services, id, apiKey, part === 'embed' ? 1 : MAX_SHARED_TRACKS)
  const count = part === 'page' ? 1 : open.length
  const tracks = [
    ...(await readTracks(services, open.slice(0, count), part)),
    ...(await readTracks(services, open.slice(count), 'list')),
  ]
  const [first] = tracks
  if (!first) return null
  const { organization, collection } = first.row
  return {
    id: collection.id,
    title: collection.title,
    subtitle: collection.playerSubtitle ?? '',
    cover: toSharedCover(services, organization, { organization, collection }),
    description: collection.description ?? '',
    organizationName: organization.name,
    isPrivate: open.some(({ isPrivate }) => isPrivate),
    tracks: tracks.map(({ shared }) => shared),
  }
}

/** A text of what is said, with its language as a BCP 47 tag. */
export interface SharedTranscript {
  text: string
  /** Null if unknown. */
  language: string | null
}

/**
 * Reads the transcript of a shared track in a language.
 * @param language a BCP 47 tag. Null: of the transcription
 * @returns null without one
 */
export async function findSharedTranscript(
  services: Services,
  { id, transcription, transcriptionLanguage, file }: SharedTrack,
  language: string | null,
): Promise<SharedTranscript | null> {
  if (language === null || (transcription && isSameLanguage(transcriptionLanguage, language)))
    return transcription ? { text: transcription, language: transcriptionLanguage } : null
  const translation = await findTranslatedText(services, id, language)
  const text = translation && (file.isPart ? convertTranscript(translation, 'txt') : translation)
  return text ? { text, language } : null
}

/** Reads open tracks of one key, in the order of their collection. */
async function readTracks(services: Services, open: readonly OpenTrack[], part: SharedPart) {
  const [first] = open
  if (!first) return []
  const { variantId } = first
  const files = {
    where: {
      state: 'done' as const,
      OR: [{ variantId }, { variant: { deletedAt: null, type: { in: fileTypesOf[part] } } }],
    },
    select: fileColumns,
    orderBy: withPlayback.files.orderBy,
  }
  const rows = (await services.reader.readMany('Track', {
    where: { id: { in: open.map(({ id }) => id) } },
    select: { ...shortColumns, ...columnsOf[part], ...recordsAbove, files },
    orderBy: byPlace,
  })) as SharedRow[]
  const openTracks = new Map(open.map((track) => [track.id, track]))
  return rows.map((row) => ({ row, shared: toShared(services, row, openTracks.get(row.id) ?? first) }))
}

function toShared(services: Services, track: SharedRow, openTrack: OpenTrack): SharedTrack {
  const { variantId, title, artist, date, transcriptionHead } = openTrack
  const { organization, collection } = track
  const info = { tags: { ...(title && { title }), ...(artist && { artist }), ...(date && { date }) } }
  const player = effectivePlayer({ ...track, info })
  const dataOf = (type: string) => track.files.find(({ variant }) => variant.type === type)?.data ?? null
  const played = track.files.find((file) => file.variantId === variantId)
  const span = played ? capturedSpan(played) : null
  const levels = dataOf('levels') as { levels?: number[] } | null
  const { chapters = null, sourceChapters = null, transcription = null, durationSeconds } = track
  const allChapters = effectiveChapters({ chapters, sourceChapters, durationSeconds })
  return {
    id: track.id,
    title: player.playerTitle,
    subtitle: player.playerSubtitle,
    durationSeconds: span?.durationSeconds ?? durationSeconds,
    createdAt: track.createdAt,
    levels: levels?.levels ? levelsWithin(levels.levels, durationSeconds, span) : null,
    cover: toSharedCover(services, organization, { organization, collection, trackCover: dataOf('cover') }),
    colors: {
      theme: inheritedTheme({ organization, collection, trackTheme: track.theme }) as ThemeColor[],
      chosen: track.playerColor ?? collection.playerColor,
      fallback: organization.playerColor,
    },
    description: track.description ?? '',
    year: catalogReaders.year({ year: track.year, info }),
    transcription: transcription && span ? convertTranscript(transcription, 'txt') : transcription,
    transcriptForm: transcriptionHead === null ? null : span ? 'txt' : readTranscriptForm(transcriptionHead),
    transcriptionLanguage: track.transcriptionLanguage ?? null,
    translations: (track.translations ?? [])
      .filter(({ language }) => transcriptionHead === null || !isSameLanguage(track.transcriptionLanguage, language))
      .map(({ language, form }) => ({ language, form: span ? 'txt' : form })),
    chapters: span ? chaptersWithin(allChapters, span) : allChapters,
    file: toPlayedFile(played, span !== null),
    organizationId: organization.id,
    organizationName: organization.name,
    isIndexable: organization.isIndexable && !openTrack.isPrivate,
    sites: openTrack.sites,
    downloadUrl: openTrack.isDownloadable ? toDownloadUrl(services, organization, played) : null,
    organizationLogo: toCoverImage(services, organization, { organization })?.small.url ?? null,
    filesOrigin: new URL(deliveryRoot(services, organization.domain)).origin,
  }
}

const toPlayedFile = (played: SharedRow['files'][number] | undefined, isPart: boolean): SharedTrack['file'] => ({
  contentType: played?.contentType ?? 'audio/mpeg',
  bytes: Number(played?.size ?? 0),
  extension: extname(played?.path ?? '').slice(1) || 'mp3',
  isAdaptive: played?.variant.type === 'adaptive',
  isPart,
})

const toDownloadUrl = (services: Services, delivery: Delivery, file: { path: string | null } | undefined) =>
  file?.path ? downloadUrl(services, delivery, file.path) : null

const VERSION_LENGTH = 8

function toSharedCover(services: Services, delivery: Delivery, tiers: CoverTiers): SharedCover | null {
  const stored = inheritedCover(tiers) as ImagesOfCover<StoredImage> | null
  const images = toCoverImage(services, delivery, tiers)
  if (!stored || !images) return null
  const artwork = findArtwork(stored)
  return {
    images,
    artworkUrl: artwork && signedUrl(services, delivery, artwork.path),
    version: stored.large.sha256.slice(0, VERSION_LENGTH),
  }
}

/** The levels of the part of a recording that plays. */
function levelsWithin(levels: readonly number[], durationSeconds: number | null, span: Span | null): number[] {
  if (!span || !durationSeconds) return [...levels]
  const toPlace = (seconds: number) => (levels.length * seconds) / durationSeconds
  const from = Math.floor(toPlace(span.startSeconds))
  return levels.slice(from, Math.max(from + 1, Math.ceil(toPlace(span.startSeconds + span.durationSeconds))))
}
