import type { EngineOrder, Report } from './engine/order.ts'
import { runEngine } from './engine/run-engine.ts'
import { checkHost } from './ffmpeg/host-fault.ts'
import { notMade } from './ffmpeg/output.ts'
import { type MediaError, mediaError } from './ffmpeg/reasons.ts'
import type { EndedProcess } from './ffmpeg/spawn.ts'
import { isSpent, maxSecondsFor, wallMsFor, withCpuLimit } from './ffmpeg/time-limit.ts'
import type { Tools } from './ffmpeg/tools.ts'
import type { MediaRecording } from './recording.ts'

/** The error for an output whose program failed. */
export function failureFor(ended?: EndedProcess, cpuSeconds = Number.POSITIVE_INFINITY): MediaError {
  if (ended?.signal === 'SIGXFSZ') return mediaError('output_too_large', ended.stderr)
  return ended && isSpent(ended, cpuSeconds) ? mediaError('timed_out', ended.stderr) : notMade(ended?.stderr ?? '')
}

/** Variable bit rates exceed the planned one, and containers add to it. */
const [RATE_MARGIN, SIZE_MARGIN] = [2, 64 << 20]

/**
 * Maximum size of a file, from its planned bit rate and the longest sound: the length by the header may be too short.
 * @returns bytes
 */
export const maxFileBytes = (bytesPerSecond: number, seconds: number) =>
  RATE_MARGIN * bytesPerSecond * seconds + SIZE_MARGIN

/** Bytes per second of the sparsest recordings: speech at 32 kbit/s. */
const MIN_BYTES_PER_SECOND = 4000
const MAX_CPU_SECONDS = 4 * 3600

type RecordingLength = Pick<MediaRecording, 'file'> & { probe: Pick<MediaRecording['probe'], 'durationSeconds'> }

/**
 * Limits of one run: each program may compute as long as the recording lasts. The length by the header may be too short
 * (concatenated files), so the number of bytes counts as well.
 */
export function limitsFor(tools: Tools, { file, probe }: RecordingLength) {
  const seconds = Math.max(probe.durationSeconds ?? 0, Bun.file(file).size / MIN_BYTES_PER_SECOND)
  const cpuSeconds = Math.min(MAX_CPU_SECONDS, 120 + seconds)
  const maxSeconds = maxSecondsFor(tools) + 1
  return { tools: withCpuLimit(tools, cpuSeconds), cpuSeconds, timeoutMs: wallMsFor(tools, cpuSeconds), maxSeconds }
}

/** The programs that decode and encode, without their limits. */
type Work = Pick<EngineOrder, 'decoder' | 'encoders' | 'splits' | 'isMetered'>

/**
 * Runs the engine over a recording, within the limits of its length. Programs that failed are in the report.
 * @param onSeconds called periodically with the number of decoded seconds
 * @throws MediaError `too_long`; HostFault; AbortError of the recording's signal
 */
export async function runWithinLimits(
  tools: Tools,
  { file, probe, folder, signal }: MediaRecording,
  work: Work,
  onSeconds?: (seconds: number) => void,
): Promise<Report & { cpuSeconds: number }> {
  const { cpuSeconds, ...limits } = limitsFor(tools, { file, probe })
  const report = await runEngine({ ...limits, ...work, folder }, { signal, onSeconds })
  if (report.isTooLong) throw mediaError('too_long')
  checkHost([report.decoder, ...report.encoders, ...report.splits], cpuSeconds)
  return { ...report, cpuSeconds }
}
