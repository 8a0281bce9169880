import { z } from 'zod'
import { fadeFilters } from '../../../platform/media/fade.ts'
import { toSampleSpan } from '../../../platform/media/trim.ts'
import { roundTo } from '../../../platform/number.ts'
import { audioParameters, checkMode, cutTo, encodeArgs, organizationLossyParameters } from './audio.ts'
import { parameter } from './parameter.ts'
import type { VariantTypeDefinition } from './type.ts'

const MAX_FADE_SECONDS = 30
const percent = z.number().min(0).max(100)
const seconds = z.number().min(0)

const previewType = parameter(z.enum(['seconds', 'percent']).default('seconds'), 'Unit of the length of the clip.', {
  enum: {
    name: 'PreviewLength',
    description: 'Unit of the length of a preview.',
    values: {
      seconds: 'Seconds, within limits in percent of the recording.',
      percent: 'Percent of the recording, within limits in seconds.',
    },
  },
})
const previewTypeDescription = previewType.description ?? ''

const length = <T extends z.ZodType>(rule: T, text: string) =>
  parameter(rule, text, { nullMeans: 'Null for the other preview type.' })
const inSeconds = {
  preview_seconds: length(seconds.default(60), 'Length in seconds.'),
  preview_min_percent: length(percent.default(0), 'Minimum length in percent of the recording.'),
  preview_max_percent: length(percent.default(50), 'Maximum length in percent of the recording.'),
}
const inPercent = {
  preview_percent: length(percent.default(25), 'Length in percent of the recording.'),
  preview_min_seconds: length(seconds.default(0), 'Minimum length in seconds.'),
  preview_max_seconds: length(seconds.default(90), 'Maximum length in seconds.'),
}
const shared = {
  preview_start_percent: parameter(percent.default(25), 'Start of the clip in percent of the recording.'),
  ...audioParameters,
}

const fade = (text: string) => parameter(z.number().min(0).max(MAX_FADE_SECONDS).optional(), `${text} None by default.`)
/** Both together are at most as long as the clip. */
const fadeParameters = {
  fade_in_seconds: fade('Length of the fade at the start, in seconds.'),
  fade_out_seconds: fade('Length of the fade at the end, in seconds.'),
}

/** Parameters that only one of the two types of length has. */
const lengthParameters = { ...inSeconds, ...inPercent }

const error = 'must be one of seconds, percent'

type Lengths =
  | { preview_type: 'seconds'; preview_min_percent: number; preview_max_percent: number }
  | { preview_type: 'percent'; preview_min_seconds: number; preview_max_seconds: number }

function checkLimits(value: Lengths, check: z.RefinementCtx): void {
  const [min, max, unit] =
    value.preview_type === 'seconds'
      ? [value.preview_min_percent, value.preview_max_percent, 'percent']
      : [value.preview_min_seconds, value.preview_max_seconds, 'seconds']
  if (min <= max) return
  const message = `must not exceed preview_max_${unit} (${max})`
  check.addIssue({ code: 'custom', path: [`preview_min_${unit}`], message })
}

type Faded = { fade_in_seconds?: number; fade_out_seconds?: number } & (
  | { preview_type: 'seconds'; preview_seconds: number }
  | { preview_type: 'percent'; preview_max_seconds: number }
)

/** The fades of a clip that is shorter than requested, because the recording is, are shortened in `fadeFilters`. */
function checkFades(value: Faded, check: z.RefinementCtx): void {
  const { fade_in_seconds: fadeIn = 0, fade_out_seconds: fadeOut = 0 } = value
  const [name, length] =
    value.preview_type === 'seconds'
      ? ['preview_seconds', value.preview_seconds]
      : ['preview_max_seconds', value.preview_max_seconds]
  if (fadeIn + fadeOut <= length) return
  const path = [fadeOut > 0 ? 'fade_out_seconds' : 'fade_in_seconds']
  check.addIssue({ code: 'custom', path, message: `both fades together must not exceed ${name} (${length})` })
}

/** @param more parameters in addition to those of the specification */
const propsWith = <More extends z.ZodRawShape>(more: More) =>
  z
    .discriminatedUnion(
      'preview_type',
      [
        z.object({
          preview_type: z.literal('seconds').default('seconds').describe(previewTypeDescription),
          ...inSeconds,
          ...shared,
          ...more,
        }),
        z.object({
          preview_type: z.literal('percent').describe(previewTypeDescription),
          ...inPercent,
          ...shared,
          ...more,
        }),
      ],
      { error },
    )
    .superRefine((value, check) => checkLimits(value as Lengths, check))

const organizationParameters = { ...organizationLossyParameters, ...fadeParameters }
const props = propsWith(organizationParameters).superRefine(checkMode).superRefine(checkFades)
const trackProps = propsWith({})

export type PreviewProps = z.infer<typeof props>

/** Minimum length of a clip, unless the recording is shorter. */
const MIN_SECONDS = 1

/**
 * The span of a recording that a preview contains.
 * @param durationSeconds length of the whole recording
 * @see contract, section 9
 */
export function previewSpan(props: PreviewProps, durationSeconds: number) {
  const ofDuration = (share: number) => (share / 100) * durationSeconds
  const clipSeconds =
    props.preview_type === 'seconds'
      ? clamp(props.preview_seconds, ofDuration(props.preview_min_percent), ofDuration(props.preview_max_percent))
      : clamp(ofDuration(props.preview_percent), props.preview_min_seconds, props.preview_max_seconds)
  const length = Math.min(Math.max(clipSeconds, MIN_SECONDS), durationSeconds)
  const start = Math.min(ofDuration(props.preview_start_percent), durationSeconds - length)
  return { startSeconds: start, durationSeconds: length }
}

export const preview: VariantTypeDefinition<PreviewProps> = {
  id: 'preview',
  title: 'Preview',
  description: 'A short clip of the recording.',
  isApiAllowed: true,
  isPlayable: true,
  parameters: { preview_type: previewType, ...lengthParameters, ...shared, ...organizationParameters },
  props,
  trackRules: { parameters: { preview_type: previewType, ...lengthParameters, ...shared }, props: trackProps },
  plan: (props, probe, durationSeconds, soundSpan) => {
    const encoded = encodeArgs(props, probe, soundSpan)
    const whole = { startSeconds: 0, durationSeconds }
    const { startSeconds, durationSeconds: length } = (encoded.isTrimmed && soundSpan) || whole
    const span = previewSpan(props, length)
    const clip = { ...span, startSeconds: startSeconds + span.startSeconds }
    const { start, end } = toSampleSpan(clip, probe.sampleRate)
    const fades = { inSeconds: props.fade_in_seconds ?? 0, outSeconds: props.fade_out_seconds ?? 0 }
    return {
      kind: 'audio',
      ...encoded,
      ...cutTo(clip, encoded, probe, fadeFilters(fades, end - start, probe.sampleRate)),
      // In proportion to the length of the clip.
      effort: durationSeconds > 0 ? (encoded.effort * clip.durationSeconds) / durationSeconds : encoded.effort,
      data: () => ({
        duration: roundTo(clip.durationSeconds, 3),
        extension: encoded.extension,
        capture_start: roundTo(clip.startSeconds, 3),
        capture_end: roundTo(clip.startSeconds + clip.durationSeconds, 3),
        content_type: encoded.contentType,
      }),
    }
  },
}
const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max)
