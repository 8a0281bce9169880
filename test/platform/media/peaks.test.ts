import { describe, expect, test } from 'bun:test'
import WaveformData from 'waveform-data'
import { type PeakBits, peaksDat, peaksJson } from '../../../src/platform/media/formats/peaks-format.ts'
import { createPeaks, type Peaks } from '../../../src/platform/media/peaks.ts'
import { peaksOf, splitPeaksOf, upperHalf } from '../../support/peaks.ts'

/** The same noise in every run. */
function noise(count: number, seed = 1): Int16Array {
  let state = seed
  return Int16Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 16) - 32_768
  })
}

/** Pushed in chunks of this number of frames. */
function takePeaks(
  samples: Int16Array,
  channels: number,
  samplesPerPixel: number,
  { chunkFrames = 1000, isSplit = false } = {},
) {
  const peaks = createPeaks({ channels, samplesPerPixel, isSplit })
  const step = chunkFrames * channels
  for (let at = 0; at < samples.length; at += step) peaks.push(samples.slice(at, at + step))
  const result = peaks.end()
  const data = result.blocks.flatMap((block) => [...block])
  expect(result.channels).toBe(isSplit ? channels : 1)
  expect(data.length).toBe(2 * result.length * result.channels)
  return data
}

describe('pairs are exactly those of the definition', () => {
  test.each([
    { channels: 1, frames: 2560, scale: 256 },
    { channels: 2, frames: 2560, scale: 256 },
    { channels: 2, frames: 2561, scale: 256 },
    { channels: 2, frames: 2559, scale: 256 },
    { channels: 1, frames: 1, scale: 256 },
    { channels: 2, frames: 1, scale: 65_536 },
    { channels: 3, frames: 777, scale: 64 },
    { channels: 6, frames: 5000, scale: 100 },
    { channels: 2, frames: 300_000, scale: 64 },
    { channels: 2, frames: 0, scale: 256 },
  ])('$frames frames of $channels channels, $scale a pixel', ({ channels, frames, scale }) => {
    const samples = noise(frames * channels, frames)
    const expected = peaksOf(samples, channels, scale)
    expect(expected.length).toBe(2 * Math.ceil(frames / scale))
    const split = splitPeaksOf(samples, channels, scale)
    expect(split.length).toBe(channels * expected.length)
    for (const chunkFrames of [frames || 1, 1000, 7]) {
      expect(takePeaks(samples, channels, scale, { chunkFrames })).toEqual(expected)
      expect(takePeaks(samples, channels, scale, { chunkFrames, isSplit: true })).toEqual(split)
    }
  })

  test('more pixels than a block has', () => {
    const samples = noise(2 * 200_000)
    expect(takePeaks(samples, 2, 2, { chunkFrames: 4096 })).toEqual(peaksOf(samples, 2, 2))
    expect(takePeaks(samples, 2, 2, { chunkFrames: 4096, isSplit: true })).toEqual(splitPeaksOf(samples, 2, 2))
  })

  test('opposite channels are apart', () => {
    const opposite = Int16Array.from({ length: 512 }, (_, i) => (i % 2 === 0 ? 12_345 : -12_345))
    expect(takePeaks(opposite, 2, 256, { isSplit: true })).toEqual([12_345, 12_345, -12_345, -12_345])
  })

  test('averages are truncated towards zero', () => {
    expect(takePeaks(Int16Array.of(1, 0, 3, 0), 2, 1)).toEqual([0, 0, 1, 1])
    expect(takePeaks(Int16Array.of(-1, 0, -3, 0), 2, 1).map((value) => value + 0)).toEqual([0, 0, -1, -1])
    expect(takePeaks(Int16Array.of(-1, -1, 0, 2, 2, 1), 3, 1).map((value) => value + 0)).toEqual([0, 0, 1, 1])
  })

  test('silence; opposite channels; both at full scale', () => {
    expect(takePeaks(new Int16Array(512), 1, 256)).toEqual([0, 0, 0, 0])
    const opposite = Int16Array.from({ length: 512 }, (_, i) => (i % 2 === 0 ? 12_345 : -12_345))
    expect(takePeaks(opposite, 2, 256)).toEqual([0, 0])
    const square = Int16Array.from({ length: 512 }, (_, i) => (i < 256 ? 32_767 : -32_768))
    expect(takePeaks(square, 2, 256)).toEqual([-32_768, 32_767])
    expect(takePeaks(square, 2, 64)).toEqual([32_767, 32_767, 32_767, 32_767, -32_768, -32_768, -32_768, -32_768])
  })

  test('pixels are independent: the lowest sample of a positive pixel is positive', () => {
    expect(takePeaks(Int16Array.of(100, 200, -300, -400), 1, 2)).toEqual([100, 200, -400, -300])
  })
})

/** In blocks of different lengths, as from a long sound. */
const peaksWith = (data: Int16Array, channels = 1): Peaks => ({
  sampleRate: 48_000,
  samplesPerPixel: 256,
  channels,
  length: data.length / 2 / channels,
  blocks: [data.subarray(0, 2 * channels), data.subarray(2 * channels)].filter(({ length }) => length > 0),
})
const jsonOf = (peaks: Peaks, bits: PeakBits) => [...peaksJson(peaks, bits)].join('')
async function datOf(peaks: Peaks, bits: PeakBits): Promise<ArrayBuffer> {
  return new Blob([...peaksDat(peaks, bits)] as Uint8Array<ArrayBuffer>[]).arrayBuffer()
}
/** Everything that waveform-data has read, in the order of the format. */
function read(waveform: WaveformData) {
  const { sample_rate, scale, bits, length, channels } = waveform
  const each = Array.from({ length: channels }, (_, channel) => waveform.channel(channel))
  const data = Array.from({ length }, (_, i) =>
    each.flatMap((channel) => [channel.min_sample(i), channel.max_sample(i)]),
  ).flat()
  return { sample_rate, scale, bits, length, channels, data }
}

describe('formats of version 2', () => {
  test('JSON, with its fields in the order of the documentation', () => {
    const parsed = JSON.parse(jsonOf(peaksWith(Int16Array.of(-32_768, 32_767, -255, 255, -257, 511)), 8))
    expect(Object.entries(parsed)).toEqual([
      ['version', 2],
      ['channels', 1],
      ['sample_rate', 48_000],
      ['samples_per_pixel', 256],
      ['bits', 8],
      ['length', 3],
      ['data', [-128, 127, 0, 0, -1, 1]],
    ])
    const values = noise(12)
    expect(JSON.parse(jsonOf(peaksWith(values, 2), 16))).toMatchObject({ channels: 2, length: 3, data: [...values] })
    expect(jsonOf(peaksWith(values), 8)).not.toContain('.')
  })

  test('binary, byte by byte', async () => {
    const bytes = (numbers: number[]) => Buffer.from(numbers).toString('hex')
    const hex = async (peaks: Peaks, bits: PeakBits) => Buffer.from(await datOf(peaks, bits)).toString('hex')
    const header = [2, 0, 0, 0, 1, 0, 0, 0, 0x80, 0xbb, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    const [one, two] = [peaksWith(Int16Array.of(-32_768, 513)), peaksWith(Int16Array.of(-32_768, 513, -256, 2), 2)]
    expect(await hex(one, 8)).toBe(bytes([...header, 0x80, 2]))
    expect(await hex(two, 8)).toBe(bytes([...header.with(20, 2), 0x80, 2, 0xff, 0]))
    expect(await hex(one, 16)).toBe(bytes([...header.with(4, 0), 0, 0x80, 1, 2]))
    expect(await hex(two, 16)).toBe(bytes([...header.with(4, 0).with(20, 2), 0, 0x80, 1, 2, 0, 0xff, 2, 0]))
  })

  const written = ([8, 16] as const).flatMap((bits) =>
    [0, 3, 50_000].flatMap((length) => [1, 2].map((channels) => ({ bits, length, channels }))),
  )
  test.each(written)('waveform-data reads $length pixels of $bits bits and $channels channels', async (shape) => {
    const { bits, length, channels } = shape
    const values = noise(2 * length * channels)
    const data = bits === 16 ? [...values] : upperHalf([...values])
    const expected = { sample_rate: 48_000, scale: 256, bits, length, channels, data }
    const peaks = peaksWith(values, channels)
    expect(read(WaveformData.create(JSON.parse(jsonOf(peaks, bits))))).toEqual(expected)
    expect(read(WaveformData.create(await datOf(peaks, bits)))).toEqual(expected)
  })

  test.each([
    { what: 'averaged channels', isSplit: false },
    { what: 'two channels', isSplit: true },
  ])('equals the result of waveform-data, also from finer pixels: $what', async ({ isSplit }) => {
    const samples = noise(2 * 256 * 40)
    const of = (samplesPerPixel: number) => ({
      ...peaksWith(Int16Array.from(takePeaks(samples, 2, samplesPerPixel, { isSplit })), isSplit ? 2 : 1),
      samplesPerPixel,
    })
    const coarse = read(WaveformData.create(await datOf(of(1024), 16)))
    expect(read(WaveformData.create(await datOf(of(256), 16)).resample({ scale: 1024 }))).toEqual(coarse)

    const channelData = [0, 1].map((channel) =>
      Float32Array.from({ length: samples.length / 2 }, (_, i) => (samples[2 * i + channel] ?? 0) / 32_768),
    )
    const audio = {
      length: samples.length / 2,
      sampleRate: 48_000,
      numberOfChannels: 2,
      getChannelData: (channel: number) => channelData[channel],
    } as unknown as AudioBuffer
    const options = {
      audio_buffer: audio,
      scale: 256,
      bits: 16,
      split_channels: isSplit,
      disable_worker: true,
    } as const
    const theirs = await new Promise<WaveformData>((resolve, reject) =>
      WaveformData.createFromAudio(options, (error, waveformData) => (error ? reject(error) : resolve(waveformData))),
    )
    const [ours, built] = [read(WaveformData.create(await datOf(of(256), 16))), read(theirs)]
    expect([ours.length, ours.channels]).toEqual([built.length, built.channels])
    // Theirs is scaled by 32,767 and rounded down.
    for (const [i, value] of ours.data.entries()) expect(Math.abs(value - (built.data[i] ?? 0))).toBeLessThanOrEqual(2)
  })
})

describe('a sound with more pixels than fit into memory', () => {
  test.each([
    { channels: 1, isSplit: false },
    { channels: 2, isSplit: false },
    { channels: 2, isSplit: true },
  ])('has the pixels of a coarser scale: %o', ({ channels, isSplit }) => {
    const samples = noise(channels * 64 * 300_001)
    const values = 2 * (isSplit ? channels : 1)
    const peaks = createPeaks({ channels, samplesPerPixel: 64, isSplit, maxValues: 4 * values * (1 << 15) })
    for (let at = 0; at < samples.length; at += channels * 50_000)
      peaks.push(samples.subarray(at, at + channels * 50_000))
    const result = peaks.end()
    expect([result.samplesPerPixel, result.length]).toEqual([256, 75_001])
    expect(result.blocks.length).toBeLessThanOrEqual(4)
    const coarse = createPeaks({ channels, samplesPerPixel: 256, isSplit })
    coarse.push(samples)
    const bytesOf = (blocks: readonly Int16Array[]) =>
      Bun.hash(
        Buffer.concat(blocks.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))),
      )
    expect(bytesOf(result.blocks)).toBe(bytesOf(coarse.end().blocks))
  })
})
