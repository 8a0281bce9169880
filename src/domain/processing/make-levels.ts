import { join } from 'node:path'
import type { Services } from '../../platform/context.ts'
import { type Decoded, exactEnd } from '../../platform/media/encode.ts'
import { hostileInput } from '../../platform/media/ffmpeg/run.ts'
import { PEAKS_CHANNELS, PEAKS_VERSION, peaksDat, peaksJson } from '../../platform/media/formats/peaks-format.ts'
import { measureLevels } from '../../platform/media/levels.ts'
import { measurePeaks } from '../../platform/media/measure-peaks.ts'
import { siblingKey } from '../track/file/bytes.ts'
import type { FileWithVariant } from '../track/service.ts'
import type { FilePlan } from '../variant/types/type.ts'
import type { Delivered } from './delivered.ts'
import { announce, digest, type FileResult, keep, type Source } from './source.ts'

type LevelsPlan = FilePlan & { kind: 'levels' }

/**
 * Loudness values of the recording, and beside them the waveform of what is delivered, as JSON and as binary data.
 * @param delivered what the waveform is taken from; null takes the recording
 */
export async function makeLevels(
  services: Services,
  source: Source,
  file: FileWithVariant,
  plan: LevelsPlan,
  decoded: Decoded,
  delivered: Delivered | null,
): Promise<FileResult> {
  const levels = await measureLevels(decoded.rawFile, plan.count)
  const local = join(source.folder, `${file.id}.json`)
  await Bun.write(local, JSON.stringify(levels))
  const kept = await keep(services, source, file, local, 'json', 'application/json')
  const waveform = await makeWaveform(services, source, local, kept.storageKey, plan, decoded, delivered)
  return { ...kept, data: { ...levels, waveform } }
}

/** Time for a decoder that is many times faster than the sound, on a machine that is busy. */
const timeoutFor = (seconds: number) => Math.ceil(120 + seconds) * 1000

async function makeWaveform(
  services: Services,
  source: Source,
  local: string,
  storageKey: string,
  { samplesPerPixel, bits }: LevelsPlan,
  { durationSeconds }: Decoded,
  delivered: Delivered | null,
) {
  const limits = { timeoutMs: timeoutFor(durationSeconds), signal: source.signal }
  // What a decoder gives after the recording's length is the padding of the AAC encoder.
  const end = delivered?.file.endsWith('.m4a') ? ['-t', durationSeconds.toFixed(6)] : []
  const input = delivered
    ? { args: [...hostileInput, ...end, '-i', `file:${delivered.file}`], stream: '0:a:0' }
    : {
        args: [...hostileInput, ...exactEnd(source.probe), '-i', `file:${source.file}`],
        stream: `0:${source.probe.audioStream}`,
      }
  const peaks = await measurePeaks(services.tools, input, samplesPerPixel, limits)
  const parts = [
    ['json', 'peaks.json', 'application/json', peaksJson(peaks, bits)],
    ['dat', 'dat', 'application/octet-stream', peaksDat(peaks, bits)],
  ] as const
  const stored: Record<string, object> = {}
  for (const [name, suffix, type, content] of parts) {
    stored[name] = await keepSibling(services, siblingKey(storageKey, suffix), siblingKey(local, suffix), type, content)
  }
  return {
    ...{ version: PEAKS_VERSION, channels: PEAKS_CHANNELS, sample_rate: peaks.sampleRate },
    ...{ samples_per_pixel: samplesPerPixel, bits, length: peaks.length },
    ...stored,
    variant_index: delivered?.index ?? null,
  }
}

/** Writes what comes in pieces, and stores it under a key that no row names yet. */
async function keepSibling(
  services: Services,
  path: string,
  local: string,
  type: string,
  content: Iterable<string | Uint8Array>,
) {
  const sink = Bun.file(local).writer()
  for (const piece of content) {
    sink.write(piece)
    await sink.flush()
  }
  await sink.end()
  await announce(services, [path])
  const { size, sha256 } = await digest(local)
  await services.storage.put(path, local, type)
  return { path, type, size, sha256 }
}
