import { join } from 'node:path'
import type { Services } from '../../platform/context.ts'
import type { Decoded } from '../../platform/media/encode.ts'
import { encodePng } from '../../platform/media/formats/png.ts'
import { measureLevels } from '../../platform/media/levels.ts'
import { encodeProgressVideo } from '../../platform/media/video.ts'
import { barCount, drawWaveform } from '../../platform/media/waveform.ts'
import { inheritedPlayerColor } from '../organization/inherit.ts'
import type { FileWithVariant } from '../track/service.ts'
import type { FilePlan } from '../variant/types/type.ts'
import { type MeasureFiltered, mixLevelFilters } from './normalize.ts'
import { type FileResult, keep, type Source } from './source.ts'

/** The loudness values of the recording, drawn as PNG. `props` echoes the colour that was taken. */
export async function makeWaveformImage(
  services: Services,
  source: Source,
  file: FileWithVariant,
  { shape, backgroundColor, ...plan }: FilePlan & { kind: 'waveform_image' },
  { rawFile }: Decoded,
): Promise<FileResult> {
  const color = plan.color ?? (await effectivePlayerColor(services, source.trackId))
  const { levels } = await measureLevels(rawFile, barCount(shape))
  const { width, height } = shape
  const local = join(source.folder, `${file.id}.png`)
  await Bun.write(local, await encodePng(drawWaveform(levels, shape, { color, backgroundColor, opacity: 1 }), width))
  const data = { width, height, num_bars: levels.length, color, background_color: backgroundColor }
  const kept = await keep(services, source, file, local, 'png', 'image/png')
  return { ...kept, data, props: { ...(file.props as object), color } }
}

/** Of bars that are still to be played, over the background. */
const UNPLAYED_OPACITY = 0.35

/** The recording as a film: its waveform, coloured as far as it has been played. `props` echoes the colour. */
export async function makeWaveformVideo(
  services: Services,
  source: Source,
  file: FileWithVariant,
  { shape, backgroundColor, fps, audio, ...plan }: FilePlan & { kind: 'waveform_video' },
  { rawFile, durationSeconds }: Decoded,
  measure: MeasureFiltered,
): Promise<FileResult> {
  const color = plan.color ?? (await effectivePlayerColor(services, source.trackId))
  const { levels } = await measureLevels(rawFile, barCount(shape))
  const draw = (opacity: number) => drawWaveform(levels, shape, { color, backgroundColor, opacity })
  const { width, height, marginX } = shape
  const filters = [...audio.filters, ...(await mixLevelFilters(measure, source, audio.channels))]
  const video = {
    ...{ fileName: `${file.id}.mp4`, width, height, fps },
    ...{ played: draw(1), unplayed: draw(UNPLAYED_OPACITY), startX: marginX, endX: width - marginX },
    ...{ audio: { ...audio, filters }, channels: audio.channels },
  }
  const { tools } = services
  const { probe, folder, signal } = source
  const local = await encodeProgressVideo(tools, source.file, probe, video, durationSeconds, folder, signal)
  const data = { width, height, fps, duration: Math.round(durationSeconds * 1000) / 1000 }
  const kept = await keep(services, source, file, local, 'mp4', 'video/mp4')
  return { ...kept, data, props: { ...(file.props as object), color } }
}

async function effectivePlayerColor({ db }: Services, trackId: string): Promise<string> {
  const colored = { select: { playerColor: true } } as const
  const { playerColor, collection, organization } = await db.track.findUniqueOrThrow({
    where: { id: trackId },
    select: { playerColor: true, collection: colored, organization: colored },
  })
  return inheritedPlayerColor(organization, collection, { playerColor })
}
