import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { makeMedia, measure } from '../../support/audio.ts'
import { measureImage, streamsOf } from '../../support/image.ts'
import { runTask } from '../../support/jobs.ts'
import { decodePicture } from '../../support/picture.ts'
import { eventsOf, type Processed, processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { soundTools } from '../../support/tools.ts'

const SECONDS = 4
const ORANGE = [255, 136, 0]
const VIDEO = { width: 640, height: 360, fps: 5, color: '#ff8800', bar_gap: 0, is_rounded: false }
/** The waveform of a video is between its margins. */
const INNER = { left: 40, right: 600 }

const service = useTestService(undefined, soundTools)
/** Silence, then a tone from the middle on. */
let sound: Uint8Array<ArrayBuffer>
let processedTrack: Processed

function addVariant(type: 'waveform_image' | 'waveform_video', index: string, props: object) {
  const { organization_id: organizationId } = service.demo
  return insertVariant(service.services.db, {
    organizationId,
    trackId: null,
    type,
    index,
    props: resolveProps(type, props),
  })
}

const bytesOf = async (file: Json) => (await service.fetchEdge(file.url)).arrayBuffer()

/** Root mean square of the first and the second half, decoded; a little around the cut is left out. */
async function loudness(bytes: Uint8Array<ArrayBuffer>) {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-heard-'))
  try {
    await Bun.write(join(folder, 'sound'), bytes)
    const raw = await makeMedia(['-i', join(folder, 'sound'), '-ac', '1', '-f', 'f32le', '-c:a', 'pcm_f32le'], 'raw')
    const samples = new Float32Array(raw.buffer, 0, Math.floor(raw.length / 4))
    const rms = (from: number, to: number) => {
      const part = samples.subarray(Math.floor(from * samples.length), Math.floor(to * samples.length))
      return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length)
    }
    return { first: rms(0.05, 0.45), second: rms(0.55, 0.95) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Colours of a film are stored with less precision than a picture's. */
function expectNear(pixel: readonly number[], expected: readonly number[], what: string) {
  const distance = Math.max(...expected.map((part, i) => Math.abs(part - (pixel[i] ?? 0))))
  expect(distance, `${what}: ${pixel} for ${expected}`).toBeLessThan(12)
}

beforeAll(async () => {
  await addVariant('waveform_image', 'picture', {})
  await addVariant('waveform_image', 'vector', { format: 'svg' })
  await addVariant('waveform_image', 'banner', { width: 300, height: 50, color: '#f80', background_color: '#000080' })
  await addVariant('waveform_video', 'film', VIDEO)
  const { organization_id, collection_id } = service.demo
  await service.v1('PUT', `/organization/${organization_id}`, { body: { player_color: '#112233' } })
  await service.v1('PUT', `/collection/${collection_id}`, { body: { player_color: null } })
  const half = `'if(lt(t,${SECONDS / 2}),0,0.5*sin(2*PI*440*t))'`
  sound = await makeMedia(['-f', 'lavfi', '-i', `aevalsrc=${half}|${half}:s=44100:d=${SECONDS}`], 'wav')
  processedTrack = await processed(service, sound, 'half.wav')
}, 60_000)

describe('an image', () => {
  test('is a PNG of the requested size and type', async () => {
    const { picture, banner } = processedTrack.files
    expect(processedTrack.track.track_status_id).toBe('ready')
    expect(await measureImage(await bytesOf(picture))).toEqual({ codec: 'png', width: 1800, height: 280 })
    expect(await measureImage(await bytesOf(banner))).toEqual({ codec: 'png', width: 300, height: 50 })
    expect(picture).toMatchObject({ is_success: true, content_type: 'image/png', file_name: 'half.png' })
    expect(picture.path).toEndWith('_picture.png')
    expect(picture.variant.variant_type).toMatchObject({ id: 'waveform_image', title: 'Waveform image' })
    expect((await service.fetchEdge(picture.url)).headers.get('content-type')).toBe('image/png')
  })

  test('is an SVG of the same size and data on request, and an inert document', async () => {
    const { vector, picture } = processedTrack.files
    expect(vector).toMatchObject({ is_success: true, content_type: 'image/svg+xml', file_name: 'half.svg' })
    expect([vector.path, vector.data]).toEqual([picture.path.replace('picture.png', 'vector.svg'), picture.data])
    expect(vector.props).toMatchObject({ format: 'svg', color: '#112233' })
    const answer = await service.fetchEdge(vector.url)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    })
    const text = await answer.text()
    expect(text).toStartWith('<svg xmlns="http://www.w3.org/2000/svg" width="1800" height="280" ')
    expect(text).toContain(' stroke="#112233"')
    // The first half is silent: thin lines, then bars.
    expect([text.match(/ 140H/g)?.length, text.match(/\dV/g)?.length]).toEqual([150, 150])
  })

  test('shows silence as a thin line and sound as full bars', async () => {
    const { at } = await decodePicture(await bytesOf(processedTrack.files.picture), 1800)
    const inked = (from: number, to: number) => {
      let count = 0
      for (let x = from; x < to; x++) for (let y = 0; y < 280; y++) count += (at(x, y)[3] ?? 0) > 127 ? 1 : 0
      return count / ((to - from) * 280)
    }
    expect(inked(0, 890)).toBeLessThan(0.01)
    // Bars of four pixels with gaps of two.
    expect(inked(910, 1800)).toBeWithin(0.62, 0.68)
    expect(at(0, 0)[3]).toBe(0)
  })

  test('has the requested colors, and a transparent background by default', async () => {
    const [banner, picture] = [
      await decodePicture(await bytesOf(processedTrack.files.banner), 300),
      await decodePicture(await bytesOf(processedTrack.files.picture), 1800),
    ]
    // The banner's bars are the picture's: the middle of the 45th is at 45 * 6 + 2.
    expect(banner.at(272, 25)).toEqual([...ORANGE, 255])
    expect(banner.at(275, 25)).toEqual([0, 0, 128, 255])
    expect(picture.at(1 + 1202, 140)).toEqual([0x11, 0x22, 0x33, 255])
  })

  test('describes the drawing in data and props', () => {
    const { picture, banner } = processedTrack.files
    const size = { width: 300, height: 50 }
    expect(banner.data).toEqual({ ...size, num_bars: 50, color: '#ff8800', background_color: '#000080' })
    expect(banner.props).toMatchObject({ ...size, color: '#ff8800', bar_width: 4 })
    expect(picture.data).toMatchObject({ num_bars: 300, color: '#112233', background_color: null })
    expect(picture.props).toMatchObject({ color: '#112233', background_color: null, is_rounded: true })
  })

  test('uses the color of the track, else the collection, else the organization', async () => {
    const { collection_id } = service.demo
    await service.v1('PUT', `/collection/${collection_id}`, { body: { player_color: '#00aa00' } })
    const body = { collection_id, file_name: 'own.wav' }
    const created = await service.v1('POST', '/track', { body })
    await service.v1('PUT', `/track/${created.json.track_id}`, { body: { player_color: '#aa0000' } })
    await service.fetchEdge(created.json.track_upload.upload_url, { method: 'PUT', body: new Blob([sound]) })
    const { files: inherited } = await processed(service, sound, 'inherits.wav')
    const ownFiles = (await service.v1('GET', `/track/${created.json.track_id}`)).json.files as Json[]
    expect(inherited.picture.data.color).toBe('#00aa00')
    expect(ownFiles.find(({ variant }) => variant.index === 'picture').data.color).toBe('#aa0000')
    // A parameter that the recipe sets is not inherited.
    expect(inherited.film.props.color).toBe('#ff8800')
    const variants = (await service.v1('GET', '/variant')).json.variants as Json[]
    expect(variants.find(({ index }) => index === 'picture').props.color).toBeNull()
  }, 30_000)
})

describe('a video', () => {
  test('is H.264 and AAC of the requested size and the length of the recording', async () => {
    const { film } = processedTrack.files
    const streams = await streamsOf(await bytesOf(film))
    const [video, audio] = ['video', 'audio'].map((type) => streams.find(({ codec_type }) => codec_type === type))
    expect(video).toMatchObject({ codec_name: 'h264', width: 640, height: 360, pix_fmt: 'yuv420p', nb_frames: '20' })
    expect(video.r_frame_rate).toBe('5/1')
    expect(['Constrained Baseline', 'Baseline', 'Main']).toContain(video.profile)
    expect(audio).toMatchObject({ codec_name: 'aac', channels: 2 })
    for (const { duration } of [video, audio]) expect(Math.abs(Number(duration) - SECONDS)).toBeLessThan(0.05)
    expect(Math.abs((await measure(await bytesOf(film))).durationSeconds - SECONDS)).toBeLessThan(0.05)
    expect(film).toMatchObject({ content_type: 'video/mp4', file_name: 'half.mp4' })
    expect(film.data).toEqual({ width: 640, height: 360, fps: 5, duration: SECONDS })
    expect(film.variant.variant_type).toMatchObject({ id: 'waveform_video', title: 'Waveform video' })
  })

  test('has its index at the front, so that it plays before it is loaded', async () => {
    const text = Buffer.from(await bytesOf(processedTrack.files.film)).toString('latin1')
    expect(text.indexOf('moov')).toBeWithin(4, text.indexOf('mdat'))
  })

  test('sounds like the recording', async () => {
    const filmLoudness = await loudness(new Uint8Array(await bytesOf(processedTrack.files.film)))
    const sourceLoudness = await loudness(sound)
    expect(filmLoudness.first).toBeLessThan(0.01)
    // The AAC encoder of 2018 takes off a fifth of a decibel.
    expect(filmLoudness.second).toBeCloseTo(sourceLoudness.second, 1)
    expect(sourceLoudness.second).toBeGreaterThan(0.3)
  })

  test('colors the bars up to the playhead', async () => {
    const bytes = await bytesOf(processedTrack.files.film)
    const dim = ORANGE.map((part) => part * 0.35)
    const middle = (INNER.left + INNER.right) / 2
    // The loud half fills the right of the middle; each column there is played once the playhead has passed it.
    for (const [seconds, playhead] of [
      [0, INNER.left],
      [2.2, INNER.left + (INNER.right - INNER.left) * (2.2 / SECONDS)],
      [3, INNER.left + (INNER.right - INNER.left) * (3 / SECONDS)],
    ] as const) {
      const { at } = await decodePicture(bytes, 640, seconds)
      for (const y of [100, 180, 260]) {
        for (const x of [middle + 6, 400, 450, 470, 550, 590]) {
          if (Math.abs(x - playhead) < 4) continue
          expectNear(at(x, y), x < playhead ? ORANGE : dim, `${seconds} s, ${x}, ${y}`)
        }
      }
      expectNear(at(500, 80), [0, 0, 0], 'above the bars')
      expectNear(at(620, 180), [0, 0, 0], 'in the margin')
      expectNear(at(200, 120), [0, 0, 0], 'where it is silent')
    }
  })
})

test('makes the smallest and the largest video of the shortest recording', async () => {
  const { db } = service.services
  const small = await addVariant('waveform_video', 'small', { width: 128, height: 128, fps: 1, bar_width: 64 })
  const large = await addVariant('waveform_video', 'large', { width: 1920, height: 1080, fps: 30, bitrate: 320 })
  const short = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=0.3:r=22050', '-c:a', 'libmp3lame'], 'mp3')
  const { track, files } = await processed(service, short, 'a.mp3')
  expect(track.track_status_id).toBe('ready')
  for (const [index, width, height] of [
    ['small', 128, 128],
    ['large', 1920, 1080],
  ] as const) {
    const streams = await streamsOf(await bytesOf(files[index]))
    expect(streams.find(({ codec_type }) => codec_type === 'video')).toMatchObject({ width, height })
    const { duration } = streams.find(({ codec_type }) => codec_type === 'audio')
    expect(Math.abs(Number(duration) - track.duration)).toBeLessThan(0.05)
  }
  await db.variant.updateMany({ where: { id: { in: [small.id, large.id] } }, data: { deletedAt: new Date() } })
}, 30_000)

test('makes a track incomplete when a video fails, with the reason on that file', async () => {
  const { db } = service.services
  // No rule lets it in, and no encoder takes it: H.264 in this form has no odd widths.
  const props = { ...resolveProps('waveform_video', {}), width: 641 } as object
  const { organization_id: organizationId } = service.demo
  const broken = await db.variant.create({ data: { organizationId, type: 'waveform_video', index: 'odd', props } })
  const { id, track, files } = await processed(service, sound, 'a.wav')
  await db.variant.update({ where: { id: broken.id }, data: { deletedAt: new Date() } })
  expect(track.track_status_id).toBe('incomplete')
  expect(files.odd).toMatchObject({ is_success: false, url: null, data: null })
  expect(files.odd.status_text).toMatch(/could not be generated/)
  expect(files.odd.status_text).not.toMatch(/ffmpeg|\/tmp|264/)
  for (const index of ['hq', 'preview', 'waveform', 'picture', 'film']) expect(files[index].is_success).toBe(true)
  const events = await eventsOf(service, id)
  expect(events.filter(({ type }) => type === 'track_file.failed')).toHaveLength(1)
  // The one pass over the sound did not suffer.
  expect(events.at(-1)?.data).toMatchObject({ status: 'incomplete', previous_status: 'processing' })
}, 30_000)

test('makes a track an error when no file plays, regardless of drawings', async () => {
  const { db } = service.services
  const playing = { type: { in: ['transcode' as const, 'preview' as const] }, trackId: null }
  await db.variant.updateMany({ where: playing, data: { deletedAt: new Date() } })
  const { organization_id: organizationId } = service.demo
  const props = { ...resolveProps('transcode', { codec: 'opus' }), bitrate: -5 } as object
  const broken = await db.variant.create({ data: { organizationId, type: 'transcode', index: 'broken', props } })
  const { track, files } = await processed(service, sound, 'a.wav')
  await db.variant.update({ where: { id: broken.id }, data: { deletedAt: new Date() } })
  await db.variant.updateMany({ where: { ...playing, id: { not: broken.id } }, data: { deletedAt: null } })
  expect([files.picture.is_success, files.film.is_success]).toEqual([true, true])
  expect(track.track_status_id).toBe('error')
}, 30_000)

test('removes drawings with the other bytes of a deleted track', async () => {
  const { id, files } = await processed(service, sound, 'gone.wav')
  const drawn = { id: { in: [files.picture.id, files.film.id] } }
  const rows = await service.services.db.trackFile.findMany({ where: drawn })
  const there = () => Promise.all(rows.map(({ storageKey }) => service.objects.has(storageKey ?? '')))
  expect(await there()).toEqual([true, true])
  await service.v1('DELETE', `/track/${id}`)
  service.clock.now = new Date(Date.now() + 8 * 86_400_000)
  await runTask(service.services, 'purge_deleted')
  service.clock.now = null
  expect(await there()).toEqual([false, false])
}, 30_000)
