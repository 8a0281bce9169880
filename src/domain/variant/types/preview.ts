import { z } from 'zod'
import { audioProps, encodeArgs } from './audio.ts'
import type { VariantTypeDefinition } from './type.ts'

const percent = z.number().min(0).max(100)
const seconds = z.number().min(0)

const lengthInSeconds = z.object({
  preview_type: z.literal('seconds').default('seconds').describe('How the length of the clip is measured.'),
  preview_seconds: seconds.default(60).describe('Length of the clip, in seconds.'),
  preview_min_percent: percent.default(0).describe('No shorter than this part of the recording.'),
  preview_max_percent: percent.default(50).describe('No longer than this part of the recording.'),
})
const lengthInPercent = z.object({
  preview_type: z.literal('percent').describe('How the length of the clip is measured.'),
  preview_percent: percent.default(25).describe('Length of the clip, as part of the recording.'),
  preview_min_seconds: seconds.default(0).describe('No shorter than this.'),
  preview_max_seconds: seconds.default(90).describe('No longer than this.'),
})
const shared = z.object({
  preview_start_percent: percent.default(25).describe('Where the clip starts in the recording.'),
  ...audioProps,
})

const props = z
  .discriminatedUnion('preview_type', [lengthInSeconds.extend(shared.shape), lengthInPercent.extend(shared.shape)], {
    error: 'must be one of seconds, percent',
  })
  .superRefine((value, check) => {
    const [min, max, name] =
      value.preview_type === 'seconds'
        ? [value.preview_min_percent, value.preview_max_percent, 'percent']
        : [value.preview_min_seconds, value.preview_max_seconds, 'seconds']
    if (min > max) {
      check.addIssue({
        code: 'custom',
        path: [`preview_min_${name}`],
        message: `must not be above preview_max_${name} (${max})`,
      })
    }
  })

export type PreviewProps = z.infer<typeof props>

/** No clip is shorter than this, but for a source that is. */
const MIN_SECONDS = 1

/**
 * Which span of a recording a preview holds.
 * @param durationSeconds of the whole recording
 * @see contract, section 9
 */
export function previewSpan(props: PreviewProps, durationSeconds: number) {
  const ofDuration = (share: number) => (share / 100) * durationSeconds
  const wanted =
    props.preview_type === 'seconds'
      ? clamp(props.preview_seconds, ofDuration(props.preview_min_percent), ofDuration(props.preview_max_percent))
      : clamp(ofDuration(props.preview_percent), props.preview_min_seconds, props.preview_max_seconds)
  const length = Math.min(Math.max(wanted, MIN_SECONDS), durationSeconds)
  const start = Math.min(ofDuration(props.preview_start_percent), durationSeconds - length)
  return { startSeconds: start, durationSeconds: length }
}

/** A short clip. */
export const preview: VariantTypeDefinition<PreviewProps> = {
  id: 'preview',
  title: 'Preview',
  isApiAllowed: true,
  props,
  plan: (given, probe, durationSeconds) => {
    const clip = previewSpan(given, durationSeconds)
    const { filters, ...encoded } = encodeArgs(given, probe)
    const sampleAt = (second: number) => Math.round(second * probe.sampleRate)
    const [start, end] = [sampleAt(clip.startSeconds), sampleAt(clip.startSeconds + clip.durationSeconds)]
    const trim = `atrim=start_sample=${start}:end_sample=${end},asetpts=PTS-STARTPTS`
    return {
      kind: 'audio',
      ...encoded,
      filters: [trim, ...filters],
      // In proportion to what of it is encoded.
      effort: durationSeconds > 0 ? (encoded.effort * clip.durationSeconds) / durationSeconds : encoded.effort,
      clip,
      data: () => ({
        duration: round(clip.durationSeconds),
        extension: encoded.extension,
        capture_start: round(clip.startSeconds),
        capture_end: round(clip.startSeconds + clip.durationSeconds),
        content_type: encoded.contentType,
      }),
    }
  },
}

const round = (value: number) => Math.round(value * 1000) / 1000
const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max)
