import { builder } from '../../../platform/graphql/builder.ts'
import { signedPrice } from '../../../platform/graphql/price.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { type CoverSize, coverSizes } from '../../../platform/media/cover/sizes.ts'
import { signedUrl, withDelivery } from '../../delivery/address.ts'
import { coverImageFields, webpDescription } from './public.ts'
import { findArtwork, type ImagesOfCover, type StoredImage } from './stored.ts'

interface Image {
  organizationId: string
  path: string
  width: number
  height: number
  type: string
  webp?: Omit<Image, 'organizationId' | 'webp'>
}
/** The stored sizes of a record's cover. */
interface Images {
  organizationId: string
  sizes: unknown
}

const { url, ...imageColumns } = coverImageFields
const CoverImage = builder.objectRef<Image>('CoverImage')
CoverImage.implement({
  description: 'A cover in one size.',
  fields: (t) => ({
    ...expose(t, imageColumns),
    url: t.string({
      description: url.description,
      ...signedPrice,
      resolve: ({ organizationId, path }, _, ctx) =>
        withDelivery(ctx, organizationId, (delivery) => signedUrl(ctx, delivery, path)),
    }),
    webp: t.field({
      type: CoverImage,
      nullable: true,
      description: webpDescription,
      resolve: ({ webp, organizationId }) => webp && { ...webp, organizationId },
    }),
  }),
})

/** Options of the field of one size. */
const sizeField = (name: CoverSize) => ({
  type: CoverImage,
  description: `Fits into ${coverSizes[name]} pixels square.`,
  resolve: ({ organizationId, sizes }: Images): Image => ({
    ...(sizes as ImagesOfCover<StoredImage>)[name],
    organizationId,
  }),
})

/** The type of every `coverImage` field. */
export const coverImages = builder.objectRef<Images>('CoverImages').implement({
  description: 'A cover in its four sizes.',
  fields: (t) => ({
    icon: t.field(sizeField('icon')),
    small: t.field(sizeField('small')),
    regular: t.field(sizeField('regular')),
    large: t.field(sizeField('large')),
    artwork: t.field({
      type: CoverImage,
      nullable: true,
      description:
        'A square JPEG of 1,400 to 3,000 pixels, as podcast directories require, from the middle of the picture. Null for the ' +
        'cover of a track, and for a smaller picture.',
      resolve: ({ organizationId, sizes }) => {
        const artwork = findArtwork(sizes)
        return artwork && { ...artwork, organizationId }
      },
    }),
  }),
})

/** Maps a stored cover to the source of `CoverImages`; null without one. */
export const toRestCover = (organizationId: string, sizes: unknown): Images | null =>
  sizes === null ? null : { organizationId, sizes }
