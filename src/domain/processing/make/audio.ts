import { join } from 'node:path'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'
import { checkOutput } from '../../../platform/media/encode.ts'
import { setMp3Length } from '../../../platform/media/formats/mp3-length.ts'
import { setExactLength } from '../../../platform/media/formats/mp4-length.ts'
import { type Loudness, raised } from '../../../platform/media/gain.ts'
import { extractPicture } from '../../../platform/media/tags/extract.ts'
import { writeTags } from '../../../platform/media/tags/write.ts'
import type { Span } from '../../../platform/media/trim.ts'
import { chaptersWithin, effectiveChapters } from '../../track/chapter/effective.ts'
import type { AudioPlan } from '../../variant/types/type.ts'
import type { FileResult, PlannedFile, Run } from '../run/run.ts'
import { storeFile } from '../run/store.ts'
import { findEncoded } from './encoded.ts'

/** Finishes an encoded file: sets its exact length, writes tags and picture, checks and stores it. */
export async function makeAudio(run: Run, { row, plan }: PlannedFile<AudioPlan>): Promise<FileResult> {
  const { output, file, loudness, leveling } = findEncoded(run, row, plan)
  const { extension, contentType, resolved, note, keeps, codec, encoderGainDb, isMeasured, data } = file.plan
  const local = join(run.folder, output.fileName)
  const durationSeconds = output.clip?.durationSeconds ?? run.sound.durationSeconds
  if (extension === 'm4a') await setExactLength(local)
  if (extension === 'mp3') await setMp3Length(local, Math.round(durationSeconds * resolved.sample_rate))
  const measuredBitrate = kbps(Bun.file(local).size, durationSeconds)
  await writeTags(local, codec, {
    tags: keeps.tags ? run.tagged.tags : null,
    chapters: keeps.chapters ? selectChapters(run, output.clip) : [],
    durationSeconds,
    cover: keeps.cover ? await embeddedPicture(run) : null,
    gain: loudness ?? raised(run.loudness, encoderGainDb),
  })
  await checkOutput(run.services.tools, local, output, run.sound.durationSeconds, run.signal)
  const stored = await storeFile(run, row, { local, extension, contentType })
  const bitrate = resolved.bitrate ?? measuredBitrate
  const props = { ...(row.props as object), ...resolved, bitrate, measured_bitrate: measuredBitrate }
  const measured = (leveling || isMeasured) && loudness ? measuredProps(loudness) : {}
  return { ...stored, data: data(), props: { ...props, ...measured }, note }
}

/** Bit rate of a file before tags and pictures are added. */
const kbps = (bytes: number, seconds: number) => Math.round((bytes * 8) / seconds / 100) / 10

const measuredProps = ({ integratedLufs, truePeakDbtp }: Loudness) => ({
  integrated_lufs: integratedLufs,
  true_peak_dbtp: truePeakDbtp,
})

/** The chapters of the recording, or of a part of it. */
function selectChapters({ track: { chapters }, tagged, sound: { durationSeconds } }: Run, span: Span | null) {
  const sourceChapters = tagged.chapters as unknown as Prisma.JsonArray
  const all = effectiveChapters({ chapters, sourceChapters, durationSeconds })
  return span ? chaptersWithin(all, span) : all
}

/** The picture that is embedded in the recording. Null when it has none. */
const embeddedPicture = (run: Run) =>
  run.once('picture', () => {
    const { services, file, probe, tagged, folder, signal } = run
    return extractPicture(services.tools, file, { ...probe, ...tagged }, folder, signal)
  })
