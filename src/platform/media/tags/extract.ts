import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ffmpegFlags } from '../ffmpeg/flags.ts'
import { hostileInput, MediaError, runTool, type Tools } from '../ffmpeg/run.ts'
import type { Probe } from '../probe.ts'
import type { FileTags } from './write.ts'

const CPU_SECONDS = 60
/** Players load the whole picture before they show anything. */
const MAX_PICTURE_BYTES = 10 << 20
const MAX_EDGE = 3000

const signatures: [type: 'image/jpeg' | 'image/png', bytes: RegExp][] = [
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/png', /^\x89PNG\r\n/],
]

/**
 * Extracts the embedded picture of a recording to a local file: the original bytes if they are a valid JPEG or PNG of
 * reasonable size, else re-encoded as JPEG.
 * @param source local path of the untrusted file
 * @param folder for the picture
 * @returns null when there is no picture, or none that can be decoded
 * @throws AbortError of the given signal
 */
export async function extractPicture(
  tools: Tools,
  source: string,
  { coverStream }: Probe,
  folder: string,
  signal?: AbortSignal,
): Promise<FileTags['cover']> {
  if (coverStream === null) return null
  const map = ['-map', `0:${coverStream}`, '-frames:v', '1']
  const run = async (outputs: readonly string[]) => {
    // Without these two a decoder conceals missing data and succeeds.
    const strict = ['-xerror', '-err_detect:v', 'explode']
    const args = [...ffmpegFlags, ...hostileInput, ...strict, '-i', `file:${source}`, ...outputs]
    const { exitCode } = await runTool(tools, 'ffmpeg', args, { cpuSeconds: CPU_SECONDS, signal })
    return exitCode === 0
  }
  const [copy, made] = [join(folder, 'embedded-cover'), join(folder, 'embedded-cover.jpg')]
  try {
    // Copied and decoded in one run, so that only a decodable picture is copied.
    const outputs = [...map, '-c:v', 'copy', ...single, `file:${copy}`, ...map, '-f', 'null', '-']
    if (await run(outputs)) {
      const type = await pictureType(copy)
      if (type && Bun.file(copy).size <= MAX_PICTURE_BYTES) return { file: copy, type }
    }
    await rm(copy, { force: true })
    const fit = `scale=w='min(iw,${MAX_EDGE})':h='min(ih,${MAX_EDGE})':force_original_aspect_ratio=decrease:flags=lanczos`
    const encode = ['-vf', fit, '-c:v', 'mjpeg', '-q:v', '2', '-pix_fmt', 'yuvj420p', '-map_metadata', '-1']
    const isMade = await run([...map, ...encode, '-fflags', '+bitexact', ...single, `file:${made}`])
    return isMade && (await pictureType(made)) ? { file: made, type: 'image/jpeg' } : null
  } catch (error) {
    if (error instanceof MediaError) return null
    throw error
  }
}

const single = ['-update', '1', '-f', 'image2', '-y']

async function pictureType(file: string): Promise<'image/jpeg' | 'image/png' | null> {
  if (!(await Bun.file(file).exists())) return null
  const head = Buffer.from(await Bun.file(file).slice(0, 8).arrayBuffer()).toString('latin1')
  return signatures.find(([, pattern]) => pattern.test(head))?.[0] ?? null
}
