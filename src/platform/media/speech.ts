import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { decoderArgs, filterArgs } from './encode.ts'
import { findReason, mediaError } from './ffmpeg/reasons.ts'
import { maxSecondsFor } from './ffmpeg/time-limit.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { maxFileBytes, runWithinLimits } from './limits.ts'
import { chooseSilentReason } from './missing.ts'
import { layoutFilters, mixTo } from './mix.ts'
import type { MediaRecording } from './recording.ts'
import { SPEECH_BYTES_PER_SECOND, speechArgs } from './speech-sound.ts'

/**
 * Decodes a recording to the sound that recognizers work with. Its times are those of the files that listeners hear.
 * @returns the file in the folder of the recording, as `speechArgs` writes it
 * @throws MediaError; HostFault
 */
export async function decodeSpeech(tools: Tools, recording: MediaRecording): Promise<string> {
  const { file, probe, folder } = recording
  const speech = join(folder, 'speech.s16')
  const unfinished = `${speech}.part`
  const mono = filterArgs([...layoutFilters(probe), ...mixTo(1, probe)])
  const args = [
    ...decoderArgs(file, probe),
    ...['-map', `0:${probe.audioStream}`, ...mono, '-ac', '1', ...speechArgs, '-y', `file:${unfinished}`],
  ]
  const { decoder, durationSeconds, cpuSeconds } = await runWithinLimits(tools, recording, {
    decoder: { args, maxFileBytes: maxFileBytes(SPEECH_BYTES_PER_SECOND, maxSecondsFor(tools)) },
    encoders: [],
    splits: [],
    isMetered: false,
  })
  if (decoder.exitCode !== 0) throw mediaError(findReason(decoder, cpuSeconds, 'decoder_failed'), decoder.stderr)
  if (durationSeconds === 0) throw mediaError(chooseSilentReason(probe), decoder.stderr)
  await rename(unfinished, speech)
  return speech
}
