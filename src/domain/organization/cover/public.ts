import { z } from 'zod'
import type { Services } from '../../../platform/context.ts'
import { type CoverSize, coverSizeNames } from '../../../platform/media/cover/sizes.ts'
import { integer, text, url } from '../../../platform/schema/fields.ts'
import { restShape } from '../../../platform/schema/record.ts'
import { type Delivery, signedUrl } from '../../delivery/address.ts'
import { type CoverTiers, inheritedCover } from '../inherit.ts'
import type { ImagesOfCover, StoredImage } from './stored.ts'

/** An image of a cover. */
export const coverImageFields = {
  url: url({
    description: 'Signed delivery address. Valid for an hour.',
    example: 'https://cdn.example.com/0199c3f0/cover.icon.jpg?verify=1777887000-x',
  }),
  width: integer({ description: 'Pixels.', example: 500 }),
  height: integer({ description: 'Pixels.', example: 500 }),
  type: text({ description: 'Content type.', example: 'image/jpeg' }),
}
export const webpDescription =
  'The same image as WebP. Null for the WebP image itself and for covers stored without one.'

const imageShape = z.object(restShape(coverImageFields))
const sizeShape = imageShape.extend({ webp: imageShape.nullable().meta({ description: webpDescription }) })

/** An image with a signed address. */
export type PublicImage = z.input<typeof imageShape>

/** A cover with signed addresses (contract, section 3; `webp` is an addition). */
export const coverShape = z
  .object(Object.fromEntries(coverSizeNames.map((size) => [size, sizeShape])) as Record<CoverSize, typeof sizeShape>)
  .meta({ id: 'CoverImage', description: 'The cover that applies: its own or an inherited one.' })
export type PublicCover = z.input<typeof coverShape>

/**
 * Returns the cover that applies to a track, a collection or an organization, with addresses signed now; null without
 * one.
 * @param tiers the covers that may apply; `own` is the `data` of the track's finished cover file
 */
export function toCoverImage(
  services: Pick<Services, 'config' | 'clock' | 'signing'>,
  delivery: Delivery,
  tiers: CoverTiers,
): PublicCover | null {
  const cover = inheritedCover(tiers) as ImagesOfCover<StoredImage> | null
  if (!cover) return null
  const toPublic = ({ path, width, height, type }: StoredImage): PublicImage => ({
    url: signedUrl(services, delivery, path),
    width,
    height,
    type,
  })
  const entries = coverSizeNames.map((size) => {
    const { webp, ...jpeg } = cover[size]
    return [size, { ...toPublic(jpeg), webp: toPublic(webp) }]
  })
  return Object.fromEntries(entries) as PublicCover
}
