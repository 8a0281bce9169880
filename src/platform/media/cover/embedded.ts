import { join } from 'node:path'
import { ffmpegFlags } from '../ffmpeg/flags.ts'
import { hostileInput, runTool, type Tools } from '../ffmpeg/run.ts'

const CPU_SECONDS = 60

/**
 * Copies the embedded picture out of a recording without decoding it.
 * @param recording local path
 * @param stream index, from the probe
 * @returns local path of the picture, not validated; null when there is no data
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
      ...ffmpegFlags,
      ...hostileInput,
      ...['-i', `file:${recording}`, '-map', `0:${stream}`, '-c', 'copy', '-frames:v', '1'],
      ...['-f', 'image2pipe', '-y', `file:${file}`],
    ],
    { cpuSeconds: CPU_SECONDS, signal },
  )
  return exitCode === 0 && Bun.file(file).size > 0 ? file : null
}
