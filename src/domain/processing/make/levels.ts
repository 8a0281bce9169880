import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { exactEnd } from '../../../platform/media/encode.ts'
import { hostileInput } from '../../../platform/media/ffmpeg/run.ts'
import { PEAKS_VERSION, peaksDat, peaksJson } from '../../../platform/media/formats/peaks-format.ts'
import { measureLevels } from '../../../platform/media/levels.ts'
import { measurePeaks } from '../../../platform/media/measure-peaks.ts'
import { layoutFilters, mixTo } from '../../../platform/media/mix.ts'
import { writeFully } from '../../../platform/storage/write-stream.ts'
import { siblingKey } from '../../delivery/name.ts'
import type { FilePlan } from '../../variant/types/type.ts'
import type { FileResult, PlannedFile, Run } from '../run/run.ts'
import { storeFile, storeSibling } from '../run/store.ts'
import { type DeliveredTranscode, deliveredTranscode } from './delivered.ts'
import { downmixFilters } from './gain.ts'

type LevelsPlan = FilePlan & { kind: 'levels' }

/** Loudness values of the recording. The waveform of the delivered file is stored as sibling files, JSON and binary. */
export async function makeLevels(run: Run, { row, plan }: PlannedFile<LevelsPlan>): Promise<FileResult> {
  const measured = await measureLevels(run.sound.rawFile, plan.count)
  const local = join(run.folder, `${row.id}.json`)
  await Bun.write(local, JSON.stringify(measured))
  const stored = await storeFile(run, row, { local, extension: 'json', contentType: 'application/json' })
  const waveform = await storeWaveform(run, plan, { local, key: stored.storageKey })
  return { ...stored, data: { ...measured, waveform } }
}

interface Place {
  local: string
  /** In storage. */
  key: string
}

/** @param main the levels file, whose siblings are stored */
async function storeWaveform(run: Run, { samplesPerPixel, bits, isSplit }: LevelsPlan, main: Place) {
  const delivered = await deliveredTranscode(run)
  const limits = { cpuSeconds: cpuSecondsFor(run.sound.durationSeconds), signal: run.signal }
  const input = { ...toInput(run, delivered), filters: delivered || !isSplit ? [] : await stereoFilters(run) }
  const peaks = await measurePeaks(run.services.tools, input, { samplesPerPixel, isSplit }, limits)
  const parts = [
    ['json', 'peaks.json', 'application/json', peaksJson(peaks, bits)],
    ['dat', 'dat', 'application/octet-stream', peaksDat(peaks, bits)],
  ] as const
  const stored: Record<string, object> = {}
  for (const [name, suffix, type, content] of parts) {
    const place = { local: siblingKey(main.local, suffix), key: siblingKey(main.key, suffix) }
    await writePieces(place.local, content)
    stored[name] = await storeSibling(run, place, type)
  }
  return {
    version: PEAKS_VERSION,
    channels: peaks.channels,
    sample_rate: peaks.sampleRate,
    samples_per_pixel: peaks.samplesPerPixel,
    bits,
    length: peaks.length,
    ...stored,
    variant_index: delivered?.index ?? null,
  }
}

/** The delivered file, else the recording, as an input of ffmpeg. */
function toInput({ file, probe }: Run, delivered: DeliveredTranscode | null) {
  if (!delivered) {
    const args = [...hostileInput, ...exactEnd(probe), '-i', `file:${file}`]
    return { args, stream: `0:${probe.audioStream}`, seconds: null }
  }
  const args = [...hostileInput, '-i', `file:${delivered.file}`]
  return { args, stream: '0:a:0', seconds: delivered.durationSeconds }
}

/** Filters that mix a recording with more than two channels to the stereo of a transcode. */
const stereoFilters = async (run: Run) =>
  run.probe.channels > 2 ? [...layoutFilters(run.probe), ...mixTo(2, run.probe), ...(await downmixFilters(run, 2))] : []

/** CPU time for a decoder, which is many times faster than the sound. */
const cpuSecondsFor = (seconds: number) => 120 + seconds

/**
 * Writes the pieces of a file one after the other. A FileSink of Bun reports no error when the disk is full, and its
 * `writeFile` of an iterable wrote spaces in place of pieces (Bun 1.4.5).
 */
async function writePieces(path: string, pieces: Iterable<string | Uint8Array>): Promise<void> {
  await using file = await open(path, 'w')
  let position = 0
  for (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    await writeFully(file, bytes, position)
    position += bytes.byteLength
  }
}
