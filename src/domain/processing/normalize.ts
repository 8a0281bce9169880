import type { Services } from '../../platform/context.ts'
import { type Decoded, measureFiltered } from '../../platform/media/encode.ts'
import { downmixGain, gainFor } from '../../platform/media/gain.ts'
import type { Analysis } from '../../platform/media/meter/sound.ts'
import { mixAttenuationDb, mixTo } from '../../platform/media/mix.ts'
import type { AudioJob } from './audio-job.ts'
import type { Source } from './source.ts'

/** Measures what filters make of a recording; null for a recording without sound. */
export type MeasureFiltered = (filters: readonly string[]) => Promise<Analysis | null>

/** Measures with one decode for each chain of filters, however many files use it. */
export function filteredMeter({ tools }: Services, source: Source): MeasureFiltered {
  const known = new Map<string, Promise<Analysis | null>>()
  return (filters) => {
    const chain = filters.join(',')
    const measured = known.get(chain) ?? measureFiltered(tools, source, filters)
    known.set(chain, measured)
    return measured
  }
}

/** Whether a file's gain follows from a measurement, so that it is encoded in a second pass. */
export const needsGain = ({ plan, output }: AudioJob, { probe }: Source) =>
  plan.targetLufs !== null || mixAttenuationDb(output.channels, probe) > 0

/** Adds the gain that a file needs: to its target loudness, or to the level of its downmix. */
export async function withGain(
  measure: MeasureFiltered,
  source: Source,
  job: AudioJob,
  decoded: Decoded,
): Promise<AudioJob> {
  if (job.plan.targetLufs !== null) return normalized(measure, job, decoded, job.plan.targetLufs)
  const { filters, channels } = job.output
  const { gainDb, integratedLufs, truePeakDbtp } = await mixGain(measure, source, channels)
  return {
    ...job,
    loudness: integratedLufs === null ? null : { integratedLufs, truePeakDbtp },
    output: { ...job.output, filters: [...filters, volume(gainDb)] },
  }
}

/** Filters that raise a downmix to the level of its matrix; none where `mixTo` does not attenuate. */
export async function mixLevelFilters(measure: MeasureFiltered, source: Source, channels: number): Promise<string[]> {
  if (mixAttenuationDb(channels, source.probe) === 0) return []
  return [volume((await mixGain(measure, source, channels)).gainDb)]
}

/** The gain of a downmix, measured on the whole recording, so that a preview is as loud as the rest. */
async function mixGain(measure: MeasureFiltered, { probe }: Source, channels: number) {
  return downmixGain(mixAttenuationDb(channels, probe), await measure(mixTo(channels, probe)))
}

/**
 * Adds the gain that brings one file to its loudness: that of what is delivered, so that a clip or a mix is measured by
 * itself.
 */
async function normalized(
  measure: MeasureFiltered,
  job: AudioJob,
  decoded: Decoded,
  targetLufs: number,
): Promise<AudioJob> {
  const { filters } = job.output
  const known = filters.length === 0 ? decoded.analysis : null
  const analysis = known ?? (await measure(filters))
  if (!analysis) return job
  const { gainDb, isLimited, integratedLufs, truePeakDbtp } = gainFor(targetLufs, analysis)
  if (integratedLufs === null) return { ...job, plan: { ...job.plan, note: unmeasured } }
  return {
    ...job,
    loudness: { integratedLufs, truePeakDbtp },
    plan: { ...job.plan, note: isLimited ? limited(targetLufs, integratedLufs) : job.plan.note },
    output: { ...job.output, filters: [...filters, volume(gainDb)] },
  }
}

const volume = (gainDb: number) => `volume=${gainDb.toFixed(2)}dB`

/** BS.1770 measures blocks of 400 ms above -70 LUFS. */
const unmeasured = {
  code: 'normalization_limited',
  text: 'Not normalized: silence, and a recording shorter than 0.4 seconds, have no loudness that can be measured.',
}

const limited = (targetLufs: number, reachedLufs: number) => ({
  code: 'normalization_limited',
  text: `Normalized to ${reachedLufs.toFixed(1)} LUFS instead of ${targetLufs}: more would make its peaks clip.`,
})
