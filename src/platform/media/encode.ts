import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { decodedSeconds, levelsArgs } from './levels.ts'
import { checkDuration, describeOutput, notMade } from './output.ts'
import type { Probe } from './probe.ts'
import { notAudio } from './probe.ts'
import { hostileInput, MediaError, progressArgs, runTool, type Tools } from './run.ts'

/** One audio file that is asked of ffmpeg. */
export interface AudioOutput {
  /** Name of the result inside the scratch folder. */
  fileName: string
  /** Output options of ffmpeg, without input and file. */
  args: readonly string[]
  /** What a probe of the result must say. */
  codec: string
  channels: number
  /** The span of the source that it holds, in seconds; null for all of it. */
  clip: { startSeconds: number; durationSeconds: number } | null
}

/** What one decode gave. */
export interface Decoded {
  /** The true length: what the decoder delivered. */
  durationSeconds: number
  /** Raw mono signal, made with `levelsArgs`. */
  rawFile: string
}

/**
 * Decodes a source once and makes all outputs from it, plus the mono signal that levels and the true length come from.
 * @param source local path of the hostile file
 * @param onSeconds is told now and then how many seconds of the source are done
 * @throws MediaError `not_audio` when nothing can be decoded, `decoder_failed` when ffmpeg gives up
 */
export async function encodeAll(
  tools: Tools,
  source: string,
  probe: Probe,
  outputs: readonly AudioOutput[],
  folder: string,
  signal?: AbortSignal,
  onSeconds?: (seconds: number) => void,
): Promise<Decoded> {
  const rawFile = join(folder, 'mono.s32')
  // Moved when it is whole: a run that fails must not spoil the signal that an earlier one left.
  const unfinished = `${rawFile}.part`
  const map = ['-map', `0:${probe.audioStream}`]
  const { exitCode, stderr } = await runTool(
    tools,
    'ffmpeg',
    [
      ...['-nostdin', '-hide_banner', '-v', 'error', '-max_alloc', String(512 << 20)],
      ...(onSeconds ? progressArgs : []),
      ...hostileInput,
      ...exactEnd(probe),
      ...['-i', `file:${source}`],
      ...outputs.flatMap((output) => [...map, ...output.args, '-y', `file:${join(folder, output.fileName)}`]),
      ...[...map, ...levelsArgs, '-y', `file:${unfinished}`],
    ],
    { timeoutMs: timeoutFor(probe.durationSeconds), signal, onSeconds },
  )
  if (exitCode !== 0) {
    throw new MediaError('decoder_failed', 'The file is damaged: it could not be decoded to its end.', stderr)
  }
  const durationSeconds = decodedSeconds(unfinished)
  if (durationSeconds === 0) throw notAudio(stderr)
  await rename(unfinished, rawFile)
  return { durationSeconds, rawFile }
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
): Promise<{ durationSeconds: number; bitRate: number | null }> {
  const report = await describeOutput<{
    streams: { codec_name: string; channels: number }[]
    format: { duration?: string; bit_rate?: string }
  }>(
    tools,
    file,
    ['-select_streams', 'a:0', '-show_entries', 'stream=codec_name,channels:format=duration,bit_rate'],
    signal,
  )
  const stream = report.streams[0]
  const durationSeconds = Number(report.format.duration)
  if (stream?.codec_name !== output.codec) throw notMade(`codec is ${stream?.codec_name}, not ${output.codec}`)
  if (stream.channels !== output.channels) throw notMade(`channels are ${stream.channels}, not ${output.channels}`)
  checkDuration(durationSeconds, output.clip?.durationSeconds ?? sourceSeconds)
  return { durationSeconds, bitRate: Number(report.format.bit_rate) || null }
}

/** Wall time for one run: ample for a slow machine, short for a file that hangs the decoder. */
function timeoutFor(durationSeconds: number | null): number {
  return Math.ceil(Math.max(120, durationSeconds ?? 3600)) * 1000
}
