import { builder } from '../../../platform/builder.ts'
import { signedUrl, withDelivery } from '../../organization/delivery.ts'

/** One size as it is stored. */
interface StoredImage {
  path: string
  width: number
  height: number
  type: string
}
interface Image extends StoredImage {
  organizationId: string
}
/** The sizes of a cover as they are stored with a collection or a file. */
interface Images {
  organizationId: string
  sizes: unknown
}

const CoverImage = builder.objectRef<Image>('CoverImage').implement({
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
  }),
})

const sizeOf = ({ organizationId, sizes }: Images, name: string): Image =>
  ({
    ...(sizes as Record<string, StoredImage>)[name],
    organizationId,
  }) as Image

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
