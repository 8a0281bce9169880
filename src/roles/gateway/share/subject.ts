import { sharePath } from '../../../domain/access/key/manage.ts'
import {
  findSharedCollection,
  findSharedTrack,
  type SharedCollection,
  type SharedCover,
  type SharedPart,
  type SharedTrack,
} from '../../../domain/playback/share.ts'
import type { Services } from '../../../platform/context.ts'
import type { TranscriptForm } from '../../../platform/db/generated/client/enums.ts'
import type { DrawnColors } from '../../../platform/media/cover/draw.ts'
import { type CoverSize, coverFormats, coverSizes } from '../../../platform/media/cover/sizes.ts'
import { createPalette } from './palette.ts'

/** The subject of a share link, from its address. */
export interface ShareSubject {
  kind: 'track' | 'collection'
  id: string
  apiKey: string
}

/** The subject of a share link: a track, or a collection with the track that plays first. */
export interface Shared extends ShareSubject {
  track: SharedTrack
  /** Null for a single track. */
  collection: SharedCollection | null
}

/**
 * @param part the part to read. A collection has no chapters
 * @returns null for any link that does not work
 */
export async function findShared(services: Services, subject: ShareSubject, part: SharedPart): Promise<Shared | null> {
  if (subject.kind === 'track') {
    const track = await findSharedTrack(services, subject.id, subject.apiKey, part)
    return track && { ...subject, track, collection: null }
  }
  if (part === 'chapters' || part === 'transcript' || part === 'list') return null
  const collection = await findSharedCollection(services, subject.id, subject.apiKey, part)
  const [track] = collection?.tracks ?? []
  return collection && track ? { ...subject, track, collection } : null
}

export const titleOf = ({ track, collection }: Shared) => collection?.title ?? track.title
export const subtitleOf = ({ track, collection }: Shared) => (collection ?? track).subtitle
export const coverOf = ({ track, collection }: Shared) => (collection ?? track).cover

/** Paths of share links, below the public address of the service. */
export const toSubjectPath = ({ kind, id, apiKey }: ShareSubject) => sharePath(kind, id, apiKey)
export const pagePath = (subject: ShareSubject) => `/s/${toSubjectPath(subject)}`
export const embedPath = (subject: ShareSubject) => `/embed/${toSubjectPath(subject)}`
export const feedPath = (subject: ShareSubject) => `${pagePath(subject)}/feed.xml`
export const downloadPath = (subject: ShareSubject) => `${pagePath(subject)}/download`
export const chaptersPath = (subject: ShareSubject) => `${pagePath(subject)}/chapters.json`
/** @param language of a translation. Defaults to the transcription itself */
export const transcriptPath = (subject: ShareSubject, form: TranscriptForm, language?: string) =>
  `${pagePath(subject)}/transcript.${form}${language ? `?language=${encodeURIComponent(language)}` : ''}`
/** Media types of the Podcast Namespace. */
export const transcriptTypes: Record<TranscriptForm, string> = {
  vtt: 'text/vtt',
  srt: 'application/x-subrip',
  txt: 'text/plain',
}
/**
 * Path of the cover in a size. It is valid as long as the page of the subject, and differs for another picture: podcast
 * apps and chats keep a picture by its address.
 */
export const coverPath = (subject: ShareSubject, { version }: Pick<SharedCover, 'version'>, size: SharedCoverSize) =>
  `${pagePath(subject)}/${coverFile(size)}?v=${version}`
/** Sizes of a cover below a share link: also the JPEG for podcast directories. */
export type SharedCoverSize = CoverSize | 'artwork'
const coverFile = (size: SharedCoverSize) => (size === 'large' ? 'cover.jpg' : `cover-${size}.jpg`)

/** Colors of the picture that is drawn for a track without a cover. */
export function findDrawnColors({ colors: { chosen, fallback } }: SharedTrack): DrawnColors {
  const { music, onMusic } = createPalette([], chosen, fallback).light
  return { ground: music, rays: onMusic }
}

/** A picture below a share link. */
interface SharedPicture {
  path: string
  /** Pixels. */
  width: number
  height: number
  type: string
}

/** Returns the picture of a share link: its cover, or the one that is drawn in the color of the music. */
export function findPicture(shared: Shared, size: CoverSize): SharedPicture {
  const cover = coverOf(shared)
  if (cover) return { ...cover.images[size], path: coverPath(shared, cover, size) }
  const edge = coverSizes[size]
  return { path: drawnPath(shared, size), width: edge, height: edge, type: coverFormats.jpg }
}

/** Returns the path of the picture of a share link for podcast directories. */
export function findArtworkPath(shared: Shared): string {
  const cover = coverOf(shared)
  if (!cover) return drawnPath(shared, 'artwork')
  return coverPath(shared, cover, cover.artworkUrl ? 'artwork' : 'large')
}

const drawnPath = (shared: Shared, size: SharedCoverSize) =>
  coverPath(shared, { version: findDrawnColors(shared.track).ground.slice(1) }, size)

export const streamPath = (trackId: string, apiKey: string) => `/v1/stream/${trackId}/${apiKey}`
