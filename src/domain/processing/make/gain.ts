import {
  downmixGain,
  firstLevel,
  isBelow,
  type Level,
  type Leveling,
  type Loudness,
  loudnessOf,
  nextLevel,
  raised,
  type Target,
} from '../../../platform/media/gain.ts'
import { limiterFilters } from '../../../platform/media/limiter.ts'
import { measureEncoded, measureFiltered, untilMeasurable } from '../../../platform/media/measure.ts'
import { mixAttenuationDb, mixTo } from '../../../platform/media/mix.ts'
import type { Encoding, Run } from '../run/run.ts'

/** Measurements of a limited sound before it is encoded. Three are usual. */
const MAX_MEASUREMENTS = 5

/** Whether the gain of a file follows from a measurement. */
export const needsGain = ({ probe }: Run, { file, output }: Encoding) =>
  file.plan.target !== null || mixAttenuationDb(output.channels, probe) > 0

/** Adds the gain that a file needs: to its target loudness, or to the level of its downmix. */
export const withGain = (run: Run, encoding: Encoding): Promise<Encoding> =>
  encoding.file.plan.target === null ? leveled(run, encoding) : normalized(run, encoding, encoding.file.plan.target)

/** Filters that raise a downmix to the level of its matrix. Empty when `mixTo` does not attenuate. */
export async function downmixFilters(run: Run, channels: number): Promise<string[]> {
  if (mixAttenuationDb(channels, run.probe) === 0) return []
  return [volume((await measuredDownmix(run, channels)).gainDb)]
}

/** The gain of a downmix. Measured on the whole recording, so that a preview is as loud as the rest. */
async function measuredDownmix(run: Run, channels: number) {
  const { probe } = run
  const loudness = await measure(run, mixTo(channels, probe))
  const gainDb = downmixGain(mixAttenuationDb(channels, probe), loudness)
  return { gainDb, loudness: raised(loudness, gainDb) }
}

async function leveled(run: Run, encoding: Encoding): Promise<Encoding> {
  const { file, output } = encoding
  const { gainDb, loudness } = await measuredDownmix(run, output.channels)
  return {
    ...encoding,
    loudness: raised(loudness, file.plan.encoderGainDb),
    output: { ...output, filters: [...output.filters, volume(gainDb)] },
  }
}

/** Adds the gain to a target loudness. A clip or a mix is measured by itself, as it is delivered. */
async function normalized(run: Run, encoding: Encoding, target: Target): Promise<Encoding> {
  const { file, output } = encoding
  const { filters } = output
  const pad = untilMeasurable(secondsOf(run, encoding), run.probe.sampleRate)
  const isKnown = filters.length === 0 && pad.length === 0
  const source = isKnown ? loudnessOf(run.analysis) : await measure(run, [...filters, ...pad])
  if (!source) return { ...encoding, file: { ...file, plan: { ...file.plan, note: silent } } }
  const first = { target, level: firstLevel(target, source), source, filters }
  return withLevel(run, encoding, first.level.limitDbtp === null ? first : await limited(run, first, pad))
}

/**
 * Finds the gain of a limited sound: how much of it remains depends on the sound. Returns a gain without a limiter for a
 * sound that the limiter makes softer.
 */
async function limited(run: Run, first: Leveling, pad: readonly string[]): Promise<Leveling> {
  const { target, source, filters } = first
  let { level } = first
  let result: Loudness | null = null
  for (let count = 0; count < MAX_MEASUREMENTS; count++) {
    result = await measure(run, [...filters, ...levelFilters(run, level), ...pad])
    const next = result && nextLevel(target, level, source, result)
    if (!next) break
    level = next
  }
  const plain = firstLevel({ ...target, mode: 'linear' }, source)
  const isLouder = result !== null && result.integratedLufs > source.integratedLufs + plain.gainDb
  return { ...first, level: isLouder ? level : plain }
}

function withLevel(run: Run, encoding: Encoding, leveling: Leveling): Encoding {
  const { file, output } = encoding
  const filters = [...leveling.filters, ...levelFilters(run, leveling.level, file.plan.encoderGainDb)]
  return { ...encoding, leveling, output: { ...output, filters } }
}

/** @param encoderGainDb gain of the encoder, to compensate */
function levelFilters({ probe }: Run, { gainDb, limitDbtp }: Level, encoderGainDb = 0): string[] {
  if (limitDbtp === null) return [volume(gainDb - encoderGainDb)]
  // Integers cannot exceed full scale.
  const limiting = ['aformat=sample_fmts=fltp', volume(gainDb), ...limiterFilters(probe.sampleRate, limitDbtp)]
  return encoderGainDb === 0 ? limiting : [...limiting, volume(-encoderGainDb)]
}

/**
 * Measures an encoded file.
 * @returns the encoding with its loudness and its note, and one that comes closer to the target if there is any
 */
export async function checkLevel(
  run: Run,
  encoding: Encoding,
  leveling: Leveling,
): Promise<{ measured: Encoding; better: Encoding | null }> {
  const { target, level, source } = leveling
  const { file, output } = encoding
  const { plan } = file
  const at = { fileName: output.fileName, sampleRate: plan.resolved.sample_rate }
  const loudness = loudnessOf(await measureEncoded(run.services.tools, run, at, secondsOf(run, encoding)))
  if (!loudness) return { measured: encoding, better: null }
  const note = isBelow(target, loudness) ? belowTarget(target, loudness) : plan.note
  const next = nextLevel(target, level, source, loudness)
  return {
    measured: { ...encoding, loudness, file: { ...file, plan: { ...plan, note } } },
    better: next && withLevel(run, encoding, { ...leveling, level: next }),
  }
}

/** Adds the loudness of an encoded file: that of the recording if it has the same samples, else a measurement. */
export async function withLoudness(run: Run, encoding: Encoding): Promise<Encoding> {
  if (isCopy(run, encoding)) return { ...encoding, loudness: loudnessOf(run.analysis) }
  const { fileName } = encoding.output
  const at = { fileName, sampleRate: encoding.file.plan.resolved.sample_rate }
  const loudness = loudnessOf(await measureEncoded(run.services.tools, run, at, secondsOf(run, encoding)))
  return { ...encoding, loudness }
}

/** Whether a file has the samples of the recording, whose loudness is known. */
function isCopy({ probe, analysis }: Run, { file, output }: Encoding): boolean {
  const { sample_rate: sampleRate, bit_depth: bitDepth = 0 } = file.plan.resolved
  const isWhole = output.clip === null && output.filters.length === 0 && output.channels === probe.channels
  const isExact = probe.bitDepth !== null && bitDepth >= probe.bitDepth && sampleRate === probe.sampleRate
  return isWhole && isExact && loudnessOf(analysis) !== null
}

/** Length of the sound of a file. */
const secondsOf = (run: Run, { output }: Encoding) => output.clip?.durationSeconds ?? run.sound.durationSeconds

/** Measures the filtered recording, with one decode for each chain of filters. Null for silence. */
const measure = (run: Run, filters: readonly string[]): Promise<Loudness | null> =>
  run.once(`measure ${filters.join(',')}`, async () =>
    loudnessOf(await measureFiltered(run.services.tools, run, filters)),
  )

const volume = (gainDb: number) => `volume=${gainDb.toFixed(2)}dB`

const silent = {
  code: 'normalization_limited',
  text: 'Not normalized: the sound is silent, or softer than -70 LUFS.',
}

const belowTarget = ({ lufs, mode }: Target, { integratedLufs }: Loudness) => ({
  code: 'normalization_limited',
  text: `Normalized to ${integratedLufs.toFixed(1)} LUFS instead of ${lufs}: more would ${
    mode === 'linear' ? 'make its peaks clip' : 'distort it'
  }.`,
})
