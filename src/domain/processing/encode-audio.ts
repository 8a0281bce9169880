import type { Services } from '../../platform/context.ts'
import { type Decoded, type EncodeOptions, encodeAll } from '../../platform/media/encode.ts'
import { MediaError, mediaError } from '../../platform/media/ffmpeg/reasons.ts'
import type { Probe } from '../../platform/media/probe.ts'
import type { FileWithVariant } from '../track/service.ts'
import { type AudioJob, audioJob } from './audio-job.ts'
import { type MeasureFiltered, needsGain, withGain } from './normalize.ts'
import type { Source } from './source.ts'

/** Clips are placed by what the container claims; where the decoder shows it was wrong by more, they are made anew. */
const CLIP_TOLERANCE_SECONDS = 0.02

export interface Encoded {
  decoded: Decoded
  /** What lies in the scratch folder now. */
  made: AudioJob[]
  /** Why files could not be made, by their ids. */
  failures: Map<string, MediaError>
}

/** What whoever asks is told on the way. */
export interface EncodeSteps {
  onSeconds: (seconds: number) => void
  /** A pass failed: its files are made one by one. */
  onFallback: () => Promise<void>
}

/**
 * Encodes the audio files of a track in one decode. A second one encodes files whose gain follows from a measurement,
 * and clips that were misplaced because the container announces a wrong length.
 * @param measure measures what filters make of the recording
 * @param claimedSeconds the best known length before anything was decoded
 * @throws MediaError where nothing can be decoded, and `truncated` for a source that broke off
 */
export async function encodeAudio(
  services: Services,
  source: Source,
  files: readonly FileWithVariant[],
  measure: MeasureFiltered,
  claimedSeconds: number,
  { onSeconds, onFallback }: EncodeSteps,
): Promise<Encoded> {
  const planned = files.flatMap((file) => audioJob(file, source.probe, claimedSeconds))
  const plain = planned.filter((job) => !needsGain(job, source))
  const options = { isMetered: source.analysis === null, onSeconds }
  const { decoded: found, failures } = await encodeOrFallBack(services, source, plain, onFallback, options)
  const decoded = { ...found, analysis: found.analysis ?? source.analysis }
  checkWhole(source.probe, decoded.durationSeconds)

  const isMisplaced = Math.abs(decoded.durationSeconds - claimedSeconds) > CLIP_TOLERANCE_SECONDS
  const isLate = (job: AudioJob) => needsGain(job, source) || (isMisplaced && job.output.clip !== null)
  const late: AudioJob[] = []
  for (const { file } of planned.filter((job) => isLate(job) && !failures.has(job.file.id))) {
    for (const job of audioJob(file, source.probe, decoded.durationSeconds)) {
      late.push(needsGain(job, source) ? await withGain(measure, source, job, decoded) : job)
    }
  }
  if (late.length > 0) {
    const second = await encodeOrFallBack(services, source, late, onFallback)
    for (const [id, error] of second.failures) failures.set(id, error)
  }
  const made = [...plain.filter((job) => !isLate(job)), ...late].filter(({ file }) => !failures.has(file.id))
  return { decoded, made, failures }
}

/** One pass for all; then one for each file that it failed to make, so that only what is broken is lost. */
async function encodeOrFallBack(
  { tools, log }: Services,
  source: Source,
  jobs: readonly AudioJob[],
  onFallback: () => Promise<void>,
  options: EncodeOptions = {},
): Promise<Pick<Encoded, 'decoded' | 'failures'>> {
  const outputs = jobs.map(({ output }) => output)
  const { decoded, failures: inGroups } = await encodeAll(tools, source, outputs, options)
  const failures: Encoded['failures'] = new Map()
  const failed = jobs.filter(({ output }) => inGroups.has(output))
  if (failed.length === 0) return { decoded, failures }
  const [first] = inGroups.values()
  log.warn({ trackId: source.trackId, code: first?.code, detail: first?.detail }, 'the one-pass run failed')
  await onFallback()
  for (const { file, output } of failed) {
    const alone = await encodeAll(tools, source, [output]).catch(asReason)
    const error = alone instanceof MediaError ? alone : alone.failures.get(output)
    if (error) failures.set(file.id, error)
  }
  return { decoded, failures }
}

function asReason(error: unknown): MediaError {
  if (error instanceof MediaError) return error
  throw error
}

/** What edit lists and encoder delay may take off. */
const TRUNCATION_TOLERANCE_SECONDS = 0.5

/** @throws MediaError `truncated` when much less could be decoded than the header announces */
function checkWhole({ announcedSeconds, containedShare }: Probe, decodedSeconds: number): void {
  const announced = Math.max(announcedSeconds ?? 0, containedShare > 0 ? decodedSeconds / containedShare : 0)
  if (decodedSeconds >= announced - TRUNCATION_TOLERANCE_SECONDS) return
  const [has, announces] = [decodedSeconds, announced].map((seconds) => seconds.toFixed(1))
  throw mediaError('truncated', '', `It announces ${announces} seconds and contains ${has}.`)
}
