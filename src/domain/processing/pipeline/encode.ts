import { findDamage } from '../../../platform/media/damage.ts'
import { type Decoded, type EncodeOptions, encodeAll } from '../../../platform/media/encode.ts'
import { MediaError, mediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import type { Probe } from '../../../platform/media/probe.ts'
import { type Span, spanOfSound } from '../../../platform/media/trim.ts'
import type { FileWithVariant } from '../../track/service.ts'
import { checkLevel, needsGain, withGain, withLoudness } from '../make/gain.ts'
import { makers } from '../make/makers.ts'
import type { Encoding, Run } from '../run/run.ts'
import { planFile } from './plan.ts'
import { reserveSpace } from './space.ts'

/** Clips are placed by the announced length. A larger difference to the decoded length places them again. */
const CLIP_TOLERANCE_SECONDS = 0.02

/**
 * Decodes the recording, measures it, and encodes all audio files in one pass. A second pass encodes files whose gain or
 * ends follow from a measurement, and clips that were misplaced because the header announces a wrong length.
 * @throws MediaError when the recording cannot be decoded; `truncated` when a part of it is missing
 */
export async function encodeAudio(run: Run): Promise<void> {
  const needsSound = run.files.some(({ plan }) => makers[plan.kind].needsSound)
  if (run.analysis && !needsSound) return
  const { claimedSeconds, encodings } = run
  const planned = run.files.flatMap(({ row }) => encodingOf(run, row, claimedSeconds))
  const reserveMore = await reserveSpace(run)
  const decoded = await encode(
    run,
    planned.filter((encoding) => !needsMeasurement(run, encoding) && (claimedSeconds > 0 || !encoding.output.clip)),
    {
      isMetered: run.analysis === null,
      onSeconds(seconds) {
        if (claimedSeconds > 0) run.progress.decoded(seconds / claimedSeconds)
        reserveMore(seconds)
      },
    },
  )
  checkComplete(run.probe, decoded.durationSeconds)
  run.decoded = decoded
  if (!run.analysis && decoded.analysis) {
    const damagedAt = await findDamage(run.services.tools, run, decoded)
    run.analysis = { ...decoded.analysis, damaged_at_seconds: rounded(damagedAt) }
  }
  run.quality = decoded.quality

  const heard = run.analysis && spanOfSound(run.analysis, decoded.durationSeconds)
  const isMisplaced =
    claimedSeconds === 0 || Math.abs(decoded.durationSeconds - claimedSeconds) > CLIP_TOLERANCE_SECONDS
  const second = planned
    .filter(({ file }) => !(encodings.get(file.row.id) instanceof MediaError))
    .filter((encoding) => needsMeasurement(run, encoding) || (isMisplaced && encoding.output.clip !== null))
    .flatMap(({ file }) => encodingOf(run, file.row, decoded.durationSeconds, heard))
  const leveled: Encoding[] = []
  for (const encoding of second) leveled.push(needsGain(run, encoding) ? await withGain(run, encoding) : encoding)
  if (leveled.length > 0) await encode(run, leveled)
  await reachTargets(run, leveled)
  await measureLoudness(run)
}

/** Measures the files that are to be, as far as `reachTargets` has not. */
async function measureLoudness(run: Run): Promise<void> {
  for (const [id, made] of run.encodings) {
    if (made instanceof MediaError || made.leveling || !made.file.plan.isMeasured) continue
    run.encodings.set(id, await withLoudness(run, made).catch(onlyMediaError))
  }
}

/** Whether the arguments of a file follow from a measurement of the recording, so that it is encoded in a second pass. */
const needsMeasurement = (run: Run, encoding: Encoding) => needsGain(run, encoding) || encoding.file.plan.isTrimmed

/** Encodes of a file that follow from measurements of its earlier ones. Two are rarely needed. */
const MAX_CORRECTIONS = 3

/** Measures files with a target loudness as they were encoded, and encodes those again that missed it. */
async function reachTargets(run: Run, encodings: readonly Encoding[]): Promise<void> {
  let left = encodings
  for (let correction = 0; correction <= MAX_CORRECTIONS && left.length > 0; correction++) {
    if (correction > 0) await encode(run, left)
    const next: Encoding[] = []
    for (const { file } of left) {
      const made = run.encodings.get(file.row.id)
      if (!made || made instanceof MediaError || !made.leveling) continue
      const checked = await checkLevel(run, made, made.leveling).catch(onlyMediaError)
      run.encodings.set(file.row.id, checked instanceof MediaError ? checked : checked.measured)
      if (!(checked instanceof MediaError) && checked.better) next.push(checked.better)
    }
    left = next
  }
}

const rounded = (seconds: number | null) => (seconds === null ? null : Math.round(seconds * 1000) / 1000)

/** The encoding of an audio file. Empty for a file of another kind. */
function encodingOf(
  { probe }: Run,
  row: FileWithVariant,
  durationSeconds: number,
  heard: Span | null = null,
): Encoding[] {
  const plan = planFile(row, probe, durationSeconds, heard)
  if (plan.kind !== 'audio') return []
  const { filters, args, parts, effort, bytesPerSecond, codecName: codec, channels, clip, extension } = plan
  const fileName = `${row.id}.${extension}`
  const output = { fileName, filters, args, parts, effort, bytesPerSecond, codec, channels, clip }
  return [{ file: { row, plan }, output, loudness: null, leveling: null }]
}

/** Encodes in one pass; then each file that the pass failed to make in a pass of its own. */
async function encode(run: Run, encodings: readonly Encoding[], options: EncodeOptions = {}): Promise<Decoded> {
  const { services, track } = run
  const outputs = encodings.map(({ output }) => output)
  const began = performance.now()
  const attributes = { 'tonearm.codecs': outputs.map(({ codec }) => codec) }
  const { decoded, failures } = await services.tracing.inSpan('ffmpeg encode', { attributes }, () =>
    encodeAll(services.tools, run, outputs, options),
  )
  const speed = decoded.durationSeconds / ((performance.now() - began) / 1000)
  const codecs = new Set(outputs.filter((output) => !failures.has(output)).map(({ codec }) => codec))
  for (const codec of codecs) services.metrics.encodeSpeed.observe({ codec }, speed)
  for (const encoding of encodings) run.encodings.set(encoding.file.row.id, encoding)
  const [first] = failures.values()
  if (!first) return decoded
  const { code, detail } = first
  services.log.warn({ trackId: track.id, code, detail }, 'the one-pass encode failed, files are encoded one by one')
  await services.db.track.updateMany({
    where: { id: track.id, status: 'processing' },
    data: { status: 'fallback_processing' },
  })
  for (const { file, output } of encodings.filter(({ output }) => failures.has(output))) {
    const error = await failureAlone(run, output)
    if (error) run.encodings.set(file.row.id, error)
  }
  return decoded
}

/** @throws any other error */
function onlyMediaError(error: unknown): MediaError {
  if (error instanceof MediaError) return error
  throw error
}

async function failureAlone(run: Run, output: Encoding['output']): Promise<MediaError | undefined> {
  try {
    return (await encodeAll(run.services.tools, run, [output], { cores: 1 })).failures.get(output)
  } catch (error) {
    return onlyMediaError(error)
  }
}

/** Seconds that edit lists and encoder delay may remove. */
const TRUNCATION_TOLERANCE_SECONDS = 0.5

/** @throws MediaError `truncated` when much less could be decoded than the header announces */
function checkComplete({ announcedSeconds, containedShare }: Probe, decodedSeconds: number): void {
  const announced = Math.max(announcedSeconds ?? 0, containedShare > 0 ? decodedSeconds / containedShare : 0)
  if (decodedSeconds >= announced - TRUNCATION_TOLERANCE_SECONDS) return
  const [has, announces] = [decodedSeconds, announced].map((seconds) => seconds.toFixed(1))
  throw mediaError('truncated', '', `It announces ${announces} seconds and contains ${has}.`)
}
