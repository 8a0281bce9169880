import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMeter } from '../../src/platform/media/meter/meter.ts'
import type { Samples, SoundAnalysis, SoundFormat } from '../../src/platform/media/meter/sound.ts'
import { FFMPEG } from './tools.ts'

export const stereo = (sampleRate = 48_000): SoundFormat => ({ sampleRate, channels: 2, channelMask: 0x3 })

/** Analyzes samples with the meter, in pieces of `frames`. */
export const metered = (samples: Samples, format: SoundFormat, frames?: number): SoundAnalysis =>
  measured(samples, format, frames).analysis

/** Measures samples with the meter, in pieces of `frames`. */
export function measured(samples: Samples, format: SoundFormat, frames = 16_384) {
  const meter = createMeter(format)
  const size = frames * format.channels
  for (let at = 0; at < samples.length; at += size) meter.push(samples.subarray(at, at + size))
  return meter.end()
}

/** One function of time in seconds for each channel. */
export function sound(seconds: number, format: SoundFormat, channels: ((time: number) => number)[]): Float32Array {
  const { sampleRate } = format
  const samples = new Float32Array(Math.round(seconds * sampleRate) * format.channels)
  for (let i = 0; i < samples.length; i++) {
    samples[i] = channels[i % format.channels]?.(Math.floor(i / format.channels) / sampleRate) ?? 0
  }
  return samples
}

export const amplitude = (decibels: number) => 10 ** (decibels / 20)

export interface FfmpegMeter {
  integrated: number
  range: number
  truePeak: number
  samplePeak: number
}

/** Measures a file with ffmpeg's ebur128 and astats, as the reference. */
export async function ffmpegMeter(file: Uint8Array): Promise<FfmpegMeter> {
  return withFile(file, (path) => {
    const log = ffmpeg(['-hide_banner', '-nostats', '-i', path, '-af', 'astats,ebur128=peak=true', '-f', 'null', '-'])
    const summary = log.slice(log.lastIndexOf('Summary:'))
    const after = (pattern: RegExp, text = summary) => Number(text.match(pattern)?.[1] ?? Number.NaN)
    return {
      integrated: after(/I:\s+(-?[\d.]+) LUFS/),
      range: after(/LRA:\s+([\d.]+) LU/),
      // Not that of ebur128: before FFmpeg 5.0 it measures what it has resampled to 48 kHz.
      samplePeak: after(/Overall[\s\S]*?Peak level dB: (-?[\d.]+)/, log),
      truePeak: after(/True peak:\s+Peak:\s+(-?[\d.]+)/),
    }
  })
}

/** A file's samples, decoded by ffmpeg. */
export async function decoded(file: Uint8Array, codec: 's16' | 's32' | 'f32'): Promise<Samples> {
  return withFile(file, async (path) => {
    const raw = `${path}.raw`
    ffmpeg(['-v', 'error', '-i', path, '-c:a', `pcm_${codec}le`, '-f', `${codec}le`, raw])
    const bytes = await Bun.file(raw).arrayBuffer()
    return codec === 's16' ? new Int16Array(bytes) : codec === 's32' ? new Int32Array(bytes) : new Float32Array(bytes)
  })
}

async function withFile<T>(bytes: Uint8Array, use: (path: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-meter-'))
  try {
    const path = join(folder, 'sound')
    await Bun.write(path, bytes)
    return await use(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function ffmpeg(args: string[]): string {
  const { exitCode, stderr } = Bun.spawnSync([FFMPEG, '-nostdin', ...args])
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  return stderr.toString()
}
