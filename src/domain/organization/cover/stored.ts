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

/** Returns all storage keys of the cover of an organization or a collection. */
export const keysOfCover = (cover: StoredCover): string[] =>
  Object.values(cover).flatMap(({ webp, ...jpeg }) =>
    [jpeg, ...(webp ? [webp] : [])].map(({ key, path }) => key ?? path),
  )
