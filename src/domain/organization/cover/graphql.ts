import { builder } from '../../../platform/graphql/builder.ts'
import type { CoverSize } from '../../../platform/media/cover/sizes.ts'
import { signedUrl, withDelivery } from '../delivery.ts'
import type { StoredCover } from './stored.ts'

interface Image {
  organizationId: string
  path: string
  width: number
  height: number
  type: string
  webp?: Omit<Image, 'organizationId' | 'webp'>
}
/** The sizes of a cover as they are stored with a record. */
interface Images {
  organizationId: string
  sizes: unknown
}

const CoverImage = builder.objectRef<Image>('CoverImage')
CoverImage.implement({
  description: 'A cover in one size.',
  fields: (t) => ({
    url: t.string({
      description: 'Signed now, valid for an hour.',
      resolve: ({ organizationId, path }, _, ctx) =>
        withDelivery(ctx, organizationId, (delivery) => signedUrl(ctx, delivery, path)),
    }),
    width: t.exposeInt('width', { description: 'Pixels.' }),
    height: t.exposeInt('height', { description: 'Pixels.' }),
    type: t.exposeString('type', { description: 'Content type.' }),
    webp: t.field({
      type: CoverImage,
      nullable: true,
      description: 'The same as WebP, which is smaller; null on the WebP itself, and where there is none yet.',
      resolve: ({ webp, organizationId }) => webp && { ...webp, organizationId },
    }),
  }),
})

const sizeOf = ({ organizationId, sizes }: Images, name: CoverSize): Image => ({
  ...(sizes as StoredCover)[name],
  organizationId,
})

/** A cover in its four sizes, for everything that has one. */
export const coverImages = builder.objectRef<Images>('CoverImages').implement({
  description: 'A cover in its four sizes.',
  fields: (t) => ({
    icon: t.field({ type: CoverImage, description: '64 pixels.', resolve: (images) => sizeOf(images, 'icon') }),
    small: t.field({ type: CoverImage, description: '200 pixels.', resolve: (images) => sizeOf(images, 'small') }),
    regular: t.field({ type: CoverImage, description: '500 pixels.', resolve: (images) => sizeOf(images, 'regular') }),
    large: t.field({ type: CoverImage, description: '1200 pixels.', resolve: (images) => sizeOf(images, 'large') }),
  }),
})

/** As a field shows it: null where there is none. */
export const toRestCover = (organizationId: string, sizes: unknown): Images | null =>
  sizes === null ? null : { organizationId, sizes }
