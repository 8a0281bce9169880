import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { checkHost } from './ffmpeg/host-fault.ts'
import { hostileInput } from './ffmpeg/hostile-input.ts'
import { mediaError, reasonOf } from './ffmpeg/reasons.ts'
import { spawnTool } from './ffmpeg/spawn.ts'
import type { Tools } from './ffmpeg/tools.ts'
import type { Probe } from './probe.ts'

const SAMPLE_SECONDS = '2'
const TIMEOUT_MS = 60_000

/**
 * Looks for sound in a file whose beginning holds none, as far as it takes: some begin with rubbish, others have the
 * form of a recording and nothing in it. Where the probe heard something there is nothing to do.
 * @param folder for the sample
 * @throws MediaError `no_sound`, `corrupted`, or a reason of what ends ffmpeg
 */
export async function checkDecodable(tools: Tools, file: string, probe: Probe, folder: string, signal?: AbortSignal) {
  if (probe.isHeard) return
  const sample = join(folder, 'sample.s16')
  const args = [
    ...['-nostdin', '-hide_banner', '-v', 'error', '-max_alloc', String(512 << 20), ...hostileInput],
    ...['-i', `file:${file}`, '-map', `0:${probe.audioStream}`, '-t', SAMPLE_SECONDS],
    ...['-c:a', 'pcm_s16le', '-f', 's16le', '-y', `file:${sample}`],
  ]
  const ended = await spawnTool(tools, 'ffmpeg', args, { timeoutMs: TIMEOUT_MS, signal, cwd: folder }).ended
  signal?.throwIfAborted()
  checkHost([ended], TIMEOUT_MS)
  const found = await stat(sample).catch(() => null)
  if (found && found.size > 0) return
  throw mediaError(reasonOf(ended, ended.stderr.trim() === '' ? 'no_sound' : 'corrupted'), ended.stderr)
}
