import { expect } from 'bun:test'
import { makeMedia } from './audio.ts'
import { toneLevels } from './loudness.ts'

/** Each channel has a tone of its own, at -12.04 dB. */
export const AMPLITUDE = 0.25
export const hzOf = (channel: number) => 400 + 200 * channel
export const TONE_SECONDS = 2
/** Input arguments of ffmpeg. */
export const tones = (layout: string, channels: number) => [
  ...['-f', 'lavfi', '-i'],
  `aevalsrc=${Array.from({ length: channels }, (_, at) => `${AMPLITUDE}*sin(2*PI*${hzOf(at)}*t)`).join('|')}:c=${layout}:d=${TONE_SECONDS}:s=48000`,
]

/** A WAV of tones whose speaker mask is empty. */
export async function unnamedTones(layout: string, channels: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await makeMedia([...tones(layout, channels), '-f', 'wav', '-bitexact'], 'wav')
  Buffer.from(bytes.buffer).writeUInt32LE(0, Buffer.from(bytes).indexOf('fmt ') + 28)
  return bytes
}

/** Gain of a channel in left and in right, in dB; null for nothing (ITU-R BS.775, table 2). */
export type Share = readonly [leftDb: number | null, rightDb: number | null]

const [L, R, C, N]: Share[] = [
  [0, null],
  [null, 0],
  [-3.01, -3.01],
  [null, null],
]
const [LS, RS, BC]: Share[] = [
  [-3.01, null],
  [null, -3.01],
  [-6.02, -6.02],
]

/** Shares of the channels of layouts, as ffmpeg names these. */
export const layouts = {
  stereo: [L, R],
  '2.1': [L, R, N],
  '3.0': [L, R, C],
  '3.0(back)': [L, R, BC],
  '3.1': [L, R, C, N],
  '4.0': [L, R, C, BC],
  quad: [L, R, LS, RS],
  'quad(side)': [L, R, LS, RS],
  '4.1': [L, R, C, N, BC],
  '5.0': [L, R, C, LS, RS],
  '5.0(side)': [L, R, C, LS, RS],
  '5.1': [L, R, C, N, LS, RS],
  '5.1(side)': [L, R, C, N, LS, RS],
  '6.0': [L, R, C, BC, LS, RS],
  '6.0(front)': [L, R, L, R, LS, RS],
  hexagonal: [L, R, C, LS, RS, BC],
  '6.1': [L, R, C, N, BC, LS, RS],
  '6.1(back)': [L, R, C, N, LS, RS, BC],
  '6.1(front)': [L, R, N, L, R, LS, RS],
  '7.0': [L, R, C, LS, RS, LS, RS],
  '7.0(front)': [L, R, C, L, R, LS, RS],
  '7.1': [L, R, C, N, LS, RS, LS, RS],
  '7.1(wide)': [L, R, C, N, LS, RS, L, R],
  '7.1(wide-side)': [L, R, C, N, L, R, LS, RS],
  octagonal: [L, R, C, LS, RS, BC, LS, RS],
  'FL+FR+LFE+TC': [L, R, N, BC],
} as Record<string, readonly Share[]>

/** Channels that alternate between left and right. */
export const alternating = (channels: number): Share[] =>
  Array.from({ length: channels }, (_, at) => (at % 2 === 0 ? L : R) as Share)

const linear = (db: number | null) => (db === null ? 0 : 10 ** (db / 20))
/** dB. Below this a tone is not there. */
export const ABSENT_DB = -60

interface Tolerance {
  /** Defaults to 0.1. */
  toleranceDb?: number
  /** Level below which a tone is not there. Defaults to -60. */
  absentDb?: number
  /** Levels are compared with that of the first channel: the sum of many leaves no room for all of it. */
  isRelative?: boolean
}

/** Expects each tone on its side of a stereo file, as loud as its share. */
export async function expectInStereo(
  bytes: Uint8Array,
  shares: readonly Share[],
  { toleranceDb = 0.1, absentDb = ABSENT_DB, isRelative = false }: Tolerance = {},
): Promise<void> {
  const sides = await toneLevels(
    bytes,
    2,
    shares.map((_, at) => hzOf(at)),
  )
  const full = isRelative ? (sides[0]?.[0] ?? 0) : 20 * Math.log10(AMPLITUDE)
  for (const [side, levels] of sides.entries()) {
    for (const [channel, share] of shares.entries()) {
      const [levelDb, expected] = [levels[channel] ?? 0, share[side] ?? null]
      const about = `channel ${channel}, side ${side}: ${levelDb} dB`
      if (expected === null) expect(levelDb, about).toBeLessThan(absentDb)
      else expect(Math.abs(levelDb - expected - full), about).toBeLessThan(toleranceDb)
    }
  }
}

/** Expects the sum of both shares of each tone in a mono file, relative to the first. */
export async function expectInMono(
  bytes: Uint8Array,
  shares: readonly Share[],
  { toleranceDb = 0.1, absentDb = ABSENT_DB }: Tolerance = {},
): Promise<void> {
  const [levels = []] = await toneLevels(
    bytes,
    1,
    shares.map((_, at) => hzOf(at)),
  )
  const first = levels[0] ?? 0
  for (const [channel, [leftDb, rightDb]] of shares.entries()) {
    const sum = linear(leftDb) + linear(rightDb)
    const levelDb = levels[channel] ?? 0
    if (sum === 0) expect(levelDb, `channel ${channel}`).toBeLessThan(absentDb)
    else
      expect(Math.abs(levelDb - first - 20 * Math.log10(sum)), `channel ${channel}: ${levelDb} dB`).toBeLessThan(
        toleranceDb,
      )
  }
}
