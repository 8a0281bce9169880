import type { AudioOutput } from '../../platform/media/encode.ts'
import type { Probe } from '../../platform/media/probe.ts'
import type { Gain as Loudness } from '../../platform/media/tags/gain.ts'
import type { FileWithVariant } from '../track/service.ts'
import { variantType } from '../variant/types/index.ts'
import type { AudioPlan, FilePlan } from '../variant/types/type.ts'

/** One audio file to be made. */
export interface AudioJob {
  file: FileWithVariant
  plan: AudioPlan
  output: AudioOutput
  /** Of the file itself, where it is not the recording's. */
  loudness: Loudness | null
}

/** What a file's variant asks for, given a recording and the best known length of it. */
export function planFile(file: FileWithVariant, probe: Probe, durationSeconds: number): FilePlan {
  return variantType(file.variant.type).plan(file.props, probe, durationSeconds)
}

/** The job of an audio file; none for a file of another kind. */
export function audioJob(file: FileWithVariant, probe: Probe, durationSeconds: number): AudioJob[] {
  const plan = planFile(file, probe, durationSeconds)
  if (plan.kind !== 'audio') return []
  const { filters, args, effort, codecName, channels, clip, extension } = plan
  const fileName = `${file.id}.${extension}`
  return [{ file, plan, output: { fileName, filters, args, effort, codec: codecName, channels, clip }, loudness: null }]
}
