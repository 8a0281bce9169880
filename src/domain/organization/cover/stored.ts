import type { CoverSize } from '../../../platform/media/cover/sizes.ts'

/** An image of a cover as it is stored with a record. */
export interface StoredImage {
  /** Path of the delivery address. */
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

/** A cover of images of one kind. */
export type ImagesOfCover<Image extends StoredImage> = Record<CoverSize, Image & { webp: Image }>

/** An image of the cover of an organization or a collection. Those of a track have the keys of its file's siblings. */
export interface StoredOwnImage extends StoredImage {
  /** Storage key. A new one for each upload. */
  key: string
  /** Time at which it replaced the one before, ISO 8601. */
  storedAt: string
}

/** A cover as it is stored with an organization or a collection, with the JPEG for podcast directories if it allows one. */
export type StoredOwnCover = ImagesOfCover<StoredOwnImage> & { artwork?: StoredOwnImage }

/** The JPEG for podcast directories of the cover that applies. Null without one, and for the cover of a track. */
export const findArtwork = (cover: unknown): StoredImage | null => (cover as StoredOwnCover | null)?.artwork ?? null

/** Returns a storage key for the picture of one upload: uploads never overwrite each other's bytes. Not deliverable. */
export const newCoverSourceKey = (organizationId: string, id: string) =>
  `source/${organizationId}/${id}.${crypto.randomUUID()}.cover`

/** Returns all images of the cover of an organization or a collection. */
export const listImages = (cover: StoredOwnCover): StoredOwnImage[] =>
  Object.values(cover).flatMap(({ webp, ...jpeg }: StoredOwnImage & { webp?: StoredOwnImage }) =>
    webp ? [jpeg, webp] : [jpeg],
  )

/** Returns all storage keys of the cover of an organization or a collection. */
export const keysOfCover = (cover: StoredOwnCover): string[] => listImages(cover).map(({ key }) => key)
