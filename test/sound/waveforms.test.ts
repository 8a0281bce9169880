// Levels, and waveform data of the delivered file, computed from what ffmpeg decodes.
import { describe, expect, test } from 'bun:test'
import WaveformData from 'waveform-data'
import { referencePeaks, upperHalf } from '../support/peaks.ts'
import type { Json } from '../support/service.ts'
import { decode, probe } from './decode.ts'
import { type Uploaded, useUploads } from './uploads.ts'
import { waveformRecordings, waveformTable } from './waveforms.ts'

const uploaded = useUploads(waveformTable)
const kinds = [
  { index: 'levels', bits: 8, zoom: 256, count: 320 },
  { index: 'fine_levels', bits: 16, zoom: 64, count: 100 },
] as const

/** Lowest and highest value of each pixel in turn, of both forms. */
function peaksOf({ files, at }: Uploaded, index: string) {
  const waveform: Json = files[index].data.waveform
  const dat = WaveformData.create(at(waveform.dat.url).buffer)
  const channel = dat.channel(0)
  const binary = Array.from({ length: dat.length }, (_, i) => [channel.min_sample(i), channel.max_sample(i)]).flat()
  return { waveform, dat, binary, json: JSON.parse(Buffer.from(at(waveform.json.url)).toString()) }
}

describe.each(kinds)('the waveform of $index is that of the delivered file', ({ index, bits, zoom }) => {
  test.concurrent.each(waveformRecordings)('$name', async (row) => {
    const results = uploaded(row)
    const { waveform, dat, binary, json } = peaksOf(results, index)
    const delivered = results.file('aac')
    // Only the edit list states where the sound of an MP4 ends.
    const { seconds, rate } = await probe(delivered)
    const { length, data } = await referencePeaks(delivered, zoom, { seconds })
    expect([json.length, dat.length, waveform.length]).toEqual([length, length, length])
    expect([json.sample_rate, json.samples_per_pixel, json.bits]).toEqual([rate, zoom, bits])
    expect(binary).toEqual(bits === 8 ? upperHalf(data) : data)
    expect(json.data).toEqual(binary)
  })
})

describe.each(kinds)('the levels of $index are the RMS of equal spans', ({ index, count }) => {
  test.concurrent.each(waveformRecordings)('$name', async (row) => {
    const { files, bytes } = uploaded(row)
    const { channels: has } = await probe(bytes, row.name)
    const half = has === 2 ? 'pan=mono|c0=0.5*c0+0.5*c1' : undefined
    const { channels } = await decode(bytes, { rate: 8000, filter: half, name: row.name })
    const mono = channels[0] ?? new Float32Array()
    const { levels, num_samples: length, max, min } = files[index].data
    expect([levels.length, length]).toEqual([count, count])
    const spans = Array.from({ length: count }, (_, span) => {
      const part = mono.subarray(
        Math.floor((span * mono.length) / count),
        Math.floor(((span + 1) * mono.length) / count),
      )
      return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, part.length))
    })
    const differences = spans.map((level, at) => Math.abs(level - levels[at]))
    expect(Math.max(...differences)).toBeLessThan(0.001)
    expect([max, min]).toEqual([Math.max(...levels), Math.min(...levels)])
  })
})
