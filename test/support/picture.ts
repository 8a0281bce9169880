import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeMedia } from './audio.ts'

/** A decoded picture. */
export interface Picture {
  /** Red, green, blue and alpha of a pixel, 0-255. */
  at: (x: number, y: number) => number[]
}

/**
 * Decodes a picture, or one frame of a film, with ffmpeg.
 * @param seconds of the frame; the first unless told
 */
export async function decodePicture(bytes: ArrayBuffer, width: number, seconds = 0): Promise<Picture> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-picture-'))
  try {
    const file = join(folder, 'picture')
    await Bun.write(file, bytes)
    const raw = ['-frames:v', '1', '-pix_fmt', 'rgba', '-f', 'rawvideo']
    const pixels = await makeMedia(['-i', file, '-ss', String(seconds), ...raw], 'raw')
    return { at: (x, y) => [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
