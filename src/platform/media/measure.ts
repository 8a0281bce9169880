import { join } from 'node:path'
import { type AudioOutput, decoderArgs, filterArgs } from './encode.ts'
import { ffmpegFlags, pipedWav } from './ffmpeg/flags.ts'
import { hostileInput } from './ffmpeg/hostile-input.ts'
import { notMade } from './ffmpeg/output.ts'
import { findReason, mediaError } from './ffmpeg/reasons.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { type Loudness, toLoudness } from './gain.ts'
import { runWithinLimits } from './limits.ts'
import type { MediaRecording } from './recording.ts'

/** Seconds of a block of loudness (ITU-R BS.1770-5). */
const BLOCK_SECONDS = 0.4

/**
 * Filters that make a shorter sound measurable: with silence after it, so that its loudness is the highest momentary
 * loudness of the sound when it is played alone. Empty for other sounds.
 * @param seconds length of the sound
 */
export const untilMeasurable = (seconds: number, sampleRate: number) =>
  seconds < BLOCK_SECONDS ? [`apad=whole_len=${Math.ceil(BLOCK_SECONDS * sampleRate)}`] : []

/**
 * Measures a recording after filters. Null for silence.
 * @param filters of ffmpeg, in order
 * @throws MediaError as `encodeAll` does
 */
export async function measureFiltered(
  tools: Tools,
  recording: MediaRecording,
  filters: readonly string[],
): Promise<Loudness | null> {
  const args = decoderArgs(recording.file, recording.probe, filters)
  const { decoder, analysis, cpuSeconds } = await runWithinLimits(tools, recording, metering(args))
  if (decoder.exitCode !== 0) throw mediaError(findReason(decoder, cpuSeconds, 'decoder_failed'), decoder.stderr)
  return toLoudness(analysis)
}

/**
 * Measures an encoded file as a player decodes it. Null for silence.
 * @param seconds length of its sound; a decoder returns the encoder's padding after it
 * @throws MediaError `encoder_failed`
 */
export async function measureEncoded(
  tools: Tools,
  recording: MediaRecording,
  { fileName, sampleRate }: Pick<AudioOutput, 'fileName'> & { sampleRate: number },
  seconds: number,
): Promise<Loudness | null> {
  const file = join(recording.folder, fileName)
  const args = [
    ...[...ffmpegFlags, '-threads', '1', ...hostileInput, '-t', seconds.toFixed(6), '-i', `file:${file}`],
    ...['-map', '0:a:0', ...filterArgs(untilMeasurable(seconds, sampleRate)), '-c:a', 'pcm_f32le'],
    ...['-map_metadata', '-1', ...pipedWav],
  ]
  const { decoder, analysis } = await runWithinLimits(tools, { ...recording, file }, metering(args))
  if (decoder.exitCode !== 0) throw notMade(decoder.stderr)
  return toLoudness(analysis)
}

/** Measures what ffmpeg writes, and encodes nothing. */
const metering = (args: readonly string[]) => ({
  decoder: { args, maxFileBytes: 0 },
  encoders: [],
  splits: [],
  isMetered: true,
})
