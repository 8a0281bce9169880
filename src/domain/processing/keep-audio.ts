import { join } from 'node:path'
import type { Services } from '../../platform/context.ts'
import { checkOutput, type Decoded } from '../../platform/media/encode.ts'
import { setExactLength } from '../../platform/media/formats/mp4-length.ts'
import type { Analysis } from '../../platform/media/meter/sound.ts'
import { extractCover } from '../../platform/media/tags/extract.ts'
import { type FileTags, writeTags } from '../../platform/media/tags/write.ts'
import type { AudioJob } from './audio-job.ts'
import { type FileResult, failure, keep, type Source } from './source.ts'

/**
 * Finishes what the encoder made: its exact length, tags and picture; then measures and stores it.
 * @param picture the recording's own, as `embeddedPicture` gives it
 */
export async function keepAudio(
  services: Services,
  source: Source,
  job: AudioJob,
  decoded: Decoded,
  picture: () => Promise<FileTags['cover']>,
): Promise<FileResult> {
  const { file, plan, output } = job
  const local = join(source.folder, output.fileName)
  try {
    const { extension, contentType, resolved, note, keeps, codec } = plan
    if (codec === 'aac') await setExactLength(local)
    const tags = keeps.tags ? source.probe.tags : null
    const gain = job.loudness ?? loudnessOf(decoded.analysis)
    await writeTags(local, codec, { tags, cover: keeps.cover ? await picture() : null, gain })
    await checkOutput(services.tools, local, output, decoded.durationSeconds, source.signal)
    const kept = await keep(services, source, file, local, extension, contentType)
    return { ...kept, data: plan.data(), props: { ...(file.props as object), ...resolved }, note }
  } catch (error) {
    return failure(services, source, file, error)
  }
}

function loudnessOf(analysis: Analysis | null) {
  const integratedLufs = analysis?.integrated_lufs ?? null
  return integratedLufs === null ? null : { integratedLufs, truePeakDbtp: analysis?.true_peak_dbtp ?? null }
}

/** The recording's own picture, taken out once, when the first file wants it. */
export function embeddedPicture({ tools }: Services, { file, probe, folder, signal }: Source) {
  let found: Promise<FileTags['cover']> | undefined
  return () => (found ??= extractCover(tools, file, probe, folder, signal))
}
