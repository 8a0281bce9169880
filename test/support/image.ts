import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from './service.ts'
import { PACKAGED_FFPROBE } from './tools.ts'

/** Reads the streams of a file with ffprobe. */
export async function streamsOf(bytes: ArrayBuffer): Promise<Json[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-image-'))
  try {
    const file = join(folder, 'image')
    await Bun.write(file, bytes)
    const { stdout } = Bun.spawnSync([PACKAGED_FFPROBE, '-v', 'error', '-of', 'json', '-show_streams', file])
    return JSON.parse(stdout.toString()).streams
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Measures an image with ffprobe. */
export async function measureImage(bytes: ArrayBuffer): Promise<{ codec: string; width: number; height: number }> {
  const [{ codec_name: codec, width, height }] = (await streamsOf(bytes)) as [Json]
  return { codec, width, height }
}
