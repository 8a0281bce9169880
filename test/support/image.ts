import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FFPROBE = Bun.which('ffprobe') ?? (await import('@ffprobe-installer/ffprobe')).default.path

/** What ffprobe says of an image. */
export async function measureImage(bytes: ArrayBuffer): Promise<{ codec: string; width: number; height: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-image-'))
  try {
    const file = join(folder, 'image')
    await Bun.write(file, bytes)
    const { stdout } = Bun.spawnSync([FFPROBE, '-v', 'error', '-of', 'json', '-show_streams', file])
    const { codec_name: codec, width, height } = JSON.parse(stdout.toString()).streams[0]
    return { codec, width, height }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
