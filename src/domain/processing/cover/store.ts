import type { Services } from '../../../platform/context.ts'
import type { Job, Prisma } from '../../../platform/db/generated/client/client.ts'
import type { Cover } from '../../../platform/media/cover/make.ts'
import { type CoverFormat, coverFormats } from '../../../platform/media/cover/sizes.ts'
import { siblingKey, withoutExtension } from '../../delivery/name.ts'
import type { ImagesOfCover, StoredImage, StoredOwnCover, StoredOwnImage } from '../../organization/cover/stored.ts'
import { newStorageKey } from '../../track/file/bytes.ts'
import type { FileWithVariant } from '../../track/service.ts'
import type { DoneFile } from '../run/run.ts'
import { formatWriter, hashFile, reserveKeys } from '../run/store.ts'

interface CoverSubject {
  row: Pick<FileWithVariant, 'trackId' | 'variantId' | 'props'>
  track: { fileName: string; basePath: string }
  job: Pick<Job, 'id' | 'crashes'>
}

/** The colors of a cover as a record stores them. */
export const toStoredTheme = ({ theme }: Cover) => theme as unknown as Prisma.InputJsonArray

/** Stores the sizes of a track's cover under keys of the job's own. */
export async function storeTrackCover(
  services: Services,
  cover: Cover,
  { row, track, job }: CoverSubject,
  signal: AbortSignal,
): Promise<DoneFile> {
  const storageKey = newStorageKey({ ...row, basePath: track.basePath }, formatWriter(job), row.props, 'jpg')
  await reserveKeys(services, listCoverKeys(cover, storageKey))
  const data = await storeCover(services, cover, storageKey, signal)
  return {
    state: 'done',
    storageKey,
    extension: 'jpg',
    size: data.large.size,
    sha256: data.large.sha256,
    contentType: 'image/jpeg',
    fileName: `${withoutExtension(track.fileName)}.jpg`,
    data,
  }
}

/** All storage keys that a cover is stored under. */
const listCoverKeys = (cover: Cover, main: string) =>
  cover.sizes.flatMap(({ size, files }) =>
    Object.keys(files).map((format) => formatCoverKey(main, size, format as CoverFormat)),
  )

/**
 * Stores the cover of a collection or an organization under keys of the job's own, so that a late job never overwrites
 * the bytes of a newer one.
 * @param folder of its delivery addresses
 */
export async function storeOwnCover(
  services: Services,
  cover: Cover,
  folder: string,
  job: CoverSubject['job'],
  signal: AbortSignal,
): Promise<StoredOwnCover> {
  const main = `files/${folder}/cover-${job.id}-${job.crashes}.jpg`
  const artworkKey = siblingKey(main, 'artwork.jpg')
  await reserveKeys(services, [...listCoverKeys(cover, main), ...(cover.artwork ? [artworkKey] : [])])
  const stored = await storeCover(services, cover, main, signal)
  const artwork = cover.artwork && (await storeArtwork(services, cover.artwork, artworkKey, signal))
  const storedAt = services.clock().toISOString()
  const place = (image: StoredImage): StoredOwnImage => ({
    ...image,
    key: image.path,
    path: image.path.replace(main.slice(0, -'.jpg'.length), `${folder}/cover`),
    storedAt,
  })
  const entries = Object.entries(stored).map(([size, { webp, ...jpeg }]) => [
    size,
    { ...place(jpeg), webp: place(webp) },
  ])
  return { ...(Object.fromEntries(entries) as StoredOwnCover), ...(artwork && { artwork: place(artwork) }) }
}

async function storeArtwork(
  services: Services,
  { edge, file }: NonNullable<Cover['artwork']>,
  path: string,
  signal: AbortSignal,
): Promise<StoredImage> {
  const type = coverFormats.jpg
  const { size, sha256 } = await hashFile(file, signal)
  await services.storage.put(path, file, type, signal)
  return { path, width: edge, height: edge, type, size, sha256 }
}

/** Storage key of a size. The largest JPEG has the cover's own key, all others are its siblings. */
function formatCoverKey(main: string, size: string, format: CoverFormat): string {
  if (size !== 'large') return siblingKey(main, `${size}.${format}`)
  return format === 'jpg' ? main : siblingKey(main, format)
}

/**
 * Stores the sizes of a cover. After a failure it waits for all, because the local files are removed next.
 * @param main storage key of the largest JPEG
 */
async function storeCover(
  services: Services,
  cover: Cover,
  main: string,
  signal: AbortSignal,
): Promise<ImagesOfCover<StoredImage>> {
  const formats = Object.keys(coverFormats) as CoverFormat[]
  const images = cover.sizes.flatMap((entry) => formats.map((format) => ({ ...entry, format })))
  const settled = await Promise.allSettled(
    images.map(async ({ size: name, width, height, files, format }): Promise<StoredImage> => {
      const path = formatCoverKey(main, name, format)
      const type = coverFormats[format]
      const { size, sha256 } = await hashFile(files[format], signal)
      await services.storage.put(path, files[format], type, signal)
      return { path, width, height, type, size, sha256 }
    }),
  )
  const stored = settled.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
  const findImage = (name: string, format: CoverFormat) =>
    stored[images.findIndex((image) => image.size === name && image.format === format)]
  const entries = cover.sizes.map(({ size }) => [size, { ...findImage(size, 'jpg'), webp: findImage(size, 'webp') }])
  return Object.fromEntries(entries) as unknown as ImagesOfCover<StoredImage>
}
