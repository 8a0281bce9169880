import type { Services } from '../../platform/context.ts'
import type { Cover } from '../../platform/media/cover/make.ts'
import { type CoverFormat, coverFormats } from '../../platform/media/cover/sizes.ts'
import type { StoredCover, StoredImage } from '../organization/cover/stored.ts'
import { newStorageKey, siblingKey } from '../track/file/bytes.ts'
import { type FileWithVariant, stem } from '../track/service.ts'
import { announce, digest } from './source.ts'

/** Stores the sizes of a track's cover under keys of the job's own. */
export async function keepTrackCovers(
  services: Services,
  made: Cover,
  file: Pick<FileWithVariant, 'trackId' | 'variantId' | 'props'>,
  jobId: string,
  { fileName: recordingName, basePath }: { fileName: string; basePath: string },
) {
  const storageKey = newStorageKey({ ...file, basePath }, jobId, file.props, 'jpg')
  await announce(
    services,
    made.sizes.flatMap(({ size, files }) =>
      Object.keys(files).map((format) => placeOf(storageKey, size, format as CoverFormat)),
    ),
  )
  const data = await keepCovers(services, made, storageKey)
  const { size, sha256 } = data.large
  const fileName = `${stem(recordingName)}.jpg`
  return {
    state: 'done' as const,
    storageKey,
    extension: 'jpg',
    size,
    sha256,
    contentType: 'image/jpeg',
    fileName,
    data,
  }
}

/** Where a size lies: the largest JPEG at the cover's own place, everything else beside it. */
function placeOf(main: string, size: string, format: CoverFormat): string {
  if (size !== 'large') return siblingKey(main, `${size}.${format}`)
  return format === 'jpg' ? main : siblingKey(main, format)
}

/** Stores the sizes of a cover, the largest JPEG under this key, the others beside it. */
export async function keepCovers(services: Services, made: Cover, main: string): Promise<StoredCover> {
  const entries = await Promise.all(
    made.sizes.map(async ({ size: name, width, height, files }) => {
      const store = async (format: CoverFormat): Promise<StoredImage> => {
        const [path, type] = [placeOf(main, name, format), coverFormats[format]]
        const { size, sha256 } = await digest(files[format])
        await services.storage.put(path, files[format], type)
        return { path, width, height, type, size, sha256 }
      }
      const [jpeg, webp] = await Promise.all([store('jpg'), store('webp')])
      return [name, { ...jpeg, webp }] as const
    }),
  )
  return Object.fromEntries(entries) as unknown as StoredCover
}
