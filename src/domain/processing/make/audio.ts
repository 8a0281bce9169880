import { join } from 'node:path'
import { checkOutput } from '../../../platform/media/encode.ts'
import { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import { setExactLength } from '../../../platform/media/formats/mp4-length.ts'
import type { Analysis } from '../../../platform/media/meter/sound.ts'
import { extractPicture } from '../../../platform/media/tags/extract.ts'
import { writeTags } from '../../../platform/media/tags/write.ts'
import type { AudioPlan } from '../../variant/types/type.ts'
import type { FileResult, PlannedFile, Run } from '../run/run.ts'
import { storeFile } from '../run/store.ts'

/** Finishes an encoded file: sets its exact length, writes tags and picture, checks and stores it. */
export async function makeAudio(run: Run, { row }: PlannedFile<AudioPlan>): Promise<FileResult> {
  const encoding = run.encodings.get(row.id)
  if (!encoding) throw new Error('the file was not encoded')
  if (encoding instanceof MediaError) throw encoding
  const { output, loudness } = encoding
  const { extension, contentType, resolved, note, keeps, codec, data } = encoding.file.plan
  const local = join(run.folder, output.fileName)
  if (codec === 'aac') await setExactLength(local)
  await writeTags(local, codec, {
    tags: keeps.tags ? run.probe.tags : null,
    cover: keeps.cover ? await embeddedPicture(run) : null,
    gain: loudness ?? loudnessOf(run.analysis),
  })
  await checkOutput(run.services.tools, local, output, run.sound.durationSeconds, run.signal)
  const stored = await storeFile(run, row, { local, extension, contentType })
  const bitrate = resolved.bitrate ?? Math.round((stored.size * 8) / run.sound.durationSeconds / 1000)
  return { ...stored, data: data(), props: { ...(row.props as object), ...resolved, bitrate }, note }
}

function loudnessOf(analysis: Analysis | null) {
  const integratedLufs = analysis?.integrated_lufs ?? null
  return integratedLufs === null ? null : { integratedLufs, truePeakDbtp: analysis?.true_peak_dbtp ?? null }
}

/** The picture that is embedded in the recording. Null when it has none. */
const embeddedPicture = (run: Run) =>
  run.once('picture', () => extractPicture(run.services.tools, run.file, run.probe, run.folder, run.signal))
