import { join } from 'node:path'
import { levelsArgs } from './levels.ts'
import { notAudio, type Probe } from './probe.ts'
import { hostileInput, runTool, type Tools } from './run.ts'

const SAMPLE_SECONDS = '2'

/**
 * Decodes the first seconds: some bytes look like audio to a demuxer and hold none.
 * @throws MediaError `not_audio`
 */
export async function checkDecodable(tools: Tools, file: string, probe: Probe, folder: string, signal?: AbortSignal) {
  const sample = join(folder, 'sample.f32')
  const { stderr } = await runTool(
    tools,
    'ffmpeg',
    [
      ...['-nostdin', '-hide_banner', '-v', 'error', ...hostileInput, '-i', `file:${file}`],
      ...['-map', `0:${probe.audioStream}`, '-t', SAMPLE_SECONDS, ...levelsArgs, '-y', `file:${sample}`],
    ],
    { timeoutMs: 60_000, signal },
  )
  if (!(await Bun.file(sample).exists()) || Bun.file(sample).size === 0) throw notAudio(stderr)
}
