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
    subject: { kind: 'track', id: track.id, title: track.playerTitle ?? track.fileName },
    collectionId: track.collectionId,
    variants: files.map(({ variant }) => variant),
    links: keys.nodes,
    linkCount: keys.totalCount,
  }
}

/** Returns the subject of a link. Null for the key of everything in the organization, and for a deleted record. */
export function findSubject({ trackId, track, collection }: Pick<Link, 'trackId' | 'track' | 'collection'>) {
  if (trackId !== null) return track && toSubject('track', track.id, track.playerTitle ?? track.fileName)
  return collection && toSubject('collection', collection.id, collection.title)
}

const toSubject = (kind: Subject['kind'], id: string, title: string): Subject => ({ kind, id, title })

/** The address of a link. Null for a link that does not work, or cannot be shown again. */
export function findAddress(link: Link): string | null {
  const subject = link.isActive ? findSubject(link) : null
  return subject && link.shareKey !== null ? formatAddresses(subject, link.shareKey, location.origin).link : null
}
