import { z } from 'zod'
import { colorRule } from '../../../platform/schema/rules.ts'
import { soundArgs } from './audio.ts'
import { parameter } from './parameter.ts'
import type { VariantTypeDefinition } from './type.ts'
import { waveformParameters } from './waveform.ts'

/** H.264 stores one color for four pixels. */
const edge = z.number().int().multipleOf(2, 'must be even')

const parameters = {
  width: parameter(edge.min(128).max(1920).default(1280), 'Width in pixels. Even.'),
  height: parameter(edge.min(128).max(1080).default(720), 'Height in pixels. Even.'),
  fps: parameter(z.number().int().min(1).max(30).default(10), 'Frames per second.'),
  bitrate: parameter(z.number().min(32).max(320).default(128), 'Bit rate of the sound in kbps.', {
    nullMeans: 'Null for a variant with a lossless codec.',
  }),
  ...waveformParameters,
  background_color: parameter(colorRule.default('#000000'), 'Background color, as `#rrggbb`.', { nullMeans: '' }),
}
const props = z.object(parameters)

/** Margin at each side, as a share of the width. The narrowest video still has room for a bar. */
const MARGIN_X = 1 / 16
/** Margin above and below, as a share of the height. */
const MARGIN_Y = 1 / 4

export const waveformVideo: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'waveform_video',
  title: 'Waveform video',
  description: 'A video of the recording and its waveform, with bars that light up as they are played.',
  isApiAllowed: false,
  isPlayable: false,
  parameters,
  props,
  plan: ({ width, height, fps, bitrate, bar_width: barWidth, bar_gap: barGap, ...otherProps }, probe) => {
    const [marginX, marginY] = [Math.round(width * MARGIN_X), Math.round(height * MARGIN_Y)]
    const sound = { codec: 'aac' as const, bitrate, is_stereo: true, is_strip_tags: true, is_strip_cover: true }
    const { filters, args, channels } = soundArgs(sound, probe)
    return {
      kind: 'waveform_video',
      shape: { width, height, marginX, marginY, barWidth, barGap, isRounded: otherProps.is_rounded },
      color: otherProps.color,
      backgroundColor: otherProps.background_color,
      fps,
      audio: { filters, args, channels },
    }
  },
}
