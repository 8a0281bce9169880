import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ffmpegFlags } from './ffmpeg/flags.ts'
import { checkHost } from './ffmpeg/host-fault.ts'
import { hostileInput } from './ffmpeg/hostile-input.ts'
import { findReason, mediaError } from './ffmpeg/reasons.ts'
import { spawnTool } from './ffmpeg/spawn.ts'
import { wallMsFor, withCpuLimit } from './ffmpeg/time-limit.ts'
import type { Tools } from './ffmpeg/tools.ts'
import { chooseSilentReason } from './missing.ts'
import type { Probe } from './probe.ts'

const SAMPLE_SECONDS = '2'
const CPU_SECONDS = 10

/**
 * Decodes a sample of a file in which the probe found no sound. Some files begin with junk, others have the form of a
 * recording without content.
 * @param folder for the sample
 * @throws MediaError `no_sound`, `corrupted`, `truncated`, or the reason why ffmpeg failed
 */
export async function checkDecodable(tools: Tools, file: string, probe: Probe, folder: string, signal?: AbortSignal) {
  if (probe.isHeard) return
  const sample = join(folder, 'sample.s16')
  const args = [
    ...ffmpegFlags,
    ...hostileInput,
    ...['-i', `file:${file}`, '-map', `0:${probe.audioStream}`, '-t', SAMPLE_SECONDS],
    ...['-c:a', 'pcm_s16le', '-f', 's16le', '-y', `file:${sample}`],
  ]
  const options = { timeoutMs: wallMsFor(tools, CPU_SECONDS), signal, cwd: folder }
  const ended = await spawnTool(withCpuLimit(tools, CPU_SECONDS), 'ffmpeg', args, options).ended
  signal?.throwIfAborted()
  checkHost([ended], CPU_SECONDS)
  const fileStats = await stat(sample).catch(() => null)
  if (fileStats && fileStats.size > 0) return
  const reason = ended.stderr.trim() === '' ? chooseSilentReason(probe) : 'corrupted'
  throw mediaError(findReason(ended, CPU_SECONDS, reason), ended.stderr)
}
