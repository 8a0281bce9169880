import { z } from 'zod'
import { type AudioProps, organizationParameters, sharedParameters } from './audio.ts'
import { parameter } from './parameter.ts'
import { transcode } from './transcode.ts'
import type { AudioPlan, VariantTypeDefinition } from './type.ts'

/** kbps. Below, a stereo file would need a lower sample rate than the others. */
const MIN_BITRATE = 64
const MAX_BITRATE = 320
export const MAX_RATES = 6

const bitrates = z
  .array(z.number().int().min(MIN_BITRATE).max(MAX_BITRATE))
  .min(1)
  .max(MAX_RATES)
  .refine((rates) => rates.every((rate, at) => at === 0 || rate > Number(rates[at - 1])), 'must ascend')
  .default([64, 128, 256])

const parameters = {
  bitrates: parameter(
    bitrates,
    `Bit rates in kbps, ascending: 1 to ${MAX_RATES}, each ${MIN_BITRATE} to ${MAX_BITRATE}.`,
  ),
  is_stereo: sharedParameters.is_stereo,
  normalize: sharedParameters.normalize,
  normalize_mode: organizationParameters.normalize_mode,
  is_trim_silence: organizationParameters.is_trim_silence,
}
const props = z.object(parameters)

/** The recording in AAC of several bit rates, for HTTP Live Streaming (RFC 8216) and MPEG-DASH (ISO/IEC 23009-1). */
export const adaptive: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'adaptive',
  title: 'Adaptive stream',
  description:
    'The whole recording in AAC of several bit rates, from which players choose by the speed of the network.',
  isApiAllowed: false,
  isPlayable: true,
  parameters,
  props,
  plan: ({ bitrates, ...shared }, probe, durationSeconds, soundSpan) => {
    const planRate = (bitrate: number) => {
      const sound: AudioProps = { ...shared, codec: 'aac', bitrate, is_strip_tags: true, is_strip_cover: true }
      return { ...(transcode.plan(sound, probe, durationSeconds, soundSpan) as AudioPlan), adaptiveBitrate: bitrate }
    }
    return { kind: 'adaptive', rates: bitrates.map(planRate) }
  },
}
