import type { Services } from '../../platform/context.ts'
import type { Prisma, VariantType } from '../../platform/db/generated/client/client.ts'
import type { Span } from '../../platform/media/trim.ts'
import { isUuid } from '../../platform/schema/uuid.ts'
import { parseKey } from '../access/key/key.ts'
import { deliveryRoot } from '../delivery/address.ts'
import { coverImageOf, type PublicCover } from '../organization/cover/public.ts'
import { chaptersWithin, effectiveChapters, type TrackChapter } from '../track/chapter/effective.ts'
import { capturedSpan } from '../track/file/captured.ts'
import { effectivePlayer } from '../track/player.ts'
import { withPlayback } from './session/playback.ts'
import { byPlace } from './session/service.ts'

/** Tracks on a collection's page and in its feed. */
export const MAX_SHARED_TRACKS = 500

/** A track of a share link, as its listener sees it. */
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
  cover: PublicCover | null
  /** Legible on light and on dark backgrounds. */
  colors: { light: string; dark: string }
  transcription: string | null
  /** BCP 47 tag. */
  transcriptionLanguage: string | null
  chapters: TrackChapter[]
  /** The file that the stream link plays. */
  file: { contentType: string; bytes: number }
  organizationName: string
  /** Origin of the files' addresses. */
  filesOrigin: string
}

/** A collection of a share link. */
export interface SharedCollection {
  id: string
  title: string
  /** Empty without one. */
  subtitle: string
  cover: PublicCover | null
  organizationName: string
  /** Playable tracks in their order, at most MAX_SHARED_TRACKS. Not empty. Only the first has levels and its own cover. */
  tracks: SharedTrack[]
}

const withShare = {
  ...withPlayback,
  organization: { select: { ...withPlayback.organization.select, name: true } },
  collection: { select: { ...withPlayback.collection.select, id: true, title: true } },
} as const
type TrackWithShare = Prisma.TrackGetPayload<{ include: typeof withShare }>

type ShareKey = Prisma.ApiKeyGetPayload<object> & { variantId: string }

/** Returns the key if the stream link would accept it now (`ledger.resolve_links` has the same rules), else null. */
async function findShareKey({ db, clock }: Services, apiKey: string): Promise<ShareKey | null> {
  const parsed = parseKey(apiKey)
  if (parsed?.kind !== 'share') return null
  const now = clock()
  const key = await db.apiKey.findFirst({
    where: { hash: parsed.hash, kind: 'share', revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
  })
  return key?.variantId ? { ...key, variantId: key.variantId } : null
}

/** The tracks that a stream link with the key would play. */
const playableBy = (key: ShareKey): Prisma.TrackWhereInput => ({
  organizationId: key.organizationId,
  deletedAt: null,
  collection: { deletedAt: null },
  ...(key.collectionId && { collectionId: key.collectionId }),
  ...(key.trackId && { id: key.trackId }),
  ...(key.creatorId && { creatorId: key.creatorId }),
  files: { some: { variantId: key.variantId, state: 'done', variant: { deletedAt: null } } },
})

/** Loads the file that plays, and the files of further types. */
const withFiles = ({ variantId }: ShareKey, types: VariantType[]) => ({
  ...withShare,
  files: {
    ...withShare.files,
    where: {
      state: 'done' as const,
      variant: { deletedAt: null },
      OR: [{ variantId }, { variant: { type: { in: types } } }],
    },
  },
})

/**
 * Finds the track of a share link, without counting a play.
 * @returns null whenever the stream link answers 404: the cause is not disclosed (contract, section 6)
 */
export async function findSharedTrack(services: Services, id: string, apiKey: string): Promise<SharedTrack | null> {
  const key = isUuid(id) ? await findShareKey(services, apiKey) : null
  if (!key) return null
  return readTrack(services, key, id)
}

async function readTrack(services: Services, key: ShareKey, id: string): Promise<SharedTrack | null> {
  const where = { AND: [playableBy(key), { id }] }
  const track = await services.reader.readFirst('Track', { where, include: withFiles(key, ['levels', 'cover']) })
  return track && toShared(services, track as TrackWithShare, key)
}

/**
 * Finds the collection of a share link, with the tracks that the key plays.
 * @returns null if the key plays no track of it, or only a single track
 */
export async function findSharedCollection(
  services: Services,
  id: string,
  apiKey: string,
): Promise<SharedCollection | null> {
  const key = isUuid(id) ? await findShareKey(services, apiKey) : null
  if (!key || key.trackId) return null
  const tracks = (await services.reader.readMany('Track', {
    where: { AND: [playableBy(key), { collectionId: id }] },
    include: withFiles(key, []),
    orderBy: byPlace,
    take: MAX_SHARED_TRACKS,
  })) as TrackWithShare[]
  const [shown] = tracks
  // Only the track that plays first is shown with its waveform and cover.
  const first = shown && (await readTrack(services, key, shown.id))
  if (!first) return null
  const { organization, collection } = shown
  return {
    id: collection.id,
    title: collection.title,
    subtitle: collection.playerSubtitle ?? '',
    cover: coverImageOf(services, organization, { organization, collection }),
    organizationName: organization.name,
    tracks: [first, ...tracks.slice(1).map((track) => toShared(services, track, key))],
  }
}

function toShared(services: Services, track: TrackWithShare, { variantId }: ShareKey): SharedTrack {
  const { organization, collection } = track
  const player = effectivePlayer(track)
  const dataOf = (type: string) => track.files.find(({ variant }) => variant.type === type)?.data ?? null
  const played = track.files.find((file) => file.variantId === variantId)
  const span = played ? capturedSpan(played) : null
  const [levels, chapters] = [dataOf('levels') as { levels?: number[] } | null, effectiveChapters(track)]
  return {
    id: track.id,
    title: player.playerTitle,
    subtitle: player.playerSubtitle,
    durationSeconds: span?.durationSeconds ?? track.durationSeconds,
    createdAt: track.createdAt,
    levels: levels?.levels ? levelsWithin(levels.levels, track.durationSeconds, span) : null,
    cover: coverImageOf(services, organization, { organization, collection, own: dataOf('cover') }),
    colors: { light: player.playerColorLight, dark: player.playerColorDark },
    transcription: track.transcription,
    transcriptionLanguage: track.transcriptionLanguage,
    chapters: span ? chaptersWithin(chapters, span) : chapters,
    file: { contentType: played?.contentType ?? 'audio/mpeg', bytes: Number(played?.size ?? 0) },
    organizationName: organization.name,
    filesOrigin: new URL(deliveryRoot(services, organization.domain)).origin,
  }
}

/** The levels of the part of a recording that plays. */
function levelsWithin(levels: readonly number[], durationSeconds: number | null, span: Span | null): number[] {
  if (!span || !durationSeconds) return [...levels]
  const placeOf = (seconds: number) => (levels.length * seconds) / durationSeconds
  const from = Math.floor(placeOf(span.startSeconds))
  return levels.slice(from, Math.max(from + 1, Math.ceil(placeOf(span.startSeconds + span.durationSeconds))))
}
