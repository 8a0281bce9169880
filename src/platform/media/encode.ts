import { rename } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ffmpegFlags, pipedAdts, pipedWav } from './ffmpeg/flags.ts'
import { hostileInput } from './ffmpeg/hostile-input.ts'
import { checkDuration, describeOutput, notMade } from './ffmpeg/output.ts'
import { findReason, MediaError, mediaError } from './ffmpeg/reasons.ts'
import { maxSecondsFor } from './ffmpeg/time-limit.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { setExactLength } from './formats/mp4-length.ts'
import { LEVELS_BYTES_PER_SECOND, levelsArgs } from './levels.ts'
import { failureFor, maxFileBytes, runWithinLimits } from './limits.ts'
import type { Quality, SoundAnalysis } from './meter/sound.ts'
import { chooseSilentReason, describeMissing, findMissing, isRefused } from './missing.ts'
import { layoutFilters, mixTo } from './mix.ts'
import type { Probe } from './probe.ts'
import type { MediaRecording } from './recording.ts'

/** An audio file that ffmpeg produces. */
export interface AudioOutput {
  /** Name of the result inside the scratch folder. */
  fileName: string
  /** Filters of ffmpeg, in their order. */
  filters: readonly string[]
  /** Output options of ffmpeg for encoder and container. */
  args: readonly string[]
  /** Relative cost of encoding, for distributing outputs over cores. */
  effort: number
  /** Planned size of a second of sound, in bytes: the bit rate, or that of uncompressed sound. */
  bytesPerSecond: number
  /** Codec that a probe of the result must report. */
  codec: string
  channels: number
  /** Span of the source, in seconds. Null for all of it. */
  clip: { startSeconds: number; durationSeconds: number } | null
  /** Its arguments apart, for a whole recording that several programs may encode. */
  parts?: SplitArgs | null
}

/** Output options of AAC in MP4, as in `args`. */
export interface SplitArgs {
  encoder: readonly string[]
  container: readonly string[]
  /** In Hz. */
  sampleRate: number
}

/** Result of one decode. */
export interface Decoded {
  /** Seconds that the decoder delivered. */
  durationSeconds: number
  /** Raw mono signal, in the format of `levelsArgs`. */
  rawFile: string
  /** Both are null unless requested. */
  analysis: SoundAnalysis | null
  quality: Quality | null
  /** Errors that the decoder reported and recovered from. Usually empty. */
  errors: string
}

export interface EncodeOptions {
  isMetered?: boolean
  /** Number of cores to use. Defaults to all. With one, no file is split. */
  cores?: number
  /** Called periodically with the number of seconds of the source that are done. */
  onSeconds?: (seconds: number) => void
}

/** One decode of a recording, and the outputs that failed, each with its reason. */
export interface Pass {
  decoded: Decoded
  failures: ReadonlyMap<AudioOutput, MediaError>
}

/**
 * Encodes as `encodeAll` does, then each output that failed in a pass of its own.
 * @param onPass called after the pass with all outputs
 */
export async function encodeWithFallback(
  tools: Tools,
  recording: MediaRecording,
  outputs: readonly AudioOutput[],
  { onPass, ...options }: EncodeOptions & { onPass: (pass: Pass) => Promise<void> },
): Promise<Pass> {
  const pass = await encodeAll(tools, recording, outputs, options)
  await onPass(pass)
  const failures = new Map<AudioOutput, MediaError>()
  for (const output of pass.failures.keys()) {
    const error = await encodeAlone(tools, recording, output)
    if (error) failures.set(output, error)
  }
  return { ...pass, failures }
}

/** @returns why the output failed; undefined when it is complete */
async function encodeAlone(
  tools: Tools,
  recording: MediaRecording,
  output: AudioOutput,
): Promise<MediaError | undefined> {
  try {
    return (await encodeAll(tools, recording, [output], { cores: 1 })).failures.get(output)
  } catch (error) {
    if (error instanceof MediaError) return error
    throw error
  }
}

/**
 * Decodes a recording once and produces all outputs from it, plus the mono signal for the levels.
 * @throws MediaError `too_long`; `no_sound` when nothing can be decoded, `decoder_failed` or a more specific reason when the
 * decoder fails; `truncated` when a part of the recording is missing; HostFault
 */
export async function encodeAll(
  tools: Tools,
  recording: MediaRecording,
  outputs: readonly AudioOutput[],
  { isMetered = false, cores = availableParallelism(), onSeconds }: EncodeOptions = {},
): Promise<Pass> {
  const { file, probe, folder } = recording
  const rawFile = join(folder, 'mono.s32')
  // Renamed when complete, so that a failed run does not damage the signal of an earlier run.
  const unfinished = `${rawFile}.part`
  const splits = splitOutputs(outputs, probe, cores)
  const whole = outputs.filter((output) => !splits.some((split) => split.output === output))
  const groups = shareOut(whole, cores, sumEffort(splits.map(({ output }) => output)))
  const mono = [
    '-map',
    `0:${probe.audioStream}`,
    ...filterArgs([...layoutFilters(probe), ...mixTo(1, probe)]),
    ...levelsArgs,
    '-y',
    `file:${unfinished}`,
  ]
  const maxSeconds = maxSecondsFor(tools)
  const maxBytes = ({ bytesPerSecond, clip }: AudioOutput) =>
    maxFileBytes(bytesPerSecond, clip?.durationSeconds ?? maxSeconds)
  const work = {
    isMetered,
    decoder: {
      args: [...decoderArgs(file, probe), ...mono],
      maxFileBytes: maxFileBytes(LEVELS_BYTES_PER_SECOND, maxSeconds),
    },
    encoders: groups.map((group) => ({
      args: encoderArgs(group, folder),
      maxFileBytes: Math.max(...group.map(maxBytes)),
    })),
    splits: splits.map(({ programs, output, args }) => {
      const { encoder, muxer } = splitArgs(output, args, folder)
      return { programs, encoder, muxer: { args: muxer, maxFileBytes: maxBytes(output) } }
    }),
  }
  const report = await runWithinLimits(tools, recording, work, onSeconds)
  const { decoder, encoders, durationSeconds, analysis, quality } = report
  if (decoder.exitCode !== 0) throw mediaError(findReason(decoder, report.cpuSeconds, 'decoder_failed'), decoder.stderr)
  if (durationSeconds === 0) throw mediaError(chooseSilentReason(probe), decoder.stderr)
  checkComplete(probe, durationSeconds)
  await rename(unfinished, rawFile)
  const failures = groups.flatMap((group, i) => {
    const ended = encoders[i]
    return ended?.exitCode === 0 ? [] : group.map((output) => [output, failureFor(ended)] as const)
  })
  for (const [i, { output, args }] of splits.entries()) {
    const end = report.splits[i]
    if (end?.exitCode !== 0) failures.push([output, failureFor(end)])
    else await setExactLength(join(folder, output.fileName), Math.round(durationSeconds * args.sampleRate))
  }
  return {
    decoded: { durationSeconds, rawFile, analysis, quality, errors: decoder.stderr },
    failures: new Map(failures),
  }
}

/** @throws MediaError `truncated` when much less could be decoded than the file announces */
function checkComplete(probe: Probe, decodedSeconds: number): void {
  const missing = findMissing(probe, decodedSeconds)
  if (missing && isRefused(probe, missing)) throw mediaError('truncated', '', describeMissing(missing))
}

/** Shorter recordings are encoded before several programs have started. */
const MIN_SPLIT_SECONDS = 60
/** More would only cost memory. */
const MAX_PROGRAMS = 8

/**
 * Chooses the files that several programs encode: those whose effort is more than that of a core. Their filters must
 * keep no state, because a program gets the recording with gaps.
 */
function splitOutputs(outputs: readonly AudioOutput[], { durationSeconds, sampleRate }: Probe, cores: number) {
  if (durationSeconds !== null && durationSeconds < MIN_SPLIT_SECONDS) return []
  const share = sumEffort(outputs) / cores
  return outputs.flatMap((output) => {
    const { parts: args, effort, filters } = output
    const programs = Math.min(MAX_PROGRAMS, Math.ceil(effort / share))
    const isStateless = filters.every((filter) => /^(pan|volume)=/.test(filter)) && args?.sampleRate === sampleRate
    return args && isStateless && programs > 1 ? [{ output, args, programs }] : []
  })
}

/** Samples of silence that the AAC encoder puts before the sound, which the edit list skips. */
const AAC_DELAY = 1024

function splitArgs({ filters, fileName }: AudioOutput, { encoder, container, sampleRate }: SplitArgs, folder: string) {
  const input = ['-protocol_whitelist', 'pipe', '-f']
  const delay = ['-itsoffset', (-AAC_DELAY / sampleRate).toFixed(9)]
  const file = `file:${join(folder, fileName)}`
  return {
    encoder: [
      ...[...ffmpegFlags, ...input, 'wav', '-i', 'pipe:0', '-map', '0:a', ...filterArgs(filters)],
      ...encoder,
      ...bareArgs,
      ...pipedAdts,
    ],
    muxer: [
      ...[...ffmpegFlags, ...input, 'aac', ...delay, '-i', 'pipe:0', '-map', '0:a', '-c:a', 'copy'],
      ...[...container, ...bareArgs, '-y', file],
    ],
  }
}

/** No metadata, and reproducible bytes: a repeated job replaces a file with an equal one. */
export const bareArgs = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-flags:a', '+bitexact']

/**
 * Arguments that decode an untrusted file to WAV on standard output, in the recording's own rate, channels and depth.
 */
export function decoderArgs(file: string, probe: Probe, filters: readonly string[] = []): string[] {
  const { audioStream, sampleRate, channels } = probe
  const all = [...layoutFilters(probe), ...filters]
  return [
    ...ffmpegFlags,
    // More threads would only buffer more: the encoders are the bottleneck.
    ...['-threads', '1', ...hostileInput, ...strictness(probe), ...exactEnd(probe), '-i', `file:${file}`],
    ...['-map', `0:${audioStream}`, ...filterArgs(all), '-c:a', pcmFor(probe), '-ar', String(sampleRate)],
    // A recording may change its channels midway, a WAV may not. `-ac` selects the default layout of a number of
    // channels.
    ...(all.length === 0 ? ['-ac', String(channels)] : []),
    ...bareArgs,
    ...pipedWav,
  ]
}

/** Options that make the decoder report frames whose checksum is wrong. Decoders of lossless codecs do not by default. */
export const strictness = ({ codec }: Probe) => (/^(flac|tta|wavpack)$/.test(codec) ? ['-err_detect', 'crccheck'] : [])

/** PCM format with the precision of the decoder's samples. */
function pcmFor({ sampleFormat }: Probe): string {
  if (/^(u8|s16)p?$/.test(sampleFormat)) return 'pcm_s16le'
  return /^s(32|64)p?$/.test(sampleFormat) ? 'pcm_s32le' : 'pcm_f32le'
}

function encoderArgs(outputs: readonly AudioOutput[], folder: string): string[] {
  const written = outputs.flatMap(({ filters, args, fileName }) => [
    ...['-map', '0:a', ...filterArgs(filters), ...args, ...bareArgs, '-y', `file:${join(folder, fileName)}`],
  ])
  return [...ffmpegFlags, '-protocol_whitelist', 'pipe', '-f', 'wav', '-i', 'pipe:0', ...written]
}

/** Options that apply audio filters of ffmpeg, in order. */
export const filterArgs = (filters: readonly string[]) => (filters.length > 0 ? ['-af', filters.join(',')] : [])

const sumEffort = (outputs: readonly AudioOutput[]) => outputs.reduce((sum, { effort }) => sum + effort, 0)

/**
 * Distributes outputs over groups of about equal effort: one ffmpeg encodes on one core. More groups than are needed to
 * keep all cores busy would only decode the same WAV again.
 * @param splitEffort effort of the files that other programs encode at the same time
 */
export function shareOut(outputs: readonly AudioOutput[], cores: number, splitEffort = 0): AudioOutput[][] {
  const effort = sumEffort(outputs)
  const needed = splitEffort === 0 ? cores : Math.max(1, Math.ceil((cores * effort) / (effort + splitEffort)))
  const groups = Array.from({ length: Math.min(cores, outputs.length, needed) }, () => ({
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

/** Options that stop at the end of MP4's edit list; later samples are the encoder's padding. */
export function exactEnd({ container, durationSeconds }: Probe): string[] {
  return container.startsWith('mov,') && durationSeconds !== null ? ['-t', durationSeconds.toFixed(6)] : []
}

/**
 * Compares a result with its request, by ffprobe.
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
