import { describe, expect, test } from 'bun:test'
import { measureChroma } from '../../../../src/platform/media/meter/chroma.ts'
import type { SoundFormat } from '../../../../src/platform/media/meter/sound.ts'
import { metered, sound } from '../../../support/meter.ts'
import { randomness, song } from './music.ts'

const RATE = 22_050
const mono: SoundFormat = { sampleRate: RATE, channels: 1, channelMask: 4 }
const NAMES = ['C', 'C#', 'D', 'D#', 'E', 'F', 'F#', 'G', 'G#', 'A', 'A#', 'B']

describe('tempo', () => {
  test.each([80, 85, 96, 100, 110, 120, 128, 140, 150].map((bpm) => ({ bpm })))('$bpm, drums', ({ bpm }) => {
    const { tempo_bpm, tempo_confidence } = metered(song({ bpm, seconds: 12, sampleRate: RATE }), mono)
    expect(Math.abs((tempo_bpm ?? 0) - bpm)).toBeLessThan(bpm * 0.005)
    expect(tempo_confidence).toBeWithin(0.5, 1.001)
  })

  test.each([62, 72, 174].map((bpm) => ({ bpm })))('$bpm, at the limits: the tempo or an octave of it', ({ bpm }) => {
    const { tempo_bpm } = metered(song({ bpm, seconds: 12, sampleRate: RATE }), mono)
    const octave = Math.log2((tempo_bpm ?? 0) / bpm)
    expect([-1, 0, 1]).toContain(Math.round(octave))
    expect(Math.abs(octave - Math.round(octave))).toBeLessThan(0.01)
  })

  const confidenceOf = (bpm: number) =>
    metered(song({ bpm, seconds: 12, sampleRate: RATE }), mono).tempo_confidence ?? Number.NaN

  test.each([70, 166, 174])('%s: confidence is low because half or double explains the drums as well', (bpm) => {
    expect(confidenceOf(bpm)).toBeWithin(0.5, 0.72)
  })

  test.each([100, 110, 120])('%s: confidence is high because no other tempo explains the drums as well', (bpm) => {
    expect(confidenceOf(bpm)).toBeWithin(0.8, 1)
  })

  test.each([76, 92, 124].map((bpm) => ({ bpm })))('$bpm, no drums', ({ bpm }) => {
    const music = song({ bpm, tonic: 9, hasDrums: false, seconds: 12, sampleRate: RATE })
    expect(Math.abs((metered(music, mono).tempo_bpm ?? 0) - bpm)).toBeLessThan(bpm * 0.005)
  })

  test.each([44_100, 48_000, 96_000, 192_000, 16_000, 8000].map((rate) => ({ rate })))('at $rate Hz', ({ rate }) => {
    const music = song({ bpm: 118, seconds: 8, sampleRate: rate })
    const { tempo_bpm } = metered(music, { ...mono, sampleRate: rate })
    expect(Math.abs((tempo_bpm ?? 0) - 118)).toBeLessThan(1)
  })

  const [long, short] = [
    { bpm: 105, seconds: 170 },
    { bpm: 140, seconds: 110 },
  ]
  test.each([[[long, short]], [[short, long]]])('of a long recording, from distributed parts: %j', (parts) => {
    const sampleRate = 8000
    const samples = parts.flatMap((part) => [...song({ ...part, sampleRate })])
    const { tempo_bpm } = metered(Float32Array.from(samples), { ...mono, sampleRate })
    expect(Math.abs((tempo_bpm ?? 0) - 105)).toBeLessThan(0.6)
  })
})

describe('key', () => {
  const keys = [0, 3, 4, 6, 9, 11].flatMap((tonic) => [
    { tonic, isMinor: false, name: `${NAMES[tonic]} major` },
    { tonic, isMinor: true, name: `${NAMES[tonic]} minor` },
  ])
  test.each(keys)('$name', ({ tonic, isMinor, name }) => {
    const music = song({ bpm: 120, tonic, isMinor, seconds: 9, sampleRate: RATE })
    const { key, key_confidence } = metered(music, mono)
    expect(key).toBe(name)
    expect(key_confidence).toBeWithin(0.3, 1.001)
  })

  test('in any tuning', () => {
    const music = song({ bpm: 120, tonic: 2, seconds: 9, sampleRate: RATE })
    // Played almost a quarter tone too fast.
    expect(metered(music, { ...mono, sampleRate: Math.round(RATE * 2 ** (0.46 / 12)) }).key).toBe('D major')
  })

  test('a note between two semitones is one note in its own tuning', () => {
    const wavering = Float32Array.from({ length: 11_025 * 6 }, (_, i) => {
      const time = i / 11_025
      const hz = 440 * 2 ** (0.45 / 12)
      // By a sixth of a semitone up and down, once in three seconds.
      return 0.5 * Math.sin(2 * Math.PI * hz * (time + (0.0096 * 3 * Math.cos((2 * Math.PI * time) / 3)) / 2 / Math.PI))
    })
    const { classes } = measureChroma([wavering], 11_025) ?? {}
    expect(Math.max(...(classes ?? []))).toBeGreaterThan(0.95)
  })
})

describe('sound without tempo and key', () => {
  const none = { tempo_bpm: null, tempo_confidence: null, key: null, key_confidence: null }

  test.each([1, 2, 3])('noise: %s', (seed) => {
    const noise = Float32Array.from({ length: RATE * 12 }, randomness(seed)).map((sample) => sample / 3)
    expect(metered(noise, mono)).toMatchObject(none)
  })

  test('a steady tone', () => {
    const tone = sound(8, mono, [(time) => 0.3 * Math.sin(2 * Math.PI * 440 * time)])
    expect(metered(tone, mono)).toMatchObject(none)
  })

  test('syllables, as of speech', () => {
    expect(metered(syllables(15), mono)).toMatchObject(none)
  })

  test('drums have a tempo, but no key', () => {
    const { tempo_bpm, key } = metered(song({ bpm: 100, seconds: 10, sampleRate: RATE }), mono)
    expect(tempo_bpm).not.toBeNull()
    expect(key).toBeNull()
  })
})

/** Gliding voiced sounds of uneven length and pitch, with breaths between them. */
function syllables(seconds: number): Float32Array {
  const random = randomness(7)
  const samples = new Float32Array(seconds * RATE)
  let start = 0.1
  while (start < seconds) {
    const [length, hz, glide] = [0.12 + 0.1 * Math.abs(random()), 120 + 40 * random(), 0.3 * random()]
    for (let i = 0; i < length * RATE; i++) {
      const time = i / RATE
      const angle = 2 * Math.PI * hz * (time + (glide * time * time) / 2 / length)
      const voice = [1, 2, 3, 4, 5, 6, 7, 8].reduce((sum, n) => sum + Math.sin(n * angle) / n, 0)
      const at = Math.round(start * RATE) + i
      if (at < samples.length) samples[at] = 0.2 * Math.sin((Math.PI * time) / length) * voice
    }
    start += length + 0.03 + 0.4 * Math.max(0, random()) ** 2
  }
  return samples
}
