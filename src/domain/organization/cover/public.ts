import { z } from 'zod'
import type { Services } from '../../../platform/context.ts'
import { type CoverSize, coverSizeNames } from '../../../platform/media/cover/sizes.ts'
import * as shape from '../../../platform/schema/shape.ts'
import { type Delivery, signedUrl } from '../delivery.ts'
import { type CoverLevels, inheritedCover } from '../inherit.ts'
import type { StoredCover, StoredImage } from './stored.ts'

const imageShape = z.object({
  url: shape.url(
    'Signed now, valid for an hour.',
    'https://cdn.example.com/0199c3f0/cover.icon.jpg?verify=1777887000-x',
  ),
  width: shape.wholeNumber('Pixels.', 500),
  height: shape.wholeNumber('Pixels.', 500),
  type: shape.text('Content type.', 'image/jpeg'),
})
const sizeShape = imageShape.extend({
  webp: imageShape.nullable().meta({ description: 'The same as WebP; null for covers of older versions.' }),
})

/** A picture with an address that works for an hour. */
export type PublicImage = z.input<typeof imageShape>

/** A cover as players are given it (contract, section 3; `webp` is ours, null for covers made before there was one). */
export const coverShape = z
  .object(Object.fromEntries(coverSizeNames.map((size) => [size, sizeShape])) as Record<CoverSize, typeof sizeShape>)
  .meta({ id: 'CoverImage', description: 'The cover that counts for it, its own or an inherited one.' })
export type PublicCover = z.input<typeof coverShape>

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
