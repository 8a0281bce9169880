import type { CoverSize } from '../../../platform/media/cover/sizes.ts'

/** An image of a cover as it is stored with a record. */
export interface StoredImage {
  /** Path of the delivery address, and storage key unless `key` names another. */
  path: string
  /** Storage key: one of its own for each upload. Absent in covers of tracks and in early ones. */
  key?: string
  /** Time at which it replaced the one before, ISO 8601. Absent with `key`. */
  storedAt?: string
  /** Pixels. */
  width: number
  height: number
  /** Content type. */
  type: string
  /** Bytes. */
  size: number
  sha256: string
}

/** A cover as it is stored with an organization, a collection or a track's file. Early ones have no WebP. */
export type StoredCover = Record<CoverSize, StoredImage & { webp?: StoredImage }>

/** Returns a storage key for the picture of one upload: uploads never overwrite each other's bytes. Not deliverable. */
export const newCoverSourceKey = (organizationId: string, id: string) =>
  `source/${organizationId}/${id}.${crypto.randomUUID()}.cover`

interface Owner {
  id: string
  organizationId: string
  coverSourceKey: string | null
}

/** Storage key of the picture that was uploaded for a track, a collection or an organization. */
export const coverSourceKeyOf = ({ organizationId, id, coverSourceKey }: Owner) =>
  coverSourceKey ?? `source/${organizationId}/${id}.cover`

/** Returns all storage keys of the cover of an organization or a collection. */
export const keysOfCover = (cover: StoredCover): string[] =>
  Object.values(cover).flatMap(({ webp, ...jpeg }) =>
    [jpeg, ...(webp ? [webp] : [])].map(({ key, path }) => key ?? path),
  )
