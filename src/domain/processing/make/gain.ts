import { describeMiss, type EncodeAttempt, isBetter, nextLeveling } from '../../../platform/media/attempts.ts'
import {
  downmixGain,
  findLeveling,
  type GainTarget,
  type Leveling,
  type Loudness,
  levelFilters,
  raised,
  volumeFilter,
} from '../../../platform/media/gain.ts'
import { measureEncoded, measureFiltered, untilMeasurable } from '../../../platform/media/measure.ts'
import { mixAttenuationDb, mixTo } from '../../../platform/media/mix.ts'
import type { Encoding, EncodingRequest, Run } from '../run/run.ts'

/** Whether the gain of a file follows from a measurement. */
export const needsGain = ({ probe }: Run, { file, output }: EncodingRequest) =>
  file.plan.target !== null || mixAttenuationDb(output.channels, probe) > 0

/** Adds the gain that a file needs, if any: to its target loudness, or to the level of its downmix. */
export async function withGain(run: Run, request: EncodingRequest): Promise<EncodingRequest> {
  if (!needsGain(run, request)) return request
  const { target } = request.file.plan
  return target === null ? withDownmixGain(run, request) : withTargetGain(run, request, target)
}

/** Filters that raise a downmix to the level of its matrix. Empty when `mixTo` does not attenuate. */
export async function downmixFilters(run: Run, channels: number): Promise<string[]> {
  if (mixAttenuationDb(channels, run.probe) === 0) return []
  return [volumeFilter((await measureDownmix(run, channels)).gainDb)]
}

/** The gain of a downmix. Measured on the whole recording, so that a preview is as loud as the rest. */
async function measureDownmix(run: Run, channels: number) {
  const { probe } = run
  const loudness = await measure(run, mixTo(channels, probe))
  const gainDb = downmixGain(mixAttenuationDb(channels, probe), loudness)
  return { gainDb, loudness: raised(loudness, gainDb) }
}

async function withDownmixGain(run: Run, request: EncodingRequest): Promise<EncodingRequest> {
  const { file, output } = request
  const { gainDb, loudness } = await measureDownmix(run, output.channels)
  return {
    ...request,
    loudness: raised(loudness, file.plan.encoderGainDb),
    output: { ...output, filters: [...output.filters, volumeFilter(gainDb)] },
  }
}

/** Adds the gain to a target loudness. A clip or a mix is measured by itself, as it is delivered. */
async function withTargetGain(run: Run, request: EncodingRequest, target: GainTarget): Promise<EncodingRequest> {
  const { file, output } = request
  const { filters } = output
  const { sampleRate } = run.probe
  const pad = untilMeasurable(computeSeconds(run, request), sampleRate)
  const isWhole = filters.length === 0 && pad.length === 0
  const source = isWhole ? run.loudness : await measure(run, [...filters, ...pad])
  if (!source) return { ...request, file: { ...file, plan: { ...file.plan, note: silent } } }
  const measurePadded = (leveled: readonly string[]) => measure(run, [...leveled, ...pad])
  return withLeveling(request, await findLeveling({ target, source, filters, sampleRate }, measurePadded))
}

function withLeveling(request: EncodingRequest, leveling: Leveling): EncodingRequest {
  const { file, output } = request
  return { ...request, leveling, output: { ...output, filters: levelFilters(leveling, file.plan.encoderGainDb) } }
}

/** An encoded file after its measurement. */
export interface CheckedEncoding {
  /** With its loudness and its note. */
  measured: Encoding
  /** All encodes of the file, for a file with a target loudness. */
  attempts: readonly EncodeAttempt[]
  /** Whether it is better than the earlier ones. */
  isBest: boolean
  /** A request that comes closer to the target. Null without one. */
  better: EncodingRequest | null
}

/**
 * Measures an encoded file that has a target loudness, or whose variant asks for its loudness. A copy of the recording has
 * that of the recording.
 * @param earlier encodes of the file
 */
export async function checkLoudness(
  run: Run,
  encoding: Encoding,
  earlier: readonly EncodeAttempt[] = [],
): Promise<CheckedEncoding> {
  const last = (measured: Encoding) => ({ measured, attempts: earlier, isBest: true, better: null })
  if (encoding.state === 'failed') return last(encoding)
  const { file, leveling, output } = encoding
  const { plan } = file
  if (!leveling && !plan.isMeasured) return last(encoding)
  const measuredFile = { fileName: output.fileName, sampleRate: plan.resolved.sample_rate }
  const loudness =
    !leveling && isCopy(run, encoding)
      ? run.loudness
      : await measureEncoded(run.services.tools, run, measuredFile, computeSeconds(run, encoding))
  if (!leveling) return last({ ...encoding, loudness })
  if (!loudness) return last(encoding)
  const attempt = { leveling, loudness }
  const attempts = [...earlier, attempt]
  const miss = describeMiss(attempt)
  const note = miss === null ? plan.note : { code: 'normalization_limited', text: miss }
  const next = nextLeveling(attempts)
  const { state: _, ...request } = encoding
  return {
    measured: { ...encoding, loudness, file: { ...file, plan: { ...plan, note } } },
    attempts,
    isBest: earlier.every((other) => isBetter(attempt, other)),
    better: next && withLeveling(request, next),
  }
}

/** Whether a file has the samples of the recording, whose loudness is known. */
function isCopy({ probe, loudness }: Run, { file, output }: EncodingRequest): boolean {
  const { sample_rate: sampleRate, bit_depth: bitDepth = 0 } = file.plan.resolved
  const isWhole = output.clip === null && output.filters.length === 0 && output.channels === probe.channels
  const isExact = probe.bitDepth !== null && bitDepth >= probe.bitDepth && sampleRate === probe.sampleRate
  return isWhole && isExact && loudness !== null
}

/** Length of the sound of a file. */
const computeSeconds = (run: Run, { output }: EncodingRequest) =>
  output.clip?.durationSeconds ?? run.sound.durationSeconds

/** Measures the filtered recording, with one decode for each chain of filters. Null for silence. */
const measure = (run: Run, filters: readonly string[]): Promise<Loudness | null> =>
  run.once(`measure ${filters.join(',')}`, () => measureFiltered(run.services.tools, run, filters))

const silent = {
  code: 'normalization_limited',
  text: 'Not normalized: the sound is silent, or softer than -70 LUFS.',
}
