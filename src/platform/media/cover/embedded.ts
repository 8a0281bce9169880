import { join } from 'node:path'
import { hostileInput, runTool, type Tools } from '../ffmpeg/run.ts'

const TIMEOUT_MS = 60_000

/**
 * Takes the picture that is embedded in a recording out of it, as it is: nothing is decoded.
 * @param recording local path
 * @param stream its number, of the probe
 * @returns local path of the picture, which may be anything; null where there was nothing to take
 * @throws MediaError `timed_out`
 */
export async function extractCover(
  tools: Tools,
  recording: string,
  stream: number,
  folder: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const file = join(folder, 'embedded-cover')
  const { exitCode } = await runTool(
    tools,
    'ffmpeg',
    [
      ...['-nostdin', '-hide_banner', '-v', 'error', ...hostileInput, '-i', `file:${recording}`],
      ...['-map', `0:${stream}`, '-c', 'copy', '-frames:v', '1', '-f', 'image2pipe', '-y', `file:${file}`],
    ],
    { timeoutMs: TIMEOUT_MS, signal },
  )
  return exitCode === 0 && Bun.file(file).size > 0 ? file : null
}
