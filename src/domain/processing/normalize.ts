import type { Services } from '../../platform/context.ts'
import { type Decoded, measureFiltered } from '../../platform/media/encode.ts'
import { gainFor } from '../../platform/media/gain.ts'
import type { AudioJob } from './audio-job.ts'
import type { Source } from './source.ts'

/**
 * Adds the gain that brings one file to its loudness: that of what is delivered, so that a clip or a mix is measured by
 * itself.
 */
export async function normalized(
  { tools }: Services,
  source: Source,
  job: AudioJob,
  decoded: Decoded,
): Promise<AudioJob> {
  const { filters } = job.output
  const known = filters.length === 0 ? decoded.analysis : null
  const analysis = known ?? (await measureFiltered(tools, source, filters))
  const { targetLufs } = job.plan
  if (targetLufs === null || !analysis) return job
  const { gainDb, isLimited, integratedLufs, truePeakDbtp } = gainFor(targetLufs, analysis)
  return {
    ...job,
    loudness: integratedLufs === null ? null : { integratedLufs, truePeakDbtp },
    plan: { ...job.plan, note: isLimited ? limited(targetLufs, integratedLufs) : job.plan.note },
    output: { ...job.output, filters: [...filters, `volume=${gainDb.toFixed(2)}dB`] },
  }
}

const limited = (targetLufs: number, reachedLufs: number | null) => ({
  code: 'normalization_limited',
  text: `Normalized to ${reachedLufs?.toFixed(1)} LUFS instead of ${targetLufs}: more would make its peaks clip.`,
})
