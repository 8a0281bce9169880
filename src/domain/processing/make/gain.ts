import { measureFiltered } from '../../../platform/media/encode.ts'
import { downmixGain, gainFor } from '../../../platform/media/gain.ts'
import { mixAttenuationDb, mixTo } from '../../../platform/media/mix.ts'
import type { Encoding, Run } from '../run/run.ts'

/** Whether the gain of a file follows from a measurement, so that it is encoded in a second pass. */
export const needsGain = ({ probe }: Run, { file, output }: Encoding) =>
  file.plan.targetLufs !== null || mixAttenuationDb(output.channels, probe) > 0

/** Adds the gain that a file needs: to its target loudness, or to the level of its downmix. */
export const withGain = (run: Run, encoding: Encoding): Promise<Encoding> =>
  encoding.file.plan.targetLufs === null
    ? leveled(run, encoding)
    : normalized(run, encoding, encoding.file.plan.targetLufs)

/** Filters that raise a downmix to the level of its matrix. Empty when `mixTo` does not attenuate. */
export async function downmixFilters(run: Run, channels: number): Promise<string[]> {
  if (mixAttenuationDb(channels, run.probe) === 0) return []
  return [volume((await measuredDownmix(run, channels)).gainDb)]
}

/** The gain of a downmix. Measured on the whole recording, so that a preview is as loud as the rest. */
async function measuredDownmix(run: Run, channels: number) {
  const { probe } = run
  return downmixGain(mixAttenuationDb(channels, probe), await measure(run, mixTo(channels, probe)))
}

async function leveled(run: Run, encoding: Encoding): Promise<Encoding> {
  const { filters, channels } = encoding.output
  const { gainDb, integratedLufs, truePeakDbtp } = await measuredDownmix(run, channels)
  return {
    ...encoding,
    loudness: integratedLufs === null ? null : { integratedLufs, truePeakDbtp },
    output: { ...encoding.output, filters: [...filters, volume(gainDb)] },
  }
}

/** Adds the gain to a target loudness. A clip or a mix is measured by itself, as it is delivered. */
async function normalized(run: Run, encoding: Encoding, targetLufs: number): Promise<Encoding> {
  const { file, output } = encoding
  const { filters } = output
  const known = filters.length === 0 ? run.analysis : null
  const analysis = known ?? (await measure(run, filters))
  if (!analysis) return encoding
  const { gainDb, isLimited, integratedLufs, truePeakDbtp } = gainFor(targetLufs, analysis)
  if (integratedLufs === null) return { ...encoding, file: { ...file, plan: { ...file.plan, note: unmeasured } } }
  const note = isLimited ? limited(targetLufs, integratedLufs) : file.plan.note
  return {
    file: { ...file, plan: { ...file.plan, note } },
    loudness: { integratedLufs, truePeakDbtp },
    output: { ...output, filters: [...filters, volume(gainDb)] },
  }
}

/** Measures the filtered recording, with one decode for each chain of filters. Null for a recording without sound. */
const measure = (run: Run, filters: readonly string[]) =>
  run.once(`measure ${filters.join(',')}`, () => measureFiltered(run.services.tools, run, filters))

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
