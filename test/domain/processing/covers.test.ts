import { beforeAll, describe, expect, test } from 'bun:test'
import type { Services } from '../../../src/platform/context.ts'
import { makeMedia, tone } from '../../support/audio.ts'
import { measureImage } from '../../support/image.ts'
import { exhaust, failingFromPut, runTask } from '../../support/jobs.ts'
import { eventsOf, type Processed, processed, readTrack } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'

type Bytes = Uint8Array<ArrayBuffer>
const service = useTestService()
let plain: Bytes
let withRed: Bytes
let blue: Bytes
let green: Bytes

const image = (color: string, size: string, extension = 'png') =>
  makeMedia(['-f', 'lavfi', '-i', `color=c=${color}:s=${size}`, '-frames:v', '1'], extension)

beforeAll(async () => {
  // Other variants are not generated: no test here reads their files.
  const index = { notIn: ['hq', 'cover'] }
  await service.services.db.variant.updateMany({ where: { index }, data: { deletedAt: new Date() } })
  plain = await tone(1.2)
  const red = ['-f', 'lavfi', '-i', 'color=c=red:s=800x800:d=1:r=1']
  const maps = ['-map', '0:a', '-map', '1:v', '-frames:v', '1', '-c:v', 'mjpeg', '-disposition:v', 'attached_pic']
  withRed = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=1.2', ...red, ...maps, '-c:a', 'libmp3lame'], 'mp3')
  blue = await image('blue', '2000x1500')
  green = await image('0x00ff00', '300x100', 'jpg')
}, 60_000)

async function newTrack(): Promise<Json> {
  const body = { collection_id: service.demo.collection_id, file_name: 'a.mp3' }
  return (await service.v1('POST', '/track', { body })).json
}
async function send(handle: Json, body: Bytes): Promise<void> {
  const { status } = await service.fetchEdge(handle.upload_url, { method: handle.method, body })
  expect(status).toBe(200)
}
const read = async (url: string) => (await service.fetchEdge(url)).arrayBuffer()

/** Types of the events of a track's cover, oldest first. */
async function coverEvents(id: string): Promise<string[]> {
  const events = await eventsOf(service, id)
  return events.filter(({ data }) => data.file?.variant.index === 'cover').map(({ type }) => type)
}

/** Which of the three colours a track's cover has, by its theme and by its record. */
function colorOf({ track, files }: Processed): string | null {
  if (!files.cover?.is_success) return null
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(track.theme[0].hex.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ]
  return r > 200 && g < 60 && b < 60
    ? 'red'
    : b > 200 && r < 60 && g < 60
      ? 'blue'
      : g > 200 && r < 60
        ? 'green'
        : 'other'
}

describe('a cover', () => {
  test('is absent for a track without one, which is ready without cover file and theme', async () => {
    const { track, files } = await processed(service, plain, 'plain.wav')
    expect([track.track_status_id, track.theme, 'cover' in files]).toEqual(['ready', [], false])
  })

  test('has four sizes with its proportions, and a theme', async () => {
    const { track_id: id, track_upload, track_cover_upload } = await newTrack()
    await send(track_cover_upload, blue)
    await send(track_upload, plain)
    await service.runJobs()
    const { track, files } = await readTrack(service, id)
    expect(track.track_status_id).toBe('ready')
    expect(files.cover).toMatchObject({ content_type: 'image/jpeg', is_success: true })
    const sizes = { icon: [64, 48], small: [200, 150], regular: [500, 375], large: [1200, 900] } as const
    const addresses = ['icon', 'small', 'regular', 'large'].map((size) => `${size} { url webp { url } }`).join(' ')
    const { data } = await service.graphql(`{ track(id: "${id}") { coverImage { ${addresses} } } }`)
    const urls = data.track.coverImage
    // A purge leaves alone what is delivered, the small ones too.
    service.clock.now = new Date(Date.now() + 8 * 86_400_000)
    await runTask(service.services, 'purge_deleted')
    service.clock.now = null
    for (const [size, [width, height]] of Object.entries(sizes)) {
      const entry = files.cover.data[size]
      expect([size, entry.width, entry.height]).toEqual([size, width, height])
      const bytes = await read(urls[size].url)
      expect(await measureImage(bytes)).toEqual({ codec: 'mjpeg', width, height })
      expect(entry.size).toBe(bytes.byteLength)
      const webp = await read(urls[size].webp.url)
      expect(await measureImage(webp)).toEqual({ codec: 'webp', width, height })
      expect(entry.webp).toMatchObject({ width, height, type: 'image/webp', size: webp.byteLength })
    }
    expect(await measureImage(await read(files.cover.url))).toMatchObject({ width: 1200, height: 900 })
    expect(track.theme[0]).toMatchObject({
      area: 1,
      lightness: expect.closeTo(0.5, 1),
      saturation: expect.closeTo(1, 1),
    })
    expect(colorOf({ id, track, files })).toBe('blue')
  })

  test('is never enlarged', async () => {
    const { track_id: id, track_upload, track_cover_upload } = await newTrack()
    await send(track_cover_upload, green)
    await send(track_upload, plain)
    await service.runJobs()
    const { data } = (await readTrack(service, id)).files.cover
    const sizes = [data.icon, data.small, data.regular, data.large].map(({ width, height }) => `${width}x${height}`)
    expect(sizes).toEqual(['64x21', '200x66', '300x100', '300x100'])
  })

  test('has a theme ordered by area, largest first', async () => {
    const halves = await makeMedia(
      [
        ...['-f', 'lavfi', '-i', 'color=c=0xff0000:s=400x400', '-f', 'lavfi', '-i', 'color=c=0x0000ff:s=400x120'],
        ...['-filter_complex', 'overlay=0:280', '-frames:v', '1'],
      ],
      'png',
    )
    const { track_id: id, track_upload, track_cover_upload } = await newTrack()
    await send(track_cover_upload, halves)
    await send(track_upload, plain)
    await service.runJobs()
    const { theme } = (await readTrack(service, id)).track
    expect(theme[0].area).toBeCloseTo(0.7, 1)
    expect(theme[1].area).toBeCloseTo(0.3, 1)
    expect(theme[0].hex).toMatch(/^#f.0.0.$/)
    expect(theme[1].hex).toMatch(/^#0.0.f.$/)
    const areas = theme.map(({ area }: Json) => area)
    expect(areas).toEqual(areas.toSorted((a: number, b: number) => b - a))
    expect(areas.reduce((sum: number, area: number) => sum + area, 0)).toBeWithin(0.9, 1.01)
  })
})

describe('an uploaded cover takes precedence over the embedded one', () => {
  test('uses the embedded cover when none is uploaded', async () => {
    expect(colorOf(await processed(service, withRed, 'red.mp3'))).toBe('red')
  })

  test('uses a cover that was uploaded before the recording', async () => {
    const { track_id: id, track_upload, track_cover_upload } = await newTrack()
    await send(track_cover_upload, blue)
    await service.runJobs()
    await send(track_upload, withRed)
    await service.runJobs()
    expect(colorOf(await readTrack(service, id))).toBe('blue')
    expect(await coverEvents(id)).toEqual(['track_file.created'])
  })

  test('sends one event for a cover that its own job and the first run both make', async () => {
    for (const first of ['process_track', 'process_cover'] as const) {
      const { track_id: id, track_upload, track_cover_upload } = await newTrack()
      await send(track_cover_upload, blue)
      await send(track_upload, withRed)
      const jobs = await service.services.db.job.findMany({ where: { trackId: id } })
      const jobId = (kind: string) => jobs.find((job) => job.kind === kind)?.id ?? ''
      const cover = () => runTask(service.services, 'process_cover', { jobId: jobId('process_track_cover') })
      const { storage } = service.services
      const put: typeof storage.put = async (key, ...rest) => {
        // The rows of the run exist now, and none of its files is published.
        if (first === 'process_cover' && key.endsWith('.m4a')) await cover()
        return storage.put(key, ...rest)
      }
      const services: Services = { ...service.services, storage: { ...storage, put } }
      await runTask(services, 'process_track', { jobId: jobId('process_track') })
      await service.runJobs()
      expect(colorOf(await readTrack(service, id)), first).toBe('blue')
      expect(await coverEvents(id), first).toEqual(['track_file.created'])
    }
  })

  test('uses a cover that is uploaded when the track is ready', async () => {
    const { id, files } = await processed(service, withRed, 'red.mp3')
    const before = await read(files.cover.url)
    const { json } = await service.v1('POST', `/track/${id}/cover`)
    await send(json.track_cover_upload, blue)
    await service.runJobs()
    const after = await readTrack(service, id)
    expect([after.track.track_status_id, colorOf(after)]).toEqual(['ready', 'blue'])
    expect(Buffer.from(await read(after.files.cover.url)).equals(Buffer.from(before))).toBe(false)
    expect(after.files.cover.data.regular).toMatchObject({ width: 500, height: 375 })
    expect(await coverEvents(id)).toEqual(['track_file.created', 'track_file.created'])
    const sent = (await eventsOf(service, id)).at(-1)?.data
    expect(sent).toMatchObject({ track_id: id, collection_id: service.demo.collection_id })
    expect([sent.file.id, sent.file.size]).toEqual([after.files.cover.id, after.files.cover.size])
  })

  test('sends an event for each upload, of the same picture too, and none when its job runs again', async () => {
    const { id } = await processed(service, plain, 'plain.wav')
    for (const count of [1, 2]) {
      const { json } = await service.v1('POST', `/track/${id}/cover`)
      await send(json.track_cover_upload, blue)
      const job = await service.services.db.job.findFirstOrThrow({ where: { trackId: id }, orderBy: { id: 'desc' } })
      // A second worker runs the same job, as after a lost connection.
      const runs = [1, 2].map(() => runTask(service.services, 'process_cover', { jobId: job.id }))
      await Promise.all(runs)
      await runTask(service.services, 'process_cover', { jobId: job.id })
      expect(await coverEvents(id)).toHaveLength(count)
    }
  })

  /** Processes a track while its cover arrives, and is made, on another worker, when a file of that name is stored. */
  async function coverMeanwhile(recording: Bytes, suffix: string): Promise<Processed> {
    const { track_id: id, track_upload, track_cover_upload } = await newTrack()
    await send(track_upload, recording)
    const { storage, db } = service.services
    const jobOf = (kind: 'process_track' | 'process_track_cover') =>
      db.job.findFirstOrThrow({ where: { trackId: id, kind }, select: { id: true } })
    let arrival: Promise<void> | undefined
    const arrive = async () => {
      await send(track_cover_upload, blue)
      await runTask(service.services, 'process_cover', { jobId: (await jobOf('process_track_cover')).id })
    }
    const put: typeof storage.put = async (key, ...rest) => {
      if (key.endsWith(suffix)) {
        arrival ??= arrive()
        await arrival
      }
      return storage.put(key, ...rest)
    }
    const services: Services = { ...service.services, storage: { ...storage, put } }
    await runTask(services, 'process_track', { jobId: (await jobOf('process_track')).id })
    expect(arrival).toBeDefined()
    await service.runJobs()
    return readTrack(service, id)
  }

  test.each([
    ['a recording without one is processed', () => plain, '.m4a'],
    ['a recording with one is processed', () => withRed, '.m4a'],
    ['the embedded one is stored', () => withRed, '.jpg'],
  ])('uploaded while %s', async (_, recording, suffix) => {
    const done = await coverMeanwhile(recording(), suffix)
    expect([done.track.track_status_id, colorOf(done)]).toEqual(['ready', 'blue'])
    expect(done.files.cover.data.large).toMatchObject({ width: 1200, height: 900 })
    const bytes = await read(done.files.cover.url)
    expect(bytes.byteLength).toBe(done.files.cover.size)
    expect(await measureImage(bytes)).toMatchObject({ width: 1200, height: 900 })
    expect(await coverEvents(done.id)).toEqual(['track_file.created'])
  })
})

describe('a theme that a client sets', () => {
  const theme = [{ hex: '#123456', area: 1, lightness: 0.2, saturation: 0.6 }]
  const setTheme = async (id: string) =>
    expect((await service.v1('PUT', `/track/${id}`, { body: { theme } })).status).toBe(200)

  test('stays when the recording is processed and rebuilt, until a cover is uploaded', async () => {
    const { track_id: id, track_upload } = await newTrack()
    await setTheme(id)
    await send(track_upload, withRed)
    await service.runJobs()
    const first = await readTrack(service, id)
    expect([first.files.cover.is_success, first.track.theme]).toEqual([true, theme])
    expect((await service.v1('POST', `/track/${id}/rebuild`, { body: {} })).status).toBe(200)
    await service.runJobs()
    expect((await readTrack(service, id)).track.theme).toEqual(theme)
    const { json } = await service.v1('POST', `/track/${id}/cover`)
    await send(json.track_cover_upload, blue)
    await service.runJobs()
    expect(colorOf(await readTrack(service, id))).toBe('blue')
  })
})

/** Bytes after the signature of a JPEG: the edge refuses files that do not begin like a picture. */
const disguised = (bytes: string | Uint8Array) =>
  new Uint8Array(Buffer.concat([Buffer.from('\xff\xd8\xff', 'latin1'), Buffer.from(bytes)]))

describe('a file that only begins like a picture', () => {
  let trackId: string
  beforeAll(async () => {
    trackId = (await processed(service, withRed, 'red.mp3')).id
  }, 60_000)

  const bad: [what: string, bytes: () => Bytes | Promise<Bytes>][] = [
    ['a text', () => disguised('not a picture')],
    ['a drawing with a script', () => disguised('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ['a playlist', () => disguised('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
    ['a JPEG that breaks off', async () => (await image('red', '600x600', 'jpg')).slice(0, 300)],
    ['a recording', () => disguised(plain)],
  ]
  test.each(bad)('fails the job of %s and changes nothing', async (_, bytes) => {
    const { json } = await service.v1('POST', `/track/${trackId}/cover`)
    await send(json.track_cover_upload, await bytes())
    await service.runJobs()
    const job = await service.services.db.job.findFirstOrThrow({ where: { trackId }, orderBy: { id: 'desc' } })
    expect([job.kind, job.state, job.error]).toEqual(['process_track_cover', 'failed', 'not_an_image'])
    const after = await readTrack(service, trackId)
    expect([after.track.track_status_id, colorOf(after)]).toEqual(['ready', 'red'])
    expect((await service.fetchEdge(after.files.cover.url)).status).toBe(200)
    expect(await coverEvents(trackId)).toEqual(['track_file.created'])
  })

  test('sends track_file.failed once for a track without a cover, which stays ready without a cover file', async () => {
    const { id } = await processed(service, plain, 'plain.wav')
    const { json } = await service.v1('POST', `/track/${id}/cover`)
    await send(json.track_cover_upload, disguised('not a picture'))
    await service.runJobs()
    const { track, files } = await readTrack(service, id)
    expect([track.track_status_id, 'cover' in files]).toEqual(['ready', false])
    expect(await coverEvents(id)).toEqual(['track_file.failed'])
    const sent = (await eventsOf(service, id)).at(-1)?.data.file
    expect(sent).toMatchObject({ is_success: false, url: null, status_code: 'not_an_image' })
  })

  test('sends track_file.failed when its job is given up', async () => {
    const { id } = await processed(service, plain, 'plain.wav')
    const { json } = await service.v1('POST', `/track/${id}/cover`)
    await send(json.track_cover_upload, blue)
    const job = await service.services.db.job.findFirstOrThrow({ where: { trackId: id }, orderBy: { id: 'desc' } })
    await exhaust(service.services, job.id)
    await runTask(failingFromPut(1, service.services), 'process_cover', { jobId: job.id })
    expect((await service.services.db.job.findUniqueOrThrow({ where: { id: job.id } })).error).toBe('processing_failed')
    expect(await coverEvents(id)).toEqual(['track_file.failed'])
  })

  test('is ignored when embedded in a recording', async () => {
    const bytes = Buffer.from(withRed)
    // The picture keeps its place and its kind, but its frame header says nothing.
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]))
    bytes.fill(0, frame, frame + 12)
    const { track, files } = await processed(service, new Uint8Array(bytes), 'damaged.mp3')
    expect([track.track_status_id, track.theme, 'cover' in files]).toEqual(['ready', [], false])
  })

  test('does not prevent playback when uploaded first', async () => {
    const { track_id: id, track_upload, track_cover_upload } = await newTrack()
    await send(track_cover_upload, disguised('not a picture'))
    await send(track_upload, plain)
    await service.runJobs()
    const { track, files } = await readTrack(service, id)
    expect(['ready', 'incomplete']).toContain(track.track_status_id)
    expect(files.hq.is_success).toBe(true)
  })
})
