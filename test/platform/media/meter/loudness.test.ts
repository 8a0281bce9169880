import { describe, expect, test } from 'bun:test'
import type { SoundFormat } from '../../../../src/platform/media/meter/sound.ts'
import { makeMedia } from '../../../support/audio.ts'
import { amplitude, decoded, ffmpegMeter, metered, sound, stereo } from '../../../support/meter.ts'
import { isOldFfmpeg } from '../../../support/tools.ts'

/** A tone of 1 kHz whose level changes, in both channels, as [dBFS, seconds]. */
function steps(levels: [level: number, seconds: number][], format = stereo()) {
  const seconds = levels.reduce((sum, [, length]) => sum + length, 0)
  const ends = levels.map((_, i) => levels.slice(0, i + 1).reduce((sum, [, length]) => sum + length, 0))
  const gains = levels.map(([level]) => amplitude(level))
  let step = 0
  const at = (time: number) => {
    while (time >= (ends[step] ?? Number.POSITIVE_INFINITY)) step++
    return (gains[step] ?? 0) * Math.sin(2 * Math.PI * 1000 * time)
  }
  const tone = sound(seconds, { ...format, channels: 1 }, [at])
  return metered(
    Float32Array.from({ length: 2 * tone.length }, (_, i) => tone[i >> 1] ?? 0),
    format,
  )
}

describe('EBU Tech 3341, minimum requirements', () => {
  test.each([
    { name: '1', levels: [[-23, 20]], expected: -23 },
    { name: '2', levels: [[-33, 20]], expected: -33 },
    {
      name: '3',
      levels: [
        [-36, 10],
        [-23, 60],
        [-36, 10],
      ],
      expected: -23,
    },
    {
      name: '4',
      levels: [
        [-72, 10],
        [-36, 10],
        [-23, 60],
        [-36, 10],
        [-72, 10],
      ],
      expected: -23,
    },
    {
      name: '5',
      levels: [
        [-26, 20],
        [-20, 20.1],
        [-26, 20],
      ],
      expected: -23,
    },
  ] as { name: string; levels: [number, number][]; expected: number }[])('case $name', ({ levels, expected }) => {
    expect(Math.abs((steps(levels).integrated_lufs ?? 0) - expected)).toBeLessThanOrEqual(0.1)
  })

  test('case 6: five channels, with more weight for surrounds', () => {
    const format = { sampleRate: 48_000, channels: 5, channelMask: 0x37 }
    const tone = (level: number) => (time: number) => amplitude(level) * Math.sin(2 * Math.PI * 1000 * time)
    const samples = sound(20, format, [tone(-28), tone(-28), tone(-24), tone(-30), tone(-30)])
    expect(Math.abs((metered(samples, format).integrated_lufs ?? 0) + 23)).toBeLessThanOrEqual(0.1)
  })

  test('case 9: three seconds have the same loudness at any offset', () => {
    const levels = Array.from(
      { length: 5 },
      () =>
        [
          [-20, 1.34],
          [-30, 1.66],
        ] as [number, number][],
    ).flat()
    expect(steps(levels).loudness_range_lu).toBeLessThanOrEqual(0.2)
  })
})

describe('EBU Tech 3342, minimum requirements', () => {
  test.each([
    { name: '1', levels: [-20, -30], expected: 10 },
    { name: '2', levels: [-20, -15], expected: 5 },
    { name: '3', levels: [-40, -20], expected: 20 },
    { name: '4', levels: [-50, -35, -20, -35, -50], expected: 15 },
  ])('case $name', ({ levels, expected }) => {
    const range = steps(levels.map((level) => [level, 20])).loudness_range_lu ?? 0
    expect(Math.abs(range - expected)).toBeLessThanOrEqual(1)
  })
})

test('the range is that of the loudness in between the softest tenth and the loudest twentieth', () => {
  // Evenly softer by 20 LU. 85 % of that are in between; windows of 3 s cover a little less.
  const levels = Array.from({ length: 81 }, (_, i) => [-20 - i / 4, 0.5] as [number, number])
  expect(steps(levels).loudness_range_lu).toBeWithin(15.5, 17.1)
})

describe("equal to ffmpeg's ebur128", () => {
  const noise = 'anoisesrc=d=8:c=pink:a=0.6:r=48000:seed=5,volume=eval=frame:volume=0.1+0.8*abs(sin(t))'
  const layout = (name: string, gains: number[]) =>
    `${noise},pan=${name}|${gains.map((gain, channel) => `c${channel}=${gain}*c0`).join('|')}`
  test.each([
    { name: '8 kHz', source: layout('stereo', [1, 0.5]), rate: 8000, channels: 2, mask: 3, codec: 's16' },
    { name: '11,025 Hz, where 100 ms are no whole number', rate: 11_025, channels: 2, mask: 3, codec: 's16' },
    { name: '44.1 kHz', source: layout('stereo', [1, 0.5]), rate: 44_100, channels: 2, mask: 3, codec: 's16' },
    { name: '48 kHz, 32 bits', source: layout('stereo', [1, 0.7]), rate: 48_000, channels: 2, mask: 3, codec: 's32' },
    { name: '96 kHz', source: layout('stereo', [0.2, 1]), rate: 96_000, channels: 2, mask: 3, codec: 's32' },
    { name: '192 kHz, floats', source: layout('stereo', [1, 1]), rate: 192_000, channels: 2, mask: 3, codec: 'f32' },
    { name: 'mono', source: layout('mono', [0.8]), rate: 44_100, channels: 1, mask: 4, codec: 's16' },
    { name: '5.1', source: layout('5.1', [0.5, 0.4, 0.3, 1, 0.7, 0.6]), channels: 6, mask: 0x3f, codec: 's16' },
    { name: '5.1 of unknown layout', source: layout('5.1', [0.5, 0.4, 0.3, 1, 0.7, 0.6]), channels: 6, codec: 's16' },
    {
      name: '7.1',
      source: layout('7.1', [0.2, 0.3, 0.3, 1, 0.7, 0.6, 0.5, 0.4]),
      channels: 8,
      mask: 0x63f,
      codec: 's16',
    },
  ] as {
    name: string
    source?: string
    rate?: number
    channels: number
    mask?: number
    codec: 's16' | 's32' | 'f32'
  }[])('$name', async ({ source = layout('stereo', [1, 0.5]), rate = 48_000, channels, mask = 0, codec }) => {
    const input = ['-f', 'lavfi', '-i', source, '-ar', String(rate), '-c:a', `pcm_${codec}le`]
    const file = await makeMedia(input, 'wav')
    const ours = metered(await decoded(file, codec), { sampleRate: rate, channels, channelMask: mask })
    const theirs = await ffmpegMeter(file)
    // An old ebur128 resamples to 48 kHz, where the K-weighting of high frequencies differs from that of a low rate.
    const tolerance = isOldFfmpeg && rate < 44_100 ? 0.3 : 0.1
    expect(Math.abs((ours.integrated_lufs ?? 0) - theirs.integrated)).toBeLessThanOrEqual(tolerance)
    expect(Math.abs((ours.loudness_range_lu ?? 0) - theirs.range)).toBeLessThanOrEqual(0.2)
    expect(Math.abs((ours.true_peak_dbtp ?? 0) - theirs.truePeak)).toBeLessThanOrEqual(0.15)
    expect(Math.abs((ours.sample_peak_dbfs ?? 0) - theirs.samplePeak)).toBeLessThanOrEqual(0.06)
  })
})

describe('null results', () => {
  const mono: SoundFormat = { sampleRate: 44_100, channels: 1, channelMask: 0 }
  const tone = (level: number) => (time: number) => amplitude(level) * Math.sin(2 * Math.PI * 1000 * time)

  test('nothing passes the gate', () => {
    const { integrated_lufs, loudness_range_lu, sample_peak_dbfs } = metered(sound(5, mono, [tone(-75)]), mono)
    expect({ integrated_lufs, loudness_range_lu }).toEqual({ integrated_lufs: null, loudness_range_lu: null })
    expect(sample_peak_dbfs).toBeCloseTo(-75, 1)
  })

  test('less than a block of 400 ms', () => {
    expect(metered(sound(0.39, mono, [tone(-10)]), mono).integrated_lufs).toBeNull()
    expect(metered(sound(0.41, mono, [tone(-10)]), mono).integrated_lufs).not.toBeNull()
  })

  test('low frequency effects alone', () => {
    const format = { sampleRate: 48_000, channels: 6, channelMask: 0x3f }
    const silent = () => 0
    const samples = sound(2, format, [silent, silent, silent, tone(-10), silent, silent])
    expect(metered(samples, format)).toMatchObject({ integrated_lufs: null, sample_peak_dbfs: -10 })
  })
})
