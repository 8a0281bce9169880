import { describe, expect, test } from 'bun:test'
import type { SoundFormat } from '../../../../src/platform/media/meter/sound.ts'
import { measured, metered, stereo } from '../../../support/meter.ts'

const RATE = 48_000
const mono: SoundFormat = { sampleRate: RATE, channels: 1, channelMask: 0 }
const seconds = (frames: number) => Math.round((frames / RATE) * 1e6) / 1e6

describe('silence', () => {
  test('is exact to the sample over all channels', () => {
    const samples = new Int16Array(2 * 20_000)
    samples[2 * 5001 + 1] = -40
    samples[2 * 15_000] = 33
    const { leading_silence_seconds, trailing_silence_seconds } = metered(samples, stereo())
    expect({ leading_silence_seconds, trailing_silence_seconds }).toEqual({
      leading_silence_seconds: seconds(5001),
      trailing_silence_seconds: seconds(4999),
    })
  })

  test('begins below -60 dBFS', () => {
    const loud = metered(Float32Array.of(0, 0, 0.001001, 0), mono)
    expect(loud).toMatchObject({ leading_silence_seconds: seconds(2), trailing_silence_seconds: seconds(1) })
    const soft = metered(Float32Array.of(0, 0, 0.000999, 0), mono)
    expect(soft).toMatchObject({ leading_silence_seconds: seconds(4), trailing_silence_seconds: 0 })
  })

  test('a silent recording is all leading silence and has null values', () => {
    expect(metered(new Int16Array(RATE * 2 * 6), stereo())).toEqual({
      integrated_lufs: null,
      loudness_range_lu: null,
      true_peak_dbtp: null,
      sample_peak_dbfs: null,
      leading_silence_seconds: 6,
      trailing_silence_seconds: 0,
      clipped_samples: 0,
      dc_offset: 0,
      tempo_bpm: null,
      tempo_confidence: null,
      key: null,
      key_confidence: null,
    })
    expect(metered(new Int16Array(0), stereo())).toMatchObject({ leading_silence_seconds: 0, dc_offset: 0 })
  })
})

describe('clipping', () => {
  test('runs of three and more at full scale count, sample by sample', () => {
    const top = 32_767
    const samples = Int16Array.of(top, top, 0, top, top, top, 0, -32_768, -32_768, -top, -top, 100, top, top)
    expect(metered(samples, mono).clipped_samples).toBe(7)
    expect(metered(samples, mono, 1).clipped_samples).toBe(7)
  })

  test('are counted per channel', () => {
    const [top, low] = [2 ** 31 - 1, 1000]
    expect(metered(Int32Array.of(top, low, top, top, top, top, low, top), stereo()).clipped_samples).toBe(6)
  })

  test('just below full scale is not clipped', () => {
    expect(metered(new Int16Array(100).fill(32_766), mono).clipped_samples).toBe(0)
  })
})

describe('clipping that was turned down', () => {
  const SECONDS = 3
  const numberOf = createRandom()
  /** Values from -1 to 1, the same in every run. */
  function createRandom() {
    let state = 7
    return () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
      return state / 2 ** 30 - 1
    }
  }
  type Signal = (seconds: number) => number
  const tone =
    (hertz: number, level = 1): Signal =>
    (t) =>
      level * Math.sin(2 * Math.PI * hertz * t)
  const chord: Signal = (t) => 0.4 * (tone(220)(t) + tone(277)(t) + tone(331)(t)) * (0.6 + 0.4 * tone(0.7)(t))
  const clippedBy =
    (gain: number, signal: Signal): Signal =>
    (t) =>
      Math.max(-1, Math.min(1, gain * signal(t)))
  /** As 16 bits. @param dither in steps */
  const sampled = (signal: Signal, level: number, dither = 0) =>
    Int16Array.from({ length: SECONDS * RATE }, (_, i) =>
      Math.round(32_767 * level * signal(i / RATE) + dither * 0.5 * (numberOf() + numberOf())),
    )
  const placesOf = (samples: Int16Array) => measured(samples, mono).quality.clipped_at_seconds

  test.each([
    { name: 'by 0.9 dB', samples: () => sampled(clippedBy(2, chord), 0.9) },
    { name: 'by 3 dB, with dither', samples: () => sampled(clippedBy(2, chord), 0.7, 1) },
    { name: 'by 12 dB', samples: () => sampled(clippedBy(2, chord), 0.25) },
    { name: 'a tone', samples: () => sampled(clippedBy(1.15, tone(300)), 0.7) },
  ])('is found at the peak of the recording: $name', ({ samples }) => {
    expect(placesOf(samples()).length).toBeWithin(2, 4)
    expect(metered(samples(), mono).clipped_samples).toBe(0)
  })

  test.each([
    { name: 'a chord', samples: () => sampled(chord, 0.7) },
    { name: 'a low tone', samples: () => sampled(tone(20), 0.7) },
    { name: 'a low tone with dither', samples: () => sampled(tone(40), 0.7, 1) },
    { name: 'a tone of a quarter of the rate', samples: () => sampled(tone(RATE / 4), 0.7) },
    { name: 'noise', samples: () => sampled(() => numberOf(), 0.7) },
    { name: 'a square wave', samples: () => sampled((t) => Math.sign(tone(440)(t)), 0.7) },
    { name: 'a saturated chord', samples: () => sampled((t) => Math.tanh(1.5 * chord(t)), 0.7) },
    { name: 'a constant', samples: () => new Int16Array(RATE).fill(9000) },
    { name: 'a few flat peaks', samples: () => sampled((t) => (t < 0.01 ? clippedBy(3, tone(300))(t) : 0), 0.7) },
  ])('is not found in $name', ({ samples }) => {
    expect(placesOf(samples())).toEqual([])
  })
})

describe('offset', () => {
  test('is the largest absolute one of all channels', () => {
    const samples = Float32Array.from({ length: 2 * RATE }, (_, i) => (i % 2 ? -0.0125 : 0.004))
    expect(metered(samples, stereo()).dc_offset).toBe(0.0125)
  })

  test('integers are full scale', () => {
    expect(metered(new Int16Array(RATE).fill(1024), mono).dc_offset).toBe(0.03125)
    expect(metered(new Int32Array(RATE).fill(2 ** 26), mono).dc_offset).toBe(0.03125)
  })
})

test('NaN and infinite floats are silence, and do not affect the rest', () => {
  const clean = Float32Array.from({ length: RATE }, (_, i) => 0.5 * Math.sin((2 * Math.PI * 997 * i) / RATE))
  const [damaged, muted] = [clean.slice(), clean.slice()]
  damaged.set([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], 10_000)
  muted.fill(0, 10_000, 10_003)
  expect(metered(damaged, mono)).toEqual(metered(muted, mono))
})

test('floats beyond full scale are measured unchanged', () => {
  expect(metered(new Float32Array(100).fill(2), mono)).toMatchObject({ sample_peak_dbfs: 6.02, clipped_samples: 100 })
  const huge = metered(new Float32Array(RATE).fill(3e38), mono)
  expect(Object.values(huge).every((value) => typeof value !== 'number' || Number.isFinite(value))).toBe(true)
})
