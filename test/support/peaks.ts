import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeHostMedia, measure } from './audio.ts'

/** Waveform data, computed directly from its definition. */
export interface Reference {
  sampleRate: number
  channels: number
  length: number
  /** 16 bits, lowest and highest in turn. */
  data: number[]
}

/** Peaks of interleaved samples: integers averaged over the channels, towards zero. */
export function peaksOf(samples: ArrayLike<number>, channels: number, samplesPerPixel: number): number[] {
  const mono = Array.from({ length: samples.length / channels }, (_, frame) => {
    const parts = Array.from({ length: channels }, (_, channel) => samples[frame * channels + channel] ?? 0)
    return Math.trunc(parts.reduce((sum, part) => sum + part, 0) / channels)
  })
  const data: number[] = []
  for (let at = 0; at < mono.length; at += samplesPerPixel) {
    const pixel = mono.slice(at, at + samplesPerPixel).sort((a, b) => a - b)
    data.push(pixel[0] ?? 0, pixel.at(-1) ?? 0)
  }
  // toEqual distinguishes 0 and -0.
  return data.map((value) => value + 0)
}

/** Peaks of each channel, pixel by pixel: version 2 of the format. */
export function splitPeaksOf(samples: ArrayLike<number>, channels: number, samplesPerPixel: number): number[] {
  const each = Array.from({ length: channels }, (_, channel) => {
    const channelSamples = Array.from(
      { length: samples.length / channels },
      (_, frame) => samples[frame * channels + channel] ?? 0,
    )
    return peaksOf(channelSamples, 1, samplesPerPixel)
  })
  const pixels = Array.from({ length: (each[0]?.length ?? 0) / 2 }, (_, pixel) => pixel)
  return pixels.flatMap((pixel) => each.flatMap((channelPeaks) => channelPeaks.slice(2 * pixel, 2 * pixel + 2)))
}

/** Peaks of a sound file, decoded by ffmpeg. @param seconds maximum length. Defaults to all of it. */
export async function referencePeaks(
  bytes: Uint8Array | ArrayBuffer,
  samplesPerPixel: number,
  { seconds, isSplit = false }: { seconds?: number; isSplit?: boolean } = {},
): Promise<Reference> {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-peaks-'))
  try {
    const file = join(folder, 'sound')
    await Bun.write(file, bytes)
    const input = [...(seconds === undefined ? [] : ['-t', String(seconds)]), '-i', file]
    const wav = await makeHostMedia(input, 'wav')
    const { channels, sampleRate } = await measure(wav)
    const raw = await makeHostMedia([...input, '-f', 's16le', '-c:a', 'pcm_s16le'], 'raw')
    const data = (isSplit ? splitPeaksOf : peaksOf)(
      new Int16Array(raw.buffer, 0, raw.length / 2),
      channels,
      samplesPerPixel,
    )
    const waveforms = isSplit ? channels : 1
    return { sampleRate, channels: waveforms, length: data.length / 2 / waveforms, data }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The upper 8 of 16 bits. */
export const upperHalf = (data: readonly number[]) => data.map((value) => Math.trunc(value / 256) + 0)
