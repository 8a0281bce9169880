import type { useRun } from '../api.ts'
import {
  CollectionLinksDocument,
  type CollectionLinksQuery,
  type LinkRowFragment as Link,
  type LinkVariantFragment as LinkVariant,
  TrackLinksDocument,
  type TrackLinksQuery,
} from '../generated/operations.ts'
import { formatAddresses, type Subject } from './share-address.ts'
import { isPlayed } from './variants.ts'

/** The ID of a track or of a collection. */
export type Shareable = { trackId: string; collectionId?: undefined } | { collectionId: string; trackId?: undefined }

/** A track or collection with its links. */
export interface SharedSubject {
  subject: Subject
  subtitle: string | null
  coverUrl: string | undefined
  collectionId: string
  /** Variants that a link to it may open. */
  variants: readonly LinkVariant[]
  /** The latest ones that are not revoked. Those of a collection's tracks are among its links. */
  links: readonly Link[]
  linkCount: number
}

/** Reads a subject with its links, outside of rendering. */
export async function readSubject(
  run: ReturnType<typeof useRun>,
  { trackId, collectionId }: Shareable,
): Promise<SharedSubject | null> {
  if (trackId !== undefined) return ofTrack(await run(TrackLinksDocument, { id: trackId }))
  return ofCollection(await run(CollectionLinksDocument, { id: collectionId }))
}

export function ofCollection({ collection, variants, keys }: CollectionLinksQuery): SharedSubject | null {
  if (!collection) return null
  return {
    subject: { kind: 'collection', id: collection.id, title: collection.title },
    subtitle: collection.playerSubtitle ?? null,
    coverUrl: collection.coverImage?.regular.url,
    collectionId: collection.id,
    variants: variants.nodes,
    links: keys.nodes,
    linkCount: keys.totalCount,
  }
}

export function ofTrack({ track, keys }: TrackLinksQuery): SharedSubject | null {
  if (!track) return null
  const files = track.files.filter(({ isSuccess, variant }) => isSuccess && isPlayed(variant))
  return {
    subject: { kind: 'track', id: track.id, title: track.title },
    subtitle: track.artist,
    coverUrl: track.coverImage?.regular.url,
    collectionId: track.collectionId,
    variants: files.map(({ variant }) => variant),
    links: keys.nodes,
    linkCount: keys.totalCount,
  }
}

/** Returns the subject of a link. Null for the key of everything in the organization, and for a deleted record. */
export function findSubject({ trackId, track, collection }: Pick<Link, 'trackId' | 'track' | 'collection'>) {
  if (trackId !== null) return track && toSubject('track', track.id, track.title)
  return collection && toSubject('collection', collection.id, collection.title)
}

const toSubject = (kind: Subject['kind'], id: string, title: string): Subject => ({ kind, id, title })

/** The address of a link. Null for a link that does not work, or cannot be shown again. */
export function findAddress(link: Link): string | null {
  const subject = link.isActive ? findSubject(link) : null
  return subject && link.shareKey !== null ? formatAddresses(subject, link.shareKey, location.origin).link : null
}

/** Whether a link plays everywhere, for everyone, and streams only. */
const isUnlimited = (link: Link): boolean =>
  link.expiresAt === null &&
  link.opensAt === null &&
  link.maxPlays === null &&
  link.maxDailyListeners === null &&
  link.maxConcurrentListeners === null &&
  !link.hasPassword &&
  !link.isDownloadable &&
  link.sites.length === 0 &&
  link.countries.length === 0

/** The key of a link to this very subject with the variant, without limits, so that presses do not add keys. */
export function findReusableKey({ subject, links }: SharedSubject, variantId: string): string | null {
  const trackId = subject.kind === 'track' ? subject.id : null
  const link = links.find(
    (link) =>
      link.isActive &&
      link.shareKey !== null &&
      isUnlimited(link) &&
      link.creatorId === null &&
      link.trackId === trackId &&
      link.variant?.id === variantId,
  )
  return link?.shareKey ?? null
}

const MAX_TITLE = 200

/** The input of a link that is made without a decision: it does not expire. */
export const formatStandardInput = ({ subject, collectionId }: SharedSubject, variantId: string) => ({
  title: subject.title.slice(0, MAX_TITLE),
  variant: variantId,
  collectionId,
  trackId: subject.kind === 'track' ? subject.id : null,
})
