import { z } from 'zod'
import { roundTo } from '../../../platform/number.ts'
import {
  type AudioProps,
  audioCodecEnum,
  audioParameters,
  checkMode,
  cutTo,
  encodeArgs,
  losslessParameters,
  organizationLossyParameters,
  organizationParameters,
} from './audio.ts'
import { type AudioCodec, codecs } from './codecs/index.ts'
import { parameter } from './parameter.ts'
import type { VariantTypeDefinition } from './type.ts'

const ids = Object.keys(codecs) as AudioCodec[]
const props = z
  .discriminatedUnion(
    'codec',
    [
      z.object({ ...audioParameters, ...organizationLossyParameters }),
      z.object({ ...losslessParameters, ...organizationParameters }),
    ],
    { error: `must be one of ${ids.join(', ')}` },
  )
  .superRefine(checkMode)

export const transcode: VariantTypeDefinition<AudioProps> = {
  id: 'transcode',
  title: 'Transcode',
  description: 'The whole recording in another codec.',
  isApiAllowed: true,
  isPlayable: true,
  parameters: {
    ...audioParameters,
    codec: parameter(z.enum(ids).default('aac'), 'Codec of the file.', { enum: audioCodecEnum }),
    bit_depth: losslessParameters.bit_depth,
    ...organizationLossyParameters,
  },
  props,
  trackRules: { parameters: audioParameters, props: z.object(audioParameters) },
  plan: (props, probe, durationSeconds, soundSpan = null) => {
    const encoded = encodeArgs(props, probe, soundSpan)
    const plan = { kind: 'audio', ...encoded, keeps: { ...encoded.keeps, chapters: true }, data: () => null } as const
    const clip = encoded.isTrimmed && soundSpan && soundSpan.durationSeconds < durationSeconds ? soundSpan : null
    if (!clip) return { ...plan, clip }
    const captured = {
      capture_start: roundTo(clip.startSeconds, 6),
      capture_end: roundTo(clip.startSeconds + clip.durationSeconds, 6),
    }
    return {
      ...plan,
      ...cutTo(clip, encoded, probe),
      effort: encoded.effort * (clip.durationSeconds / durationSeconds),
      resolved: { ...encoded.resolved, ...captured },
    }
  },
}
