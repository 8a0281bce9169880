import { z } from 'zod'
import { hexColor } from '../../../platform/schema/input.ts'
import { soundArgs } from './audio.ts'
import type { VariantTypeDefinition } from './type.ts'
import { waveformProps } from './waveform.ts'

/** H.264 stores the colours of four pixels as one. */
const edge = z.number().int().multipleOf(2, 'must be even')

const props = z.object({
  width: edge.min(128).max(1920).default(1280).describe('Pixels.'),
  height: edge.min(128).max(1080).default(720).describe('Pixels.'),
  fps: z.number().int().min(1).max(30).default(10).describe('Frames per second.'),
  bitrate: z.number().min(32).max(320).default(128).describe('kbps of the sound.'),
  ...waveformProps,
  background_color: hexColor.default('#000000').describe('Behind the bars.'),
})

/** Of the width at each side: bars that touch the frame look cut off. The narrowest video still has room for a bar. */
const MARGIN_X = 1 / 16
/** Of the height, above and below: the waveform fills the middle half. */
const MARGIN_Y = 1 / 4

/** The recording's sound with its waveform, whose bars light up as they are played. */
export const waveformVideo: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'waveform_video',
  title: 'Waveform video',
  isApiAllowed: false,
  props,
  plan: ({ width, height, fps, bitrate, bar_width: barWidth, bar_gap: barGap, ...given }, probe) => {
    const [marginX, marginY] = [Math.round(width * MARGIN_X), Math.round(height * MARGIN_Y)]
    const sound = { codec: 'aac' as const, bitrate, is_stereo: true, is_strip_tags: true, is_strip_cover: true }
    const { filters, args, channels } = soundArgs(sound, probe)
    return {
      kind: 'waveform_video',
      shape: { width, height, marginX, marginY, barWidth, barGap, isRounded: given.is_rounded },
      color: given.color,
      backgroundColor: given.background_color,
      fps,
      audio: { filters, args, channels },
    }
  },
}
