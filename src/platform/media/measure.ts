import { type AudioOutput, decoderArgs, filterArgs, type Recording } from './encode.ts'
import { runEngine } from './engine/run-engine.ts'
import { ffmpegFlags, pipedWav } from './ffmpeg/flags.ts'
import { checkHost } from './ffmpeg/host-fault.ts'
import { hostileInput } from './ffmpeg/hostile-input.ts'
import { notMade } from './ffmpeg/output.ts'
import { mediaError, reasonOf } from './ffmpeg/reasons.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { limitsFor } from './limits.ts'
import type { Analysis } from './meter/sound.ts'

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
 * Measures a recording after filters.
 * @param filters of ffmpeg, in order
 * @throws MediaError as `encodeAll` does
 */
export async function measureFiltered(
  tools: Tools,
  { file, probe, folder, signal }: Recording,
  filters: readonly string[],
): Promise<Analysis | null> {
  const decoder = { args: decoderArgs(file, probe, filters), maxFileBytes: 0 }
  const order = { ...limitsFor(tools, { file, probe }), folder, decoder, encoders: [], splits: [], isMetered: true }
  const { decoder: ended, analysis } = await runEngine(order, { signal })
  checkHost([ended], order.cpuSeconds)
  if (ended.exitCode !== 0) throw mediaError(reasonOf(ended, order.cpuSeconds, 'decoder_failed'), ended.stderr)
  return analysis
}

/**
 * Measures an encoded file as a player decodes it.
 * @param seconds length of its sound; a decoder returns the encoder's padding after it
 * @throws MediaError `encoder_failed`
 */
export async function measureEncoded(
  tools: Tools,
  { probe, folder, signal }: Recording,
  { fileName, sampleRate }: Pick<AudioOutput, 'fileName'> & { sampleRate: number },
  seconds: number,
): Promise<Analysis | null> {
  const file = `${folder}/${fileName}`
  const args = [
    ...[...ffmpegFlags, '-threads', '1', ...hostileInput, '-t', seconds.toFixed(6), '-i', `file:${file}`],
    ...['-map', '0:a:0', ...filterArgs(untilMeasurable(seconds, sampleRate)), '-c:a', 'pcm_f32le'],
    ...['-map_metadata', '-1', ...pipedWav],
  ]
  const decoder = { args, maxFileBytes: 0 }
  const limits = limitsFor(tools, { file, probe })
  const { decoder: ended, analysis } = await runEngine(
    { ...limits, folder, decoder, encoders: [], splits: [], isMetered: true },
    { signal },
  )
  checkHost([ended], limits.cpuSeconds)
  if (ended.exitCode !== 0) throw notMade(ended.stderr)
  return analysis
}
