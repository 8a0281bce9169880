import type { Services } from '../../platform/context.ts'
import type { EpisodeType, PodcastType } from '../../platform/db/generated/client/enums.ts'
import type { SharedCollection, SharedTrack } from './share.ts'

/** A collection as a podcast. */
export interface Podcast {
  title: string
  description: string
  /** BCP 47 tag. Null when not set. */
  language: string | null
  /** A category of Apple Podcasts: `Arts`, `Arts > Books`. Null when not set. */
  category: string | null
  type: PodcastType
  isExplicit: boolean
  author: string
  /** Null without an email address. */
  owner: { name: string; email: string } | null
  /** Last change of one of its records. */
  updatedAt: Date
  /** Episodes that are published, in the order of the collection. */
  episodes: Episode[]
}

/** A track as an episode. */
export interface Episode {
  track: SharedTrack
  /** Empty without one. */
  description: string
  /** Whole seconds, different for each episode of the podcast. */
  publishedAt: Date
  season: number | null
  episode: number | null
  type: EpisodeType
  isExplicit: boolean
}

const podcastColumns = {
  description: true,
  language: true,
  podcastCategory: true,
  podcastType: true,
  isExplicit: true,
  author: true,
  ownerName: true,
  ownerEmail: true,
  updatedAt: true,
} as const
const episodeColumns = {
  id: true,
  description: true,
  publishedAt: true,
  season: true,
  episode: true,
  episodeType: true,
  isExplicit: true,
  updatedAt: true,
} as const

/** Reads a shared collection as a podcast. Null when it does not exist any more. */
export async function findPodcast(services: Services, collection: SharedCollection): Promise<Podcast | null> {
  const { tracks, organizationName } = collection
  const [row, trackRows] = await Promise.all([
    services.reader.readFirst('Collection', { where: { id: collection.id }, select: podcastColumns }),
    services.reader.readMany('Track', {
      where: { id: { in: tracks.map(({ id }) => id) } },
      select: episodeColumns,
    }),
  ])
  if (!row) return null
  const rows = new Map(trackRows.map((trackRow) => [trackRow.id, trackRow]))
  const entries = tracks.flatMap((track) => {
    const trackRow = rows.get(track.id)
    return trackRow ? [{ ...trackRow, track }] : []
  })
  const dates = dateEpisodes(entries.map(({ publishedAt, track }) => ({ publishedAt, createdAt: track.createdAt })))
  const places = row.podcastType === 'serial' ? numberEpisodes(entries) : []
  const now = services.clock()
  const author = row.author || organizationName
  const episodes = entries.map((entry, at) => ({
    track: entry.track,
    description: entry.description || entry.track.subtitle,
    publishedAt: dates[at] ?? entry.track.createdAt,
    season: entry.season,
    episode: entry.episode ?? places[at] ?? null,
    type: entry.episodeType,
    isExplicit: entry.isExplicit ?? row.isExplicit,
  }))
  const published = episodes.filter(({ publishedAt }) => publishedAt <= now)
  const times = [row, ...trackRows].map(({ updatedAt }) => updatedAt.getTime())
  return {
    title: collection.title,
    description: row.description || collection.subtitle || collection.title,
    language: row.language,
    category: row.podcastCategory,
    type: row.podcastType,
    isExplicit: row.isExplicit,
    author,
    owner: row.ownerEmail ? { name: row.ownerName || author, email: row.ownerEmail } : null,
    updatedAt: new Date(Math.max(...times, ...published.map(({ publishedAt }) => publishedAt.getTime()))),
    episodes: published,
  }
}

const SECOND_MS = 1000

interface Dated {
  /** The time that a client has set, or null. */
  publishedAt: Date | null
  createdAt: Date
}

/**
 * Returns the times of publication of tracks in their order, in whole seconds, because RSS has no fractions, and each
 * different: apps sort by them. A time that a client has set moves only past an equal one before it. Others are the time
 * of creation or, if that is later, one second before the next of them: they are in order, none is in the future, and a
 * track that is added at the end changes none (decision 0069).
 */
export function dateEpisodes(tracks: readonly Dated[]): Date[] {
  const usedSeconds = new Set<number>()
  const toSeconds = (time: Date) => Math.floor(time.getTime() / SECOND_MS)
  const use = (seconds: number, step: 1 | -1) => {
    let free = seconds
    while (usedSeconds.has(free)) free += step
    usedSeconds.add(free)
    return free
  }
  const seconds = tracks.map(({ publishedAt }) => publishedAt && use(toSeconds(publishedAt), 1))
  let limit = Number.POSITIVE_INFINITY
  for (const [at, { createdAt }] of [...tracks.entries()].reverse()) {
    if (seconds[at] !== null) continue
    const free = use(Math.min(toSeconds(createdAt), limit), -1)
    seconds[at] = free
    limit = free - 1
  }
  return seconds.map((value) => new Date((value ?? 0) * SECOND_MS))
}

/** Returns the place of each full episode in its season, from 1. Null for trailers and extras. */
function numberEpisodes(tracks: readonly { season: number | null; episodeType: EpisodeType }[]): (number | null)[] {
  const counts = new Map<number | null, number>()
  return tracks.map(({ season, episodeType }) => {
    if (episodeType !== 'full') return null
    const place = (counts.get(season) ?? 0) + 1
    counts.set(season, place)
    return place
  })
}
