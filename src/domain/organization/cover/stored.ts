import type { CoverSize } from '../../../platform/media/cover/sizes.ts'

/** An image of a cover as it is stored with a record. */
export interface StoredImage {
  /** Storage key, and path of the delivery address. */
  path: string
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
