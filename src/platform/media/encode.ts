import { rename } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { runEngine } from './engine/run-engine.ts'
import { checkHost } from './ffmpeg/host-fault.ts'
import { hostileInput } from './ffmpeg/hostile-input.ts'
import { checkDuration, describeOutput, notMade } from './ffmpeg/output.ts'
import { type MediaError, mediaError, reasonOf } from './ffmpeg/reasons.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { decodedSeconds, levelsArgs } from './levels.ts'
import type { Analysis } from './meter/sound.ts'
import { layoutFilters, mixTo } from './mix.ts'
import type { Probe } from './probe.ts'

/** One audio file that is asked of ffmpeg. */
export interface AudioOutput {
  /** Name of the result inside the scratch folder. */
  fileName: string
  /** Filters of ffmpeg, in their order. */
  filters: readonly string[]
  /** Output options of ffmpeg for encoder and container. */
  args: readonly string[]
  /** What encoding it costs beside the others. */
  effort: number
  /** What a probe of the result must say. */
  codec: string
  channels: number
  /** The span of the source that it holds, in seconds; null for all of it. */
  clip: { startSeconds: number; durationSeconds: number } | null
}

/** A recording on the local disk, as a stranger made it. */
export interface Recording {
  file: string
  probe: Probe
  /** Where results are written. */
  folder: string
  signal?: AbortSignal
}

/** What one decode gave. */
export interface Decoded {
  /** The true length: what the decoder delivered. */
  durationSeconds: number
  /** Raw mono signal, made with `levelsArgs`. */
  rawFile: string
  /** Null where it was not asked for. */
  analysis: Analysis | null
}

export interface EncodeOptions {
  isMetered?: boolean
  /** Is told now and then how many seconds of the source are done. */
  onSeconds?: (seconds: number) => void
}

/**
 * Decodes a recording once and makes all outputs from it, plus the mono signal that levels are taken from.
 * @returns what was decoded, and the outputs that could not be made, each with its reason
 * @throws MediaError `no_sound` when nothing can be decoded, `decoder_failed` or what ended it when the decoder gives up;
 * HostFault
 */
export async function encodeAll(
  tools: Tools,
  { file, probe, folder, signal }: Recording,
  outputs: readonly AudioOutput[],
  { isMetered = false, onSeconds }: EncodeOptions = {},
): Promise<{ decoded: Decoded; failures: Map<AudioOutput, MediaError> }> {
  const rawFile = join(folder, 'mono.s32')
  // Moved when it is whole: a run that fails must not spoil the signal that an earlier one left.
  const unfinished = `${rawFile}.part`
  const groups = shareOut(outputs, availableParallelism())
  const mono = [
    '-map',
    `0:${probe.audioStream}`,
    ...filterArgs([...layoutFilters(probe), ...mixTo(1, probe)]),
    ...levelsArgs,
    '-y',
    `file:${unfinished}`,
  ]
  const order = {
    ...{ tools, folder, isMetered, timeoutMs: timeoutFor(probe.durationSeconds) },
    decoder: [...decoderArgs(file, probe), ...mono],
    encoders: groups.map((group) => encoderArgs(group, folder)),
  }
  const { decoder, encoders, durationSeconds, analysis } = await runEngine(order, { signal, onSeconds })
  checkHost([decoder, ...encoders], order.timeoutMs)
  if (decoder.exitCode !== 0) throw mediaError(reasonOf(decoder, 'decoder_failed'), decoder.stderr)
  if (durationSeconds === 0 || decodedSeconds(unfinished) === 0) throw mediaError('no_sound', decoder.stderr)
  await rename(unfinished, rawFile)
  const failures = groups.flatMap((group, i) => {
    const ended = encoders[i]
    return ended?.exitCode === 0 ? [] : group.map((output) => [output, notMade(ended?.stderr ?? '')] as const)
  })
  return { decoded: { durationSeconds, rawFile, analysis }, failures: new Map(failures) }
}

/**
 * Measures what a filter makes of a recording.
 * @param filters of ffmpeg, in their order
 * @throws MediaError as `encodeAll` does
 */
export async function measureFiltered(
  tools: Tools,
  { file, probe, folder, signal }: Recording,
  filters: readonly string[],
): Promise<Analysis | null> {
  const decoder = decoderArgs(file, probe, filters)
  const order = { tools, folder, decoder, encoders: [], isMetered: true, timeoutMs: timeoutFor(probe.durationSeconds) }
  const report = await runEngine(order, { signal })
  const { decoder: ended } = report
  checkHost([ended], order.timeoutMs)
  if (ended.exitCode !== 0) throw mediaError(reasonOf(ended, 'decoder_failed'), ended.stderr)
  return report.analysis
}

const quiet = ['-nostdin', '-hide_banner', '-v', 'error', '-max_alloc', String(512 << 20)]
/** Nothing but the sound, and the same bytes for the same input: a repeated job replaces a file by itself. */
export const bareArgs = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-flags:a', '+bitexact']

/** From the hostile file to WAV on standard output, in the recording's own rate, channels and depth. */
function decoderArgs(file: string, probe: Probe, filters: readonly string[] = []): string[] {
  const { audioStream, sampleRate, channels } = probe
  const all = [...layoutFilters(probe), ...filters]
  return [
    ...quiet,
    // More would work ahead in more memory; the encoders are what takes time.
    ...['-threads', '1', ...hostileInput, ...exactEnd(probe), '-i', `file:${file}`],
    ...['-map', `0:${audioStream}`, ...filterArgs(all), '-c:a', pcmFor(probe), '-ar', String(sampleRate)],
    // A recording may change its channels on the way, a WAV may not. `-ac` takes the usual layout of so many channels.
    ...(all.length === 0 ? ['-ac', String(channels)] : []),
    // Handed over when the buffer is full, not frame by frame: a tenth of the system calls.
    ...[...bareArgs, '-flush_packets', '0', '-f', 'wav', 'pipe:1'],
  ]
}

/** Samples as exact as the decoder gives them. */
function pcmFor({ sampleFormat }: Probe): string {
  if (/^(u8|s16)p?$/.test(sampleFormat)) return 'pcm_s16le'
  return /^s(32|64)p?$/.test(sampleFormat) ? 'pcm_s32le' : 'pcm_f32le'
}

function encoderArgs(outputs: readonly AudioOutput[], folder: string): string[] {
  const written = outputs.flatMap(({ filters, args, fileName }) => [
    ...['-map', '0:a', ...filterArgs(filters), ...args, ...bareArgs, '-y', `file:${join(folder, fileName)}`],
  ])
  return [...quiet, '-protocol_whitelist', 'pipe', '-f', 'wav', '-i', 'pipe:0', ...written]
}

/** Options for filters of ffmpeg, in their order. */
export const filterArgs = (filters: readonly string[]) => (filters.length > 0 ? ['-af', filters.join(',')] : [])

/** Groups that take about the same time, at most as many as there are cores: ffmpeg encodes on one of them. */
export function shareOut(outputs: readonly AudioOutput[], cores: number): AudioOutput[][] {
  const groups = Array.from({ length: Math.min(cores, outputs.length) }, () => ({
    effort: 0,
    outputs: [] as AudioOutput[],
  }))
  for (const output of [...outputs].sort((a, b) => b.effort - a.effort)) {
    const least = groups.reduce((a, b) => (b.effort < a.effort ? b : a))
    least.effort += output.effort
    least.outputs.push(output)
  }
  return groups.map((group) => group.outputs)
}

/** MP4's edit list says where the sound ends; what the decoder gives after it is the encoder's padding. */
export function exactEnd({ container, durationSeconds }: Probe): string[] {
  return container.startsWith('mov,') && durationSeconds !== null ? ['-t', durationSeconds.toFixed(6)] : []
}

/**
 * Measures a result with ffprobe and compares it with what was asked for.
 * @throws MediaError `encoder_failed`
 */
export async function checkOutput(
  tools: Tools,
  file: string,
  output: AudioOutput,
  sourceSeconds: number,
  signal?: AbortSignal,
): Promise<void> {
  const report = await describeOutput<{
    streams: { codec_name: string; channels: number }[]
    format: { duration?: string }
  }>(tools, file, ['-select_streams', 'a:0', '-show_entries', 'stream=codec_name,channels:format=duration'], signal)
  const stream = report.streams[0]
  if (stream?.codec_name !== output.codec) throw notMade(`codec is ${stream?.codec_name}, not ${output.codec}`)
  if (stream.channels !== output.channels) throw notMade(`channels are ${stream.channels}, not ${output.channels}`)
  checkDuration(Number(report.format.duration), output.clip?.durationSeconds ?? sourceSeconds)
}

/** Wall time for one run: ample for a slow machine, short for a file that hangs the decoder. */
function timeoutFor(durationSeconds: number | null): number {
  return Math.ceil(Math.max(120, durationSeconds ?? 3600)) * 1000
}
