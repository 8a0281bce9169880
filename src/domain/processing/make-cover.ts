import type { Services } from '../../platform/context.ts'
import { type CoverFile, type coverSizes, extractTheme, imageDemuxer, makeCovers } from '../../platform/media/cover.ts'
import { hostileInput, MediaError } from '../../platform/media/run.ts'
import { besideOf, newStorageKey } from '../track/file/bytes.ts'
import { coverKey, type FileWithVariant } from '../track/service.ts'
import { announce, digest, type Source, stem } from './source.ts'

/** Of the uploaded cover, else of the embedded one. A picture that cannot be read is as good as none. */
export async function makeCover(services: Services, source: Source, file: FileWithVariant) {
  for (const input of [await uploadedCover(services, source), embeddedCover(source)]) {
    const made = input && (await readablePicture(services, source, input))
    if (!made) continue
    const result = await keepTrackCovers(services, made, file, source.jobId, source.fileName)
    return { result, colors: await extractTheme(services.tools, made, source.folder) }
  }
  return { result: { state: 'absent' as const } }
}

interface PictureInput {
  args: readonly string[]
  stream: string
}

async function uploadedCover(services: Services, source: Source): Promise<PictureInput | null> {
  if (!source.hasUploadedCover) return null
  const key = coverKey(source.organizationId, source.trackId)
  return imageInput(await services.storage.fetch(key, source.folder))
}

function embeddedCover({ file, probe: { coverStream } }: Source): PictureInput | null {
  return coverStream === null ? null : { args: [...hostileInput, '-i', `file:${file}`], stream: `0:${coverStream}` }
}

async function readablePicture({ tools, log }: Services, { trackId, folder, signal }: Source, input: PictureInput) {
  try {
    return await makeCovers(tools, input, folder, signal)
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    log.info({ trackId, code: error.code, detail: error.detail }, 'a cover could not be read')
    return null
  }
}

/** An uploaded image as an input for ffmpeg, read by the demuxer of its own kind only; null for what is no image. */
export async function imageInput(file: string): Promise<PictureInput | null> {
  const demuxer = await imageDemuxer(file)
  if (!demuxer) return null
  const args = ['-protocol_whitelist', 'file', '-max_pixels', '100000000', '-f', demuxer, '-i', `file:${file}`]
  return { args, stream: '0:v:0' }
}

interface StoredCover {
  path: string
  width: number
  height: number
  type: string
  size: number
  sha256: string
}

/** Stores the sizes of a track's cover under keys of the job's own. */
export async function keepTrackCovers(
  services: Services,
  made: readonly CoverFile[],
  file: Pick<FileWithVariant, 'organizationId' | 'trackId' | 'variantId' | 'props'>,
  jobId: string,
  recordingName: string,
) {
  const storageKey = newStorageKey(file, jobId, file.props, 'jpg')
  await announce(
    services,
    made.map(({ size }) => sizedPath(storageKey, size)),
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

/** Where a size lies: the largest at the file's own place, the others beside it. */
const sizedPath = (large: string, size: string) => (size === 'large' ? large : besideOf(large, `${size}.jpg`))

/** Stores the sizes of a cover, the largest under this key, the others beside it. */
export async function keepCovers(services: Services, made: readonly CoverFile[], largeKey: string) {
  const entries = await Promise.all(
    made.map(async ({ size: name, file, width, height }) => {
      const path = sizedPath(largeKey, name)
      const { size, sha256 } = await digest(file)
      await services.storage.put(path, file, 'image/jpeg')
      return [name, { path, width, height, type: 'image/jpeg', size, sha256 }] as const
    }),
  )
  return Object.fromEntries(entries) as Record<keyof typeof coverSizes, StoredCover>
}
