import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeHostMedia } from './audio.ts'
import { FFMPEG } from './tools.ts'

/** Writes bytes to a file that exists while they are used. */
async function withFile<T>(bytes: Uint8Array, use: (file: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-loudness-'))
  try {
    const file = join(folder, 'sound')
    await Bun.write(file, bytes)
    return await use(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Integrated loudness in LUFS and true peak in dBTP, as ffmpeg's own meter (EBU R128) measures them. */
export function loudnessOf(bytes: Uint8Array): Promise<{ lufs: number; peak: number }> {
  return withFile(bytes, (file) => {
    const args = ['-nostdin', '-hide_banner', '-i', file, '-af', 'ebur128=peak=true', '-f', 'null', '-']
    const said = Bun.spawnSync([FFMPEG, ...args]).stderr.toString()
    const summary = said.slice(said.lastIndexOf('Summary'))
    const number = (pattern: RegExp) => Number(pattern.exec(summary)?.[1])
    return { lufs: number(/I:\s+(\S+) LUFS/), peak: number(/Peak:\s+(\S+) dBFS/) }
  })
}

const RATE = 48_000
/** A second from the middle: whole periods of every tone. */
const [FROM, LENGTH] = [RATE / 4, RATE / 2]

/**
 * How loud sines are in each channel of a sound of a second or more, decoded by ffmpeg.
 * @param hz even whole numbers
 * @returns in dB below full scale, for each channel one level a tone
 */
export async function toneLevels(bytes: Uint8Array, channels: number, hz: readonly number[]): Promise<number[][]> {
  const raw = ['-ac', String(channels), '-ar', String(RATE), '-f', 'f32le', '-c:a', 'pcm_f32le']
  const decoded = await withFile(bytes, (file) => makeHostMedia(['-i', file, ...raw], 'raw'))
  const samples = new Float32Array(decoded.buffer)
  return Array.from({ length: channels }, (_, channel) =>
    hz.map((tone) => {
      let [real, imaginary] = [0, 0]
      for (let at = 0; at < LENGTH; at++) {
        const sample = samples[(FROM + at) * channels + channel] ?? 0
        real += sample * Math.cos((2 * Math.PI * tone * at) / RATE)
        imaginary += sample * Math.sin((2 * Math.PI * tone * at) / RATE)
      }
      return 20 * Math.log10((2 * Math.hypot(real, imaginary)) / LENGTH + 1e-12)
    }),
  )
}
