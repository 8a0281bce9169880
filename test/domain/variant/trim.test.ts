// Organization-wide variants that leave out the silence at both ends.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { writeTags } from '../../../src/platform/media/tags/write.ts'
import { cutFilters, spanOfSound } from '../../../src/platform/media/trim.ts'
import { post } from '../../support/administrators.ts'
import { makeMedia, measure } from '../../support/audio.ts'
import { heardSeconds, processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { shownChapters } from '../../support/tagged.ts'
import { FFMPEG, soundTools } from '../../support/tools.ts'

const baseProps = { is_strip_tags: false, is_trim_silence: true }
const recipes: [type: 'transcode' | 'preview' | 'levels', index: string, props: object][] = [
  // The oldest is what players are given.
  ['transcode', 'trim', { codec: 'aac', is_trim_silence: true }],
  ['transcode', 'flac', { codec: 'flac', ...baseProps }],
  ['transcode', 'wav', { codec: 'wav', bit_depth: 24, ...baseProps }],
  ['transcode', 'loud', { codec: 'mp3', is_trim_silence: true, normalize: -20 }],
  ['transcode', 'plain', { codec: 'aac' }],
  ['preview', 'clip', { codec: 'mp3', is_trim_silence: true, preview_seconds: 1, preview_start_percent: 0 }],
  ['levels', 'waveform', {}],
]
const RATE = 44_100
/** In samples. The sound is between two silent parts. */
const [LEADING, SOUND, TRAILING] = [54_321, 123_457, 45_678]
const LENGTH = LEADING + SOUND + TRAILING
const [START, END] = [LEADING - 0.05 * RATE, LEADING + SOUND + 0.5 * RATE]
const SECONDS = (END - START) / RATE

const service = useTestService(undefined, soundTools)
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tonearm-trim-'))
  const { db } = service.services
  await db.variant.updateMany({ data: { deletedAt: new Date() } })
  for (const [type, index, recipe] of recipes) {
    const { organization_id: organizationId } = service.demo
    await insertVariant(db, { organizationId, trackId: null, type, index, props: resolveProps(type, recipe) })
  }
}, 60_000)
afterAll(() => rm(folder, { recursive: true }))

/** Decoded samples with 16 bits. */
function samplesOf(file: string): Buffer {
  const args = ['-v', 'error', '-i', file, '-map', '0:a', '-c:a', 'pcm_s16le', '-f', 's16le', '-']
  return Buffer.from(Bun.spawnSync([FFMPEG, ...args], { maxBuffer: 64 << 20 }).stdout)
}

async function save(file: Json): Promise<string> {
  const local = join(folder, `${crypto.randomUUID()}-${file.file_name}`)
  await Bun.write(local, await (await service.fetchEdge(file.url)).arrayBuffer())
  return local
}

const noise = (samples: number) =>
  `anoisesrc=r=${RATE}:seed=5:a=0.3,atrim=end_sample=${samples},aformat=sample_fmts=s16`

describe('a recording with silence at both ends', () => {
  let source: string
  let id: string
  let files: Record<string, Json>
  beforeAll(async () => {
    // It fades out softly after the sound: below -60 dBFS is silence, not only zeros.
    const quiet = `${noise(TRAILING)},volume=-70dB`
    const inputs = [`anullsrc=r=${RATE},atrim=end_sample=${LEADING}`, noise(SOUND), quiet]
    const graph = `[0:a][1:a][2:a]concat=n=3:v=0:a=1,aformat=channel_layouts=stereo`
    const args = [...inputs.flatMap((input) => ['-f', 'lavfi', '-i', input]), '-filter_complex', graph]
    source = join(folder, 'source.flac')
    await Bun.write(source, await makeMedia([...args, '-sample_fmt', 's16'], 'flac'))
    const at = (startSeconds: number, title: string) => ({ title, startSeconds, endSeconds: null, url: null })
    const chapters = [at(0, 'Before'), at(1, 'First'), at(2.5, 'Second'), at(4.9, 'After')]
    await writeTags(source, 'flac', { tags: { title: 'T' }, chapters, durationSeconds: 5.07, cover: null, gain: null })
    ;({ files, id } = await processed(service, await Bun.file(source).bytes(), 'source.flac'))
  }, 60_000)

  test.each(['flac', 'wav'])('is cut to the sample: %s', async (index) => {
    const [all, trimmedSamples] = [samplesOf(source), samplesOf(await save(files[index]))]
    expect(all.length).toBe(4 * LENGTH)
    expect(trimmedSamples.length).toBe(4 * (END - START))
    expect(Buffer.compare(trimmedSamples, all.subarray(4 * START, 4 * END))).toBe(0)
  })

  test('has the same length in lossy codecs, and the span in `props`', async () => {
    const figures = await measure(await Bun.file(await save(files.trim)).bytes())
    expect(Math.abs(figures.durationSeconds - SECONDS)).toBeLessThan(1.5 / RATE)
    expect(Math.abs((await heardSeconds(service, files.loud)) - SECONDS)).toBeLessThan(0.001)
    for (const index of ['trim', 'loud', 'flac', 'wav']) {
      const { capture_start: start, capture_end: end } = files[index].props
      expect([start, end], index).toEqual([expect.closeTo(START / RATE, 6), expect.closeTo(END / RATE, 6)])
      expect(files[index]).toMatchObject({ is_success: true, status_code: null, data: null })
    }
    expect(files.plain.props).not.toHaveProperty('capture_start')
  })

  test('is normalized without its silence', () => {
    expect(Math.abs(files.loud.props.integrated_lufs - -20)).toBeLessThanOrEqual(0.2)
  })

  test('has its chapters at the times of the file', async () => {
    for (const index of ['flac', 'wav']) {
      expect(shownChapters(await save(files[index]))).toEqual([
        { title: 'First', startSeconds: 0 },
        { title: 'Second', startSeconds: expect.closeTo(2.5 - START / RATE, 2) },
      ])
    }
  })

  test('has a preview from its first sound', () => {
    const { capture_start: start, duration } = files.clip.data
    expect([start, duration]).toEqual([expect.closeTo(START / RATE, 3), 1])
  })

  test('has a waveform of the file that plays', () => {
    const { variant_index: index, length, samples_per_pixel: size } = files.waveform.data.waveform
    expect([index, length]).toEqual(['trim', Math.ceil((END - START) / size)])
  })

  /** The data of a listener's page. */
  async function shared(index: string): Promise<Json> {
    const body = { title: 'T', api_key_type_id: 'share', variants: [index], collection_id: service.demo.collection_id }
    const { json } = await service.v1('POST', '/api_key', { body })
    const headers = { accept: 'text/html' }
    const { text } = await service.request('GET', `/s/${id}/${json.api_key}`, { key: null, headers })
    return JSON.parse(/id="data">(.*?)<\/script>/.exec(text)?.[1] ?? '').track
  }
  test.each([
    { index: 'trim', end: END / RATE, starts: [0, 2.5 - START / RATE] },
    { index: 'clip', end: START / RATE + 1, starts: [0] },
    { index: 'plain', start: 0, end: LENGTH / RATE, starts: [0, 1, 2.5, 4.9] },
  ])(
    'is shown to listeners with the length, levels and chapters of $index',
    async ({ index, end, starts, start = START / RATE }) => {
      const track = await shared(index)
      expect(track.durationSeconds).toBeCloseTo(end - start, 2)
      const startTimes: number[] = track.chapters.map(({ startSeconds }: Json) => startSeconds)
      expect(startTimes).toEqual(starts.map((at) => expect.closeTo(at, 2)) as never)
      const place = (seconds: number) => (320 * seconds * RATE) / LENGTH
      expect(track.levels).toEqual(files.waveform.data.levels.slice(Math.floor(place(start)), Math.ceil(place(end))))
    },
  )

  test('has its span in GraphQL', async () => {
    const query = `query ($id: ID!) { track(id: $id) { files { variant { index } props { ... on TranscodeProps {
      isTrimSilence captureStart captureEnd } } } } }`
    const { json } = await post(service, query, { id }, { key: service.demo.api_key })
    const propsOf = (index: string) => json.data.track.files.find((file: Json) => file.variant.index === index).props
    expect(propsOf('trim')).toEqual({
      isTrimSilence: true,
      captureStart: files.trim.props.capture_start,
      captureEnd: files.trim.props.capture_end,
    })
    expect(propsOf('plain')).toEqual({ isTrimSilence: null, captureStart: null, captureEnd: null })
  })
})

test('a recording without silence at its ends has the same file as without the parameter', async () => {
  const sound = await makeMedia(['-f', 'lavfi', '-i', noise(RATE), '-ac', '2'], 'wav')
  const { files } = await processed(service, sound, 'whole.wav')
  expect(await Bun.file(await save(files.trim)).bytes()).toEqual(await Bun.file(await save(files.plain)).bytes())
  expect(files.trim.props).not.toHaveProperty('capture_start')
}, 30_000)

test('a silent recording is kept whole, with a note', async () => {
  const silence = `${noise(RATE)},volume=-61dB`
  const { files, track } = await processed(
    service,
    await makeMedia(['-f', 'lavfi', '-i', silence], 'wav'),
    'silent.wav',
  )
  expect(track.track_status_id).toBe('ready')
  for (const index of ['trim', 'flac', 'clip'])
    expect(files[index]).toMatchObject({ is_success: true, status_code: 'silence_kept' })
  expect(files.plain.status_code).toBeNull()
  expect(samplesOf(await save(files.flac)).length).toBe(2 * RATE)
}, 30_000)

describe('the span of the sound', () => {
  const spanOf = (leading: number, trailing: number, duration: number) => {
    const silence = { leading_silence_seconds: leading, trailing_silence_seconds: trailing }
    return spanOfSound(silence as Parameters<typeof spanOfSound>[0], duration)
  }
  test.each([
    ['silence at both ends', 2, 3, 10, { startSeconds: 1.95, durationSeconds: 5.55 }],
    ['less silence than is left', 0.04, 0.4, 10, { startSeconds: 0, durationSeconds: 10 }],
    ['one sample of sound at the end', 9.999_99, 0, 10, { startSeconds: 9.949_99, durationSeconds: 0.050_01 }],
    ['silence only', 10, 0, 10, null],
    ['silence only, of a length that is rounded', 1.234_568, 0, 1.234_567_9, null],
  ])('of %s', (_, leading, trailing, duration, expected) => {
    const range = spanOf(leading, trailing, duration)
    expect(range && Object.values(range).map((value) => value.toFixed(6))).toEqual(
      expected && Object.values(expected).map((value) => value.toFixed(6)),
    )
  })

  test('is cut at whole samples', () => {
    expect(cutFilters({ startSeconds: 1.00001, durationSeconds: 2 }, 44_100)).toEqual([
      'atrim=start_sample=44100:end_sample=132300',
      'asetpts=PTS-STARTPTS',
    ])
  })
})
