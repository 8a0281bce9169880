import { join } from 'node:path'
import { encodePng } from '../../../platform/media/formats/png.ts'
import { measureLevels } from '../../../platform/media/levels.ts'
import { encodeProgressVideo } from '../../../platform/media/video.ts'
import { barCount, drawWaveform, waveformSvg } from '../../../platform/media/waveform.ts'
import { roundTo } from '../../../platform/number.ts'
import { inheritedPlayerColor } from '../../organization/inherit.ts'
import type { FilePlan, WaveformImageFormat } from '../../variant/types/type.ts'
import type { FileResult, PlannedFile, Run } from '../run/run.ts'
import { storeFile } from '../run/store.ts'
import { downmixFilters } from './gain.ts'

const imageTypes: Record<WaveformImageFormat, string> = { png: 'image/png', svg: 'image/svg+xml' }

/** Loudness values of the recording as an image. `props` echoes the color. */
export async function makeWaveformImage(
  run: Run,
  { row, plan: { format, shape, backgroundColor, ...plan } }: PlannedFile<FilePlan & { kind: 'waveform_image' }>,
): Promise<FileResult> {
  const color = plan.color ?? (await effectivePlayerColor(run))
  const { levels } = await measureLevels(run.sound.rawFile, barCount(shape))
  const { width, height } = shape
  const colors = { color, backgroundColor, opacity: 1 }
  const local = join(run.folder, `${row.id}.${format}`)
  await Bun.write(
    local,
    format === 'svg' ? waveformSvg(levels, shape, colors) : await encodePng(drawWaveform(levels, shape, colors), width),
  )
  const stored = await storeFile(run, row, { local, extension: format, contentType: imageTypes[format] })
  const data = { width, height, num_bars: levels.length, color, background_color: backgroundColor }
  return { ...stored, data, props: { ...(row.props as object), color } }
}

/** Opacity of bars that are not played yet, over the background. */
const UNPLAYED_OPACITY = 0.35

/** The recording as a film of its waveform, colored up to the playhead. `props` echoes the color. */
export async function makeWaveformVideo(
  run: Run,
  { row, plan: { shape, backgroundColor, fps, audio, ...plan } }: PlannedFile<FilePlan & { kind: 'waveform_video' }>,
): Promise<FileResult> {
  const color = plan.color ?? (await effectivePlayerColor(run))
  const { rawFile, durationSeconds } = run.sound
  const { levels } = await measureLevels(rawFile, barCount(shape))
  const draw = (opacity: number) => drawWaveform(levels, shape, { color, backgroundColor, opacity })
  const { width, height, marginX } = shape
  const local = await encodeProgressVideo(
    run.services.tools,
    run,
    {
      fileName: `${row.id}.mp4`,
      width,
      height,
      fps,
      played: draw(1),
      unplayed: draw(UNPLAYED_OPACITY),
      startX: marginX,
      endX: width - marginX,
      audio: { ...audio, filters: [...audio.filters, ...(await downmixFilters(run, audio.channels))] },
      channels: audio.channels,
    },
    durationSeconds,
  )
  const stored = await storeFile(run, row, { local, extension: 'mp4', contentType: 'video/mp4' })
  const data = { width, height, fps, duration: roundTo(durationSeconds, 3) }
  return { ...stored, data, props: { ...(row.props as object), color } }
}

async function effectivePlayerColor({ services, track }: Run): Promise<string> {
  const colored = { select: { playerColor: true } } as const
  const { playerColor, collection, organization } = await services.db.track.findUniqueOrThrow({
    where: { id: track.id },
    select: { playerColor: true, collection: colored, organization: colored },
  })
  return inheritedPlayerColor(organization, collection, { playerColor })
}
