// Containers, codecs and sample rates. What is delivered is decoded by ffmpeg, and by decoders that share no code with it
// where they are installed, and compared with the recording that ffmpeg decodes. Builds before 5.0 do not cut the ends of
// Vorbis and Opus to a sample, and are not compared.
import { describe, expect, test } from 'bun:test'
import { isOldFfmpeg } from '../support/tools.ts'
import { compare } from './compare.ts'
import { containers, type Format } from './containers.ts'
import { decode, decoders, decodeWith, probe, type Sound } from './decode.ts'
import { useUploads } from './uploads.ts'
import { type Output, outputs } from './variants.ts'

const table = {
  rows: containers,
  variants: [...outputs.map(({ index }) => index), 'levels', 'original'],
} as const
const uploaded = useUploads(table)

const MAX_DELAY_MS = 0.003

describe('is accepted', () => {
  test.concurrent.each(containers)('$name', async (row) => {
    const { track, files, bytes, file } = uploaded(row)
    const { track_status_id: status, status_code: code, info } = track
    expect({ status, code }).toEqual({ status: 'ready', code: null })
    const { codec, rate, channels } = await probe(bytes, row.name)
    expect(info).toMatchObject({ codec: row.codec, channels: row.channels, sample_rate: rate })
    expect([codec, channels]).toEqual([row.codec, row.channels])
    expect(Math.abs(track.duration - row.seconds)).toBeLessThanOrEqual(row.isPadded ? 0.05 : 0.001)
    expect(Buffer.compare(file('original'), bytes)).toBe(0)
    expect(files.levels.data.num_samples).toBe(320)
    expect(files.levels.data.max > 0.01).toBe(!row.isSilent)
  })
})

/** The recording at a rate, the mean of its channels if there are more than two. */
const sources = new Map<string, Promise<Sound>>()
function source({ name, channels }: Format, bytes: Uint8Array, rate?: number): Promise<Sound> {
  const key = `${name} ${rate}`
  const sum = Array.from({ length: channels }, (_, at) => `c${at}`).join('+')
  const filter = channels > 2 ? `pan=mono|c0=${sum}` : undefined
  const decoded = sources.get(key) ?? decode(bytes, { rate, filter, name })
  sources.set(key, decoded)
  return decoded
}

/** Samples of a recording, without what an MP4 says is not to be played. */
async function lengthOf(row: Format, bytes: Uint8Array): Promise<number> {
  const { rate, channels } = await source(row, bytes)
  const decoded = channels[0]?.length ?? 0
  if (!/\.(m4a|mp4)$/.test(row.name)) return decoded / rate
  return Math.min(decoded / rate, (await probe(bytes, row.name)).seconds)
}

function expectSameSound(row: Format, { maxGainDb }: Output, { sound, from }: { sound: Sound; from: Sound }) {
  if (row.isSilent) return
  for (const [at, channel] of sound.channels.entries()) {
    const { delay, gain } = compare(from.channels[at] ?? from.channels[0] ?? new Float32Array(), channel)
    expect(Math.abs(delay / sound.rate) * 1000, `channel ${at}: ${delay} samples late`).toBeLessThan(MAX_DELAY_MS)
    // How loud more than two channels are in two is a matter of their layout.
    if (row.channels <= 2) expect(Math.abs(gain), `channel ${at}: ${gain} dB`).toBeLessThan(maxGainDb)
  }
}

describe.skipIf(isOldFfmpeg).each(outputs)('as $index', (output) => {
  test.concurrent.each(containers)('$name', async (row) => {
    const { bytes, file } = uploaded(row)
    const outputFile = file(output.index)
    const { codec, rate, channels, seconds } = await probe(outputFile)
    const { rate: recorded } = await source(row, bytes)
    const expected = { codec: output.codec, rate: output.rateOf(recorded), channels: Math.min(2, row.channels) }
    expect({ codec, rate, channels }).toEqual(expected)

    const length = Math.round((await lengthOf(row, bytes)) * rate)
    const sound = await decode(outputFile)
    // ffmpeg gives whole frames of AAC. Players cut them by the edit list, which ffprobe reports.
    const sampleCount = codec === 'aac' ? Math.round(seconds * rate) : (sound.channels[0]?.length ?? 0)
    expect(Math.abs(sampleCount - length), `${sampleCount} instead of ${length} samples`).toBeLessThanOrEqual(1)
    expectSameSound(row, output, { sound, from: await source(row, bytes, rate) })
  })
})

for (const output of outputs) {
  const program = decoders[output.codec]?.program
  if (!program) continue
  describe.skipIf(isOldFfmpeg || !Bun.which(program))(`as ${output.index}, decoded by ${program}`, () => {
    test.concurrent.each(containers)('$name', async (row) => {
      const { bytes, file } = uploaded(row)
      const sound = await decodeWith(output.codec, file(output.index))
      const length = Math.round((await lengthOf(row, bytes)) * sound.rate)
      const sampleCount = sound.channels[0]?.length ?? 0
      expect(Math.abs(sampleCount - length), `${sampleCount} instead of ${length} samples`).toBeLessThanOrEqual(1)
      expectSameSound(row, output, { sound, from: await source(row, bytes, sound.rate) })
    })
  })
}
