import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { extractCover } from '../../../platform/media/cover/embedded.ts'
import { type Cover, makeCovers } from '../../../platform/media/cover/make.ts'
import { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import type { FilePlan } from '../../variant/types/type.ts'
import { storeTrackCover } from '../cover/store.ts'
import type { FileResult, PlannedFile, Run } from '../run/run.ts'

/** Makes the sizes of the uploaded cover, else of the embedded one. A picture that cannot be read is skipped. */
export async function makeCover(run: Run, { row }: PlannedFile<FilePlan & { kind: 'cover' }>): Promise<FileResult> {
  // Two cover variants of a run write files of the same names.
  const folder = await mkdtemp(join(run.folder, 'cover-'))
  for (const findPicture of [uploadedPicture, readPicture, embeddedPicture]) {
    const cover = await readablePicture(run, folder, findPicture)
    if (!cover) continue
    run.theme = cover.theme
    return storeTrackCover(run.services, cover, { row, track: run.track, job: run.job }, run.signal)
  }
  return { state: 'absent' }
}

/** @returns local path of a picture; null without one */
type FindPicture = (run: Run, folder: string) => Promise<string | null>

const uploadedPicture: FindPicture = async ({ services, track, inputs, signal }) =>
  track.coverSourceKey && services.storage.fetch(track.coverSourceKey, inputs, signal)

/** Of any type, whereas ffmpeg finds only pictures of types that it knows. */
const readPicture: FindPicture = async ({ tagged }) => tagged.picture

const embeddedPicture: FindPicture = async ({ services, probe, file, signal }, folder) =>
  probe.coverStream === null ? null : extractCover(services.tools, file, probe.coverStream, folder, signal)

async function readablePicture(run: Run, folder: string, findPicture: FindPicture): Promise<Cover | null> {
  const { tools, log } = run.services
  try {
    const picture = await findPicture(run, folder)
    return picture === null ? null : await makeCovers(tools, picture, folder, run.signal)
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    const { code, detail } = error
    log.info({ trackId: run.track.id, code, detail }, 'a cover could not be read')
    return null
  }
}
