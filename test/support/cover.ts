import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCovers } from '../../src/platform/media/cover/make.ts'
import type { CoverSize } from '../../src/platform/media/cover/sizes.ts'
import type { CoverThemeColor } from '../../src/platform/media/cover/theme.ts'
import type { Tools } from '../../src/platform/media/ffmpeg/run.ts'
import { sandboxedTools } from './tools.ts'

interface MadeSize {
  width: number
  height: number
  jpg: Uint8Array<ArrayBuffer>
  webp: Uint8Array<ArrayBuffer>
}
export interface MadeCover {
  sizes: Record<CoverSize, MadeSize>
  /** The JPEG for directories. Null unless requested and possible. */
  artwork: Uint8Array<ArrayBuffer> | null
  theme: CoverThemeColor[]
}

/** Makes all sizes of a cover and reads them. The folder is removed afterwards. */
export async function coverOf(
  picture: Uint8Array,
  {
    tools,
    signal,
    hasArtwork,
  }: { tools?: Pick<Tools, 'sandbox' | 'pictureView'>; signal?: AbortSignal; hasArtwork?: boolean } = {},
): Promise<MadeCover> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-cover-'))
  try {
    const file = join(folder, 'picture')
    await Bun.write(file, picture)
    const { sizes, artwork, theme } = await makeCovers(tools ?? sandboxedTools, file, folder, signal, { hasArtwork })
    const read = sizes.map(async ({ size, width, height, files }) => {
      const [jpg, webp] = await Promise.all([Bun.file(files.jpg).bytes(), Bun.file(files.webp).bytes()])
      return [size, { width, height, jpg, webp }]
    })
    const directoryFile = artwork && (await Bun.file(artwork.file).bytes())
    return { sizes: Object.fromEntries(await Promise.all(read)), artwork: directoryFile, theme }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
