import { beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import WaveformData from 'waveform-data'
import { unique } from '../../spec/support.ts'
import { signIn } from '../../support/administrators.ts'
import { makeMedia, measure } from '../../support/audio.ts'
import { runTask } from '../../support/jobs.ts'
import { referencePeaks, upperHalf } from '../../support/peaks.ts'
import { type Processed, processed, readTrack } from '../../support/processed.ts'
import { makeEntriesDue } from '../../support/queue.ts'
import { type Json, uploadTrack, useTestService } from '../../support/service.ts'
import { soundTools } from '../../support/tools.ts'
import { variantsAs, withVariants } from '../../support/variants.ts'

const service = useTestService(undefined, soundTools)
let variants: ReturnType<typeof variantsAs>
let sound: Uint8Array<ArrayBuffer>
let processedTrack: Processed
beforeAll(async () => {
  variants = variantsAs(service, (await signIn(service)).token)
  const input = 'aevalsrc=0.7*sin(440*2*PI*t)*t|0.4*sin(330*2*PI*t)+0.3:s=44100:d=1.5'
  sound = await makeMedia(['-f', 'lavfi', '-i', input], 'wav')
  processedTrack = await processed(service, sound, 'a.wav')
}, 60_000)

const bytesOf = async (url: string) => {
  const answer = await service.fetchEdge(url)
  expect(answer.status).toBe(200)
  return answer.arrayBuffer()
}
const jsonOf = async (waveform: Json) => JSON.parse(Buffer.from(await bytesOf(waveform.json.url)).toString())
const waveformOf = ({ files }: Processed, index = 'waveform') => files[index].data.waveform
const keep = (where: object) =>
  service.services.db.variant.updateMany({ where: { NOT: where }, data: { deletedAt: new Date() } })
const restore = () => service.services.db.variant.updateMany({ data: { deletedAt: null } })

/** The waveform must be that of these delivered bytes. */
async function expectTakenFrom(waveform: Json, bytes: ArrayBuffer | Uint8Array) {
  const { samples_per_pixel: scale, bits } = waveform
  const isSplit = waveform.channels === 2
  // Only the edit list of an MP4 file, which ffprobe reports, tells where its sound ends.
  const { codec, durationSeconds } = await measure(bytes)
  const seconds = codec === 'aac' ? durationSeconds : undefined
  const { sampleRate, channels, length, data } = await referencePeaks(bytes, scale, { seconds, isSplit })
  const expected = {
    version: 2,
    channels,
    sample_rate: sampleRate,
    samples_per_pixel: scale,
    bits,
    length,
    data: bits === 8 ? upperHalf(data) : data,
  }
  expect(await jsonOf(waveform)).toEqual(expected)
  const { data: _, ...described } = expected
  expect(waveform).toMatchObject(described)
  const dat = WaveformData.create(await bytesOf(waveform.dat.url))
  const each = Array.from({ length: channels }, (_, channel) => dat.channel(channel))
  const pixels = Array.from({ length }, (_, i) =>
    each.flatMap((channel) => [channel.min_sample(i), channel.max_sample(i)]),
  )
  expect(pixels.flat()).toEqual(expected.data)
  expect([dat.sample_rate, dat.scale, dat.bits, dat.length, dat.channels]).toEqual([
    sampleRate,
    scale,
    bits,
    length,
    channels,
  ])
}

test('the stored waveform of a recording with silence is complete', async () => {
  const half = `'if(lt(t,2),0,0.8*sin(440*2*PI*t))'`
  const recording = await makeMedia(['-f', 'lavfi', '-i', `aevalsrc=${half}|${half}:s=44100:d=4`], 'wav')
  const processedRecording = await processed(service, recording, 'half.wav')
  const waveform = waveformOf(processedRecording)
  const { length, data } = await jsonOf(waveform)
  expect([length, data.length, data.at(0), data.slice(-100).some(Boolean)]).toEqual([690, 1380, 0, true])
  await expectTakenFrom(waveform, await bytesOf(processedRecording.files.hq.url))
})

test('measures the waveform of the first transcode and names it', async () => {
  const waveform = waveformOf(processedTrack)
  expect(waveform).toMatchObject({ sample_rate: 44_100, samples_per_pixel: 256, bits: 8, variant_index: 'hq' })
  // As long as the recording: what the AAC encoder adds at the end is not drawn.
  expect(waveform.length).toBe(Math.ceil((1.5 * 44_100) / 256))
  await expectTakenFrom(waveform, await bytesOf(processedTrack.files.hq.url))
  expect(waveform.json.path).toBe(`${processedTrack.track.base_path}_waveform.peaks.json`)
  expect(waveform.dat.path).toBe(`${processedTrack.track.base_path}_waveform.dat`)
  // The file itself contains the levels only.
  const { waveform: _, ...levels } = processedTrack.files.waveform.data
  expect(JSON.parse(Buffer.from(await bytesOf(processedTrack.files.waveform.url)).toString())).toEqual(levels)
})

test.each([
  ['json', 'application/json'],
  ['dat', 'application/octet-stream'],
])('delivers the %s form as %s, with checksum, ranges and CORS', async (part, type) => {
  const { url, size, sha256, type: told } = waveformOf(processedTrack)[part]
  const bytes = Buffer.from(await bytesOf(url))
  expect([told, bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([type, size, sha256])
  const get = (headers: Record<string, string>, method = 'GET') => service.fetchEdge(url, { headers, method })
  const range = await get({ range: 'bytes=3-9', origin: 'https://player.test' })
  expect([range.status, range.headers.get('content-range')]).toEqual([206, `bytes 3-9/${size}`])
  expect(Buffer.from(await range.arrayBuffer())).toEqual(bytes.subarray(3, 10))
  const head = await get({}, 'HEAD')
  expect(Object.fromEntries(head.headers)).toMatchObject({
    'content-type': type,
    'content-length': String(size),
    etag: `"${sha256}"`,
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
  })
  expect((await get({ 'if-none-match': `"${sha256}"` })).status).toBe(304)
  expect((await service.fetchEdge(url.replace(/verify=.*/, 'verify=1-x'))).status).toBe(403)
})

test('shows the same in GraphQL for the file and the track, with valid URLs', async () => {
  const parts = '{ url path type size sha256 }'
  const fields = `waveform { version channels sampleRate samplesPerPixel bits length variantIndex json ${parts} dat ${parts} }`
  const query = `query ($id: ID!) { track(id: $id) { levels { ${fields} }
    files { variant { index } data { ... on LevelsData { ${fields} } } } } }`
  const { data } = await service.graphql(query, { id: processedTrack.id })
  const file = data.track.files.find((entry: Json) => entry.variant.index === 'waveform')
  expect(file.data.waveform).toEqual(data.track.levels.waveform)
  const { json, dat, ...rest } = data.track.levels.waveform
  const told = waveformOf(processedTrack)
  expect(rest).toEqual({
    version: 2,
    channels: 1,
    bits: 8,
    length: told.length,
    variantIndex: 'hq',
    sampleRate: told.sample_rate,
    samplesPerPixel: told.samples_per_pixel,
  })
  expect((await bytesOf(json.url)).byteLength).toBe(told.json.size)
  expect((await bytesOf(dat.url)).byteLength).toBe(told.dat.size)
})

describe('a waveform for an existing track', () => {
  const apply = async (input: object) => {
    const { variant } = await variants.create({ variantTypeId: 'LEVELS', index: unique('w'), ...input })
    await variants.apply(variant.id)
    await service.runJobs()
    return { index: variant.index, variant: variant.id, ...(await readTrack(service, processedTrack.id)) }
  }

  test('is measured on the stored transcode with its own parameters', async () => {
    const { index, ...track } = await apply({ samplesPerPixel: 1000, bits: 16, numSamples: 10 })
    expect(waveformOf(track, index)).toMatchObject({ variant_index: 'hq', bits: 16, samples_per_pixel: 1000 })
    await expectTakenFrom(waveformOf(track, index), await bytesOf(track.files.hq.url))
  })

  test('has left and right apart in two channels, and one channel of a mono file', async () => {
    const { index, variant, ...track } = await apply({ waveformChannels: 2, bits: 16 })
    expect(waveformOf(track, index)).toMatchObject({ channels: 2, length: waveformOf(processedTrack).length })
    await expectTakenFrom(waveformOf(track, index), await bytesOf(track.files.hq.url))
    const query = `query ($id: ID!) { track(id: $id) { files { variant { index }
      data { ... on LevelsData { waveform { channels length } } } props { ... on LevelsProps { waveformChannels } } } } }`
    const { data } = await service.graphql(query, { id: processedTrack.id })
    expect(data.track.files.find((entry: Json) => entry.variant.index === index)).toMatchObject({
      data: { waveform: { channels: 2, length: waveformOf(processedTrack).length } },
      props: { waveformChannels: 2 },
    })
    const mono = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=0.1:r=44100'], 'wav')
    const single = await processed(service, mono, 'mono.wav')
    expect(waveformOf(single, index)).toMatchObject({ channels: 1, length: Math.ceil(4410 / 256) })
    await expectTakenFrom(waveformOf(single, index), await bytesOf(single.files.hq.url))
    await variants.remove(variant)
  })

  test('is rebuilt after a change; a rename moves its sibling files', async () => {
    const { variant, index, ...before } = await apply({})
    await variants.update(variant, { samplesPerPixel: 512 })
    await variants.apply(variant)
    await service.runJobs()
    const after = waveformOf(await readTrack(service, processedTrack.id), index)
    expect(after.length).toBe(Math.ceil(waveformOf(before, index).length / 2))
    expect(after.json.path).toBe(waveformOf(before, index).json.path)
    await variants.update(variant, { index: `${index}_new` })
    await variants.apply(variant)
    await service.runJobs()
    const renamed = await readTrack(service, processedTrack.id)
    const moved = waveformOf(renamed, `${index}_new`)
    expect(moved.dat.path).toBe(`${renamed.track.base_path}_${index}_new.dat`)
    await expectTakenFrom(moved, await bytesOf(renamed.files.hq.url))
    expect((await service.fetchEdge(after.json.url)).status).toBe(403)
  })

  test('is measured on the next transcode when the bytes of the first are missing', async () => {
    const { storageKey } = await service.services.db.trackFile.findUniqueOrThrow({
      where: { id: processedTrack.files.hq.id },
    })
    const objectBytes = await service.objects.read(storageKey ?? '')
    await service.objects.remove(storageKey ?? '')
    const { index, ...track } = await apply({})
    await service.objects.write(storageKey ?? '', objectBytes ?? new Uint8Array())
    expect(waveformOf(track, index)).toMatchObject({ variant_index: 'lq', sample_rate: 48_000 })
    await expectTakenFrom(waveformOf(track, index), await bytesOf(track.files.lq.url))
  })
})

test('waits for a transcode that is made at the same time', async () => {
  const track = await withVariants(service, ['hq', 'waveform'], () => processed(service, sound, 'a.wav'))
  expect(waveformOf(track).variant_index).toBe('hq')
  await expectTakenFrom(waveformOf(track), await bytesOf(track.files.hq.url))
})

describe('without the first transcode', () => {
  test('measures the recording, with averaged channels, when there is no transcode', async () => {
    await keep({ OR: [{ index: 'waveform' }, { index: 'preview' }] })
    const six = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=1:r=32000', '-af', 'pan=5.1|c0=c0|c5=0.5*c0'], 'flac')
    const track = await processed(service, six, 'a.flac')
    await restore()
    expect(waveformOf(track)).toMatchObject({ variant_index: null, sample_rate: 32_000 })
    await expectTakenFrom(waveformOf(track), six)
  })

  test('measures two channels of a surround recording on its stereo downmix', async () => {
    const { variant } = await variants.create({ variantTypeId: 'LEVELS', index: 'sides', waveformChannels: 2 })
    await keep({ index: 'sides' })
    const six = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=1:r=32000', '-af', 'pan=5.1|c0=c0|c1=0.5*c0'], 'flac')
    const front = await makeMedia(
      ['-f', 'lavfi', '-i', 'sine=d=1:r=32000', '-af', 'pan=stereo|c0=c0|c1=0.5*c0'],
      'flac',
    )
    const track = await processed(service, six, 'a.flac')
    await restore()
    expect(waveformOf(track, 'sides')).toMatchObject({ variant_index: null, channels: 2, length: 125 })
    const { data } = await jsonOf(waveformOf(track, 'sides'))
    const reference = upperHalf((await referencePeaks(front, 256, { isSplit: true })).data)
    expect(data).toHaveLength(reference.length)
    // The gain of a downmix has two decimals of a decibel.
    for (const [i, value] of reference.entries()) expect(Math.abs(value - data[i])).toBeLessThanOrEqual(1)
    await variants.remove(variant.id)
  })

  test('measures the next transcode when the first failed', async () => {
    const { db } = service.services
    const hq = await db.variant.findFirstOrThrow({ where: { index: 'hq' } })
    await db.variant.update({ where: { id: hq.id }, data: { props: { ...(hq.props as object), bitrate: -5 } } })
    const track = await processed(service, sound, 'a.wav')
    await db.variant.update({ where: { id: hq.id }, data: { props: hq.props as object } })
    expect(track.files.hq.is_success).toBe(false)
    expect(waveformOf(track)).toMatchObject({ variant_index: 'lq', sample_rate: 48_000 })
    await expectTakenFrom(waveformOf(track), await bytesOf(track.files.lq.url))
  })
})

test('an attempt that fails leaves its keys on the purge list until the next attempt names them', async () => {
  const id = await uploadTrack(service, sound)
  const { storage, db } = service.services
  const put: typeof storage.put = async (key, ...rest) => {
    await storage.put(key, ...rest)
    if (key.endsWith('.dat')) throw new Error('failed')
  }
  const job = await db.job.findFirstOrThrow({ where: { trackId: id } })
  await runTask({ ...service.services, storage: { ...storage, put } }, 'process_track', { jobId: job.id })
  const listed = async () =>
    (await db.unusedObject.findMany({ where: { key: { contains: id } } })).map(({ key }) => key)
  const names = (keys: string[]) => keys.map((key) => key.slice(key.indexOf('.'))).sort()
  expect(names(await listed())).toEqual(expect.arrayContaining(['.dat', '.json', '.peaks.json']))
  await makeEntriesDue(service.services.pool)
  await service.runJobs()
  expect((await readTrack(service, id)).track.track_status_id).toBe('ready')
  expect(names(await listed())).toEqual([])
}, 30_000)

test('removes all forms with a deleted track', async () => {
  const { id, files } = await processed(service, sound, 'gone.wav')
  const { storageKey } = await service.services.db.trackFile.findUniqueOrThrow({ where: { id: files.waveform.id } })
  const stem = storageKey?.replace(/\.json$/, '') ?? ''
  const there = () => Promise.all(['.json', '.peaks.json', '.dat'].map((end) => service.objects.has(stem + end)))
  // A day later nothing of it has been taken for unused.
  service.clock.now = new Date(Date.now() + 2 * 86_400_000)
  await runTask(service.services, 'purge_deleted')
  expect(await there()).toEqual([true, true, true])
  service.clock.now = null
  await service.v1('DELETE', `/track/${id}`)
  service.clock.now = new Date(Date.now() + 8 * 86_400_000)
  await runTask(service.services, 'purge_deleted')
  service.clock.now = null
  expect(await there()).toEqual([false, false, false])
}, 30_000)
