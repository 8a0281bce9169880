import { dlopen, ptr } from 'bun:ffi'
import { FFMPEG } from '../support/tools.ts'
import { run, type Sound, withFile } from './decode.ts'

export interface Loudness {
  /** LUFS. NaN when nothing was measured. */
  integrated: number
  /** LU. */
  range: number
  /** dBTP. */
  truePeak: number
}

/** Measures a file with ffmpeg's ebur128. */
export const byFfmpeg = (bytes: Uint8Array, name = 'sound'): Promise<Loudness & { samplePeak: number }> =>
  withFile(bytes, name, async (file) => {
    // The summary is rounded to a tenth, the values of each 100 ms are not.
    const filters = 'astats,ebur128=peak=true:metadata=1,ametadata=print:file=-'
    const args = ['-nostdin', '-hide_banner', '-nostats', '-i', file, '-map', '0:a:0', '-af', filters, '-f', 'null']
    const { stdout, stderr } = await run([FFMPEG, ...args, '/dev/null'])
    const summary = stderr.slice(stderr.lastIndexOf('Summary:'))
    const after = (pattern: RegExp, text = summary) => Number(text.match(pattern)?.[1] ?? Number.NaN)
    const printed = Buffer.from(stdout).toString()
    const exact = (key: string) =>
      Number([...printed.matchAll(new RegExp(`^lavfi.r128.${key}=(.*)$`, 'gm'))].at(-1)?.[1])
    return {
      integrated: exact('I'),
      range: exact('LRA'),
      truePeak: after(/True peak:\s+Peak:\s+(-?[\d.]+)/),
      samplePeak: after(/Overall[\s\S]*?Peak level dB: (-?[\d.]+)/, stderr),
    }
  })

/** Modes of libebur128: integrated loudness, range and true peak (ebur128.h). */
const MODES = 0b111111

const library = openLibrary()
export const hasLibrary = library !== null

function openLibrary() {
  try {
    return dlopen('libebur128.so.1', {
      ebur128_init: { args: ['u32', 'u64', 'i32'], returns: 'ptr' },
      ebur128_set_channel: { args: ['ptr', 'u32', 'i32'], returns: 'i32' },
      ebur128_add_frames_float: { args: ['ptr', 'ptr', 'u64'], returns: 'i32' },
      ebur128_loudness_global: { args: ['ptr', 'ptr'], returns: 'i32' },
      ebur128_loudness_range: { args: ['ptr', 'ptr'], returns: 'i32' },
      ebur128_true_peak: { args: ['ptr', 'u32', 'ptr'], returns: 'i32' },
      ebur128_destroy: { args: ['ptr'], returns: 'void' },
    }).symbols
  } catch {
    return null
  }
}

/** Positions of libebur128 (ebur128.h). */
const positions = { left: 1, right: 2, center: 3, low: 0, surround: 4 } as const
export type Position = keyof typeof positions

/**
 * Measures decoded sound with libebur128.
 * @param speakers position of each channel. Defaults to those that the library assumes for one or two.
 */
export function byLibrary({ rate, channels }: Sound, speakers: readonly Position[] = []): Loudness {
  if (!library) throw new Error('libebur128 is not installed')
  const state = library.ebur128_init(channels.length, rate, MODES)
  if (!state) throw new Error('libebur128 has no memory')
  for (const [at, speaker] of speakers.entries()) library.ebur128_set_channel(state, at, positions[speaker])
  const length = channels[0]?.length ?? 0
  const samples = new Float32Array(length * channels.length)
  for (const [at, channel] of channels.entries()) {
    for (let frame = 0; frame < length; frame++) samples[frame * channels.length + at] = channel[frame] ?? 0
  }
  library.ebur128_add_frames_float(state, ptr(samples), length)
  const value = new Float64Array(1)
  const read = (measure: () => number) => (measure() === 0 ? (value[0] ?? Number.NaN) : Number.NaN)
  const integrated = read(() => library.ebur128_loudness_global(state, ptr(value)))
  const range = read(() => library.ebur128_loudness_range(state, ptr(value)))
  const peaks = channels.map((_, at) => read(() => library.ebur128_true_peak(state, at, ptr(value))))
  const address = new BigUint64Array([BigInt(state)])
  library.ebur128_destroy(ptr(address))
  return { integrated, range, truePeak: 20 * Math.log10(Math.max(...peaks)) }
}

/** Measures a file with `sox stats`. */
export const bySox = (bytes: Uint8Array, name: string): Promise<{ dcOffset: number; peak: number }> =>
  withFile(bytes, name, async (file) => {
    const { stderr } = await run(['sox', file, '-n', 'stats'])
    const row = (title: string) =>
      (new RegExp(`^${title}\\s+(.*)$`, 'm').exec(stderr)?.[1] ?? '').split(/\s+/).map(Number)
    // The first column is of all channels, if there are several.
    return { dcOffset: Math.max(...row('DC offset').map(Math.abs)), peak: row('Pk lev dB')[0] ?? Number.NaN }
  })
