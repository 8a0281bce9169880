import { type Decoded, type EncodeOptions, encodeWithFallback, type Pass } from '../../../platform/media/encode.ts'
import type { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import type { Span } from '../../../platform/media/trim.ts'
import type { FileWithVariant } from '../../track/service.ts'
import type { AudioPlan } from '../../variant/types/type.ts'
import { needsGain } from '../make/gain.ts'
import { type Encoding, type EncodingRequest, encodedName, type Run } from '../run/run.ts'
import { planFile } from './plan.ts'

/**
 * The audio files of a row, with their encoding arguments. Empty for a file of another kind.
 * @param durationSeconds best known length of the recording
 * @param soundSpan from its first to its last sound. Null until measured, and for silence
 */
export function requestEncoding(
  { probe }: Run,
  row: FileWithVariant,
  durationSeconds: number,
  soundSpan: Span | null = null,
): EncodingRequest[] {
  const plan = planFile(row, probe, durationSeconds, soundSpan)
  if (plan.kind === 'adaptive') return plan.rates.map((rate) => toRequest(row, rate))
  return plan.kind === 'audio' ? [toRequest(row, plan)] : []
}

function toRequest(row: FileWithVariant, plan: AudioPlan): EncodingRequest {
  const { filters, args, parts, effort, bytesPerSecond, codecName: codec, channels, clip } = plan
  const fileName = encodedName(row, plan)
  const output = { fileName, filters, args, parts, effort, bytesPerSecond, codec, channels, clip }
  return { file: { row, plan }, output, loudness: null, leveling: null }
}

/** Whether the arguments of a file follow from a measurement of the recording. */
export const needsMeasurement = (run: Run, request: EncodingRequest) =>
  needsGain(run, request) || request.file.plan.isTrimmed

/**
 * Encodes in one pass; then each file that the pass failed to make in a pass of its own.
 * @returns encodings by name of the file
 * @throws MediaError when the recording cannot be decoded; HostFault
 */
export async function encodeFiles(
  run: Run,
  requests: readonly EncodingRequest[],
  options: EncodeOptions = {},
): Promise<{ decoded: Decoded; encodings: Map<string, Encoding> }> {
  const { services } = run
  const outputs = requests.map(({ output }) => output)
  const beganMs = performance.now()
  async function onPass({ decoded, failures }: Pass): Promise<void> {
    const speed = decoded.durationSeconds / ((performance.now() - beganMs) / 1000)
    const codecs = new Set(outputs.filter((output) => !failures.has(output)).map(({ codec }) => codec))
    for (const codec of codecs) services.metrics.encodeSpeed.observe({ codec }, speed)
    const [firstFailure] = failures.values()
    if (firstFailure) await beginFallback(run, firstFailure)
  }
  const attributes = { 'tonearm.codecs': outputs.map(({ codec }) => codec) }
  const { decoded, failures } = await services.tracing.inSpan('ffmpeg encode', { attributes }, () =>
    encodeWithFallback(services.tools, run, outputs, { ...options, onPass }),
  )
  const encodings = requests.map((request) => {
    const error = failures.get(request.output)
    const encoding: Encoding = error ? { state: 'failed', error } : { state: 'encoded', ...request }
    return [request.output.fileName, encoding] as const
  })
  return { decoded, encodings: new Map(encodings) }
}

/** `processing` -> `fallback_processing`. */
async function beginFallback({ services, track }: Run, { code, detail }: MediaError): Promise<void> {
  services.log.warn({ trackId: track.id, code, detail }, 'the one-pass encode failed, files are encoded one by one')
  await services.db.track.updateMany({
    where: { id: track.id, status: 'processing' },
    data: { status: 'fallback_processing' },
  })
}
