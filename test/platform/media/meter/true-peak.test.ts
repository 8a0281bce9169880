import { describe, expect, test } from 'bun:test'
import type { SoundFormat } from '../../../../src/platform/media/meter/sound.ts'
import { makeMedia } from '../../../support/audio.ts'
import { decoded, ffmpegMeter, metered, sound, stereo } from '../../../support/meter.ts'

const mono = (sampleRate: number): SoundFormat => ({ sampleRate, channels: 1, channelMask: 0 })

/** Faded in and out, for a tone that is cut has peaks beyond its own. */
function tone(sampleRate: number, share: number, degrees: number, level: number) {
  const seconds = 0.5
  const fade = (time: number) => Math.min(1, time / 0.05, (seconds - time) / 0.05)
  const phase = (degrees / 180) * Math.PI
  const at = (time: number) => fade(time) * level * Math.sin(2 * Math.PI * share * sampleRate * time + phase)
  return metered(sound(seconds, mono(sampleRate), [at]), mono(sampleRate))
}

describe('EBU Tech 3341, minimum requirements', () => {
  test.each([
    { name: '15', share: 1 / 4, degrees: 0, level: 0.5, expected: -6 },
    { name: '16', share: 1 / 4, degrees: 45, level: 0.5, expected: -6 },
    { name: '17', share: 1 / 6, degrees: 60, level: 0.5, expected: -6 },
    { name: '18', share: 1 / 8, degrees: 67.5, level: 0.5, expected: -6 },
    { name: '19', share: 1 / 4, degrees: 45, level: 1.41, expected: 3 },
  ])('case $name', ({ share, degrees, level, expected }) => {
    const peak = tone(48_000, share, degrees, level).true_peak_dbtp ?? 0
    expect(peak - expected).toBeWithin(-0.4, 0.2)
  })
})

test('finds peaks between samples below 192 kHz; above, sample peaks are used', () => {
  for (const rate of [8000, 44_100, 88_200, 96_000, 176_400]) {
    const { true_peak_dbtp, sample_peak_dbfs } = tone(rate, 1 / 4, 45, 0.5)
    expect({ rate, peak: true_peak_dbtp }).toEqual({ rate, peak: expect.closeTo(-6.02, 1) })
    expect(sample_peak_dbfs).toBeCloseTo(-9.03, 1)
  }
  const { true_peak_dbtp, sample_peak_dbfs } = tone(192_000, 1 / 4, 45, 0.5)
  expect(true_peak_dbtp).toBe(sample_peak_dbfs)
})

test('a peak that falls between any two samples, anywhere in a block, is found', () => {
  for (let start = 900; start < 1180; start += 7) {
    const samples = new Float32Array(2400)
    // Two samples alone: the value halfway between them is their sum times 2 / pi.
    samples.fill(0.5, start, start + 2)
    const { true_peak_dbtp } = metered(samples, mono(48_000), 500)
    expect(true_peak_dbtp, `from sample ${start}`).toBeCloseTo(20 * Math.log10(2 / Math.PI), 1)
  }
})

test('a flat peak just above an earlier one is found at any position', () => {
  const peaks = Array.from({ length: 130 }, (_, start) => {
    const samples = new Float32Array(900)
    for (let i = 0; i < 400; i++) samples[i] = 0.4503 * (1 - Math.cos((2 * Math.PI * i) / 400))
    for (let i = 0; i < 66; i++) samples[500 + start + i] = samples[500 + start + 131 - i] = (0.9 * i) / 65
    return metered(samples, mono(48_000)).true_peak_dbtp
  })
  expect(new Set(peaks).size).toBe(1)
  expect(peaks[0]).toBeGreaterThan(20 * Math.log10(0.9006) + 0.01)
})

test.each([
  { name: 'white noise', source: 'anoisesrc=d=3:c=white:a=1:r=44100:seed=3' },
  {
    name: 'music-like noise, limited',
    source: 'anoisesrc=d=5:c=brown:a=1:r=44100:seed=8,volume=20dB,alimiter=limit=0.95',
  },
  { name: 'a square wave', source: 'aevalsrc=0.7*(2*gt(sin(2*PI*1234*t)\\,0)-1):s=44100:d=3,afade=d=0.1' },
])("$name: equal to ffmpeg's meter", async ({ source }) => {
  const file = await makeMedia(['-f', 'lavfi', '-i', source, '-ac', '2', '-c:a', 'pcm_s16le'], 'wav')
  const ours = metered(await decoded(file, 's16'), stereo(44_100))
  const theirs = await ffmpegMeter(file)
  expect(Math.abs((ours.true_peak_dbtp ?? 0) - theirs.truePeak)).toBeLessThanOrEqual(0.2)
})

test('never below the largest sample', () => {
  const samples = new Float32Array(1000)
  samples[500] = 0.9
  const { true_peak_dbtp, sample_peak_dbfs } = metered(samples, mono(44_100))
  expect(sample_peak_dbfs).toBe(-0.92)
  expect(true_peak_dbtp ?? -100).toBeGreaterThanOrEqual(-0.92)
})

test('digital silence has no peak', () => {
  const { true_peak_dbtp, sample_peak_dbfs } = metered(new Int16Array(10_000), stereo())
  expect({ true_peak_dbtp, sample_peak_dbfs }).toEqual({ true_peak_dbtp: null, sample_peak_dbfs: null })
})
