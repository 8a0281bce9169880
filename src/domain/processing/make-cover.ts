import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Services } from '../../platform/context.ts'
import { extractCover } from '../../platform/media/cover/embedded.ts'
import { type Cover, makeCovers } from '../../platform/media/cover/make.ts'
import { MediaError } from '../../platform/media/ffmpeg/run.ts'
import { coverKey, type FileWithVariant } from '../track/service.ts'
import { keepTrackCovers } from './keep-cover.ts'
import type { Source } from './source.ts'

/** Of the uploaded cover, else of the embedded one. A picture that cannot be read is as good as none. */
export async function makeCover(services: Services, source: Source, file: FileWithVariant) {
  // Of its own: several cover variants of a run write files of the same names.
  const folder = await mkdtemp(join(source.folder, 'cover-'))
  for (const fetchPicture of [uploadedCover, embeddedCover]) {
    const made = await readablePicture(services, source, folder, fetchPicture)
    if (!made) continue
    const result = await keepTrackCovers(services, made, file, source.jobId, source)
    return { result, colors: made.theme }
  }
  return { result: { state: 'absent' as const } }
}

type FetchPicture = (services: Services, source: Source, folder: string) => Promise<string | null>

const uploadedCover: FetchPicture = async ({ storage }, { hasUploadedCover, organizationId, trackId, inputs }) =>
  hasUploadedCover ? storage.fetch(coverKey(organizationId, trackId), inputs) : null

const embeddedCover: FetchPicture = async ({ tools }, { probe, file, signal }, folder) =>
  probe.coverStream === null ? null : extractCover(tools, file, probe.coverStream, folder, signal)

async function readablePicture(
  services: Services,
  source: Source,
  folder: string,
  fetchPicture: FetchPicture,
): Promise<Cover | null> {
  const { tools, log } = services
  const { trackId, signal } = source
  try {
    const image = await fetchPicture(services, source, folder)
    return image === null ? null : await makeCovers(tools, image, folder, signal)
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    const { code, detail } = error
    const level = code === 'images_unavailable' ? 'error' : 'info'
    log[level]({ trackId, code, detail }, 'a cover could not be read')
    return null
  }
}
