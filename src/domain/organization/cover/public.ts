import type { Services } from '../../../platform/context.ts'
import { type CoverSize, coverSizeNames } from '../../../platform/media/cover/sizes.ts'
import { type Delivery, signedUrl } from '../delivery.ts'
import { type CoverLevels, inheritedCover } from '../inherit.ts'
import type { StoredCover, StoredImage } from './stored.ts'

/** A picture with an address that works for an hour. */
export interface PublicImage {
  url: string
  /** Pixels. */
  width: number
  height: number
  /** Content type. */
  type: string
}

/** A cover as players are given it (contract, section 3; `webp` is ours, null for covers made before there was one). */
export type PublicCover = Record<CoverSize, PublicImage & { webp: PublicImage | null }>

/**
 * The cover that counts for a track, a collection or an organization, with addresses signed now; null without one.
 * @param levels who may have one; `own` is the `data` of the track's finished cover file, null without one
 */
export function coverImageOf(
  services: Pick<Services, 'config' | 'clock'>,
  delivery: Delivery,
  levels: CoverLevels,
): PublicCover | null {
  const cover = inheritedCover(levels) as StoredCover | null
  if (!cover) return null
  const shown = ({ path, width, height, type }: StoredImage): PublicImage => ({
    url: signedUrl(services, delivery, path),
    ...{ width, height, type },
  })
  const entries = coverSizeNames.map((size) => {
    const { webp, ...jpeg } = cover[size]
    return [size, { ...shown(jpeg), webp: webp ? shown(webp) : null }]
  })
  return Object.fromEntries(entries) as PublicCover
}
