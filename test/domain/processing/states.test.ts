import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { makeMedia, tone } from '../../support/audio.ts'
import { test as folderTest } from '../../support/folder-only.ts'
import { runTask } from '../../support/jobs.ts'
import { eventsOf, processed, readTrack } from '../../support/processed.ts'
import { recordingOf } from '../../support/recording.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'
import { isOnBucket } from '../../support/storage.ts'
import { sandboxedTools } from '../../support/tools.ts'

const service = useTestService(undefined, sandboxedTools)
let sound: Uint8Array<ArrayBuffer>
/** A recording of another organization, as it is in storage. */
let victim: string
beforeAll(async () => {
  sound = await tone(2)
  const { id } = await processed(service, sound, 'victim.wav')
  const key = await recordingOf(service, id)
  victim = join(service.dataDir, 'storage', key)
  // The same place on the disk with a bucket.
  if (isOnBucket) await Bun.write(victim, sound)
}, 60_000)
afterEach(() => {
  service.clock.now = null
})

const bytesOf = (text: string) => new Uint8Array(new TextEncoder().encode(text))

describe('a file that is not audio becomes init_error with a reason for the uploader', () => {
  const playlist = (address: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n${address}\n#EXT-X-ENDLIST\n`
  const bad: [what: string, name: string, bytes: () => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>][] = [
    ['a text', 'notes.mp3', () => bytesOf('Dear diary, today I sang.\n'.repeat(200))],
    ['random bytes', 'noise.mp3', () => new Uint8Array(Buffer.alloc(50_000, randomBytes(977)))],
    ['a single byte', 'tiny.wav', () => bytesOf('x')],
    ['zeros', 'zero.wav', () => new Uint8Array(100_000)],
    ['a page', 'page.mp3', () => bytesOf('<!doctype html><audio src="/a.mp3">')],
    ['a picture', 'picture.mp3', () => makeMedia(['-f', 'lavfi', '-i', 'color=red:s=64x64', '-frames:v', '1'], 'png')],
    ['a playlist of a file here', 'list.mp3', () => bytesOf(playlist(victim))],
    ['a playlist of a file: address', 'list.m4a', () => bytesOf(playlist(`file://${victim}`))],
    ['a playlist of another host', 'list.mp3', () => bytesOf(playlist('http://127.0.0.1:1/a.mp3'))],
    ['a playlist by its last name too', 'list.m3u8', () => bytesOf(playlist(victim))],
    ['a list for concatenation', 'all.mp3', () => bytesOf(`ffconcat version 1.0\nfile '${victim}'\n`)],
    ['a session description', 'call.mp3', () => bytesOf('v=0\no=- 0 0 IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n')],
    ['a manifest', 'dash.mp3', () => bytesOf(`<?xml version="1.0"?><MPD><BaseURL>${victim}</BaseURL></MPD>`)],
  ]
  test.each(bad)(
    '%s',
    async (_, name, bytes) => {
      const { id, track, files } = await processed(service, await bytes(), name)
      expect(track.track_status_id).toBe('init_error')
      expect(track.status_code).toBe('not_audio')
      expect(track.status_text).toMatch(/not readable audio/)
      expect(track.status_text).not.toMatch(/ffmpeg|ffprobe|\/tmp|Error/)
      expect(files).toEqual({})
      const events = await eventsOf(service, id)
      expect(events.map(({ type }) => type)).toEqual(['track.status_changed'])
      expect(events[0]?.data).toMatchObject({ status: 'init_error', previous_status: 'initialized', files: [] })
      expect(events[0]?.data.track).toMatchObject({ id, track_status_id: 'init_error' })
      const body = { variant_type_id: 'transcode', index: 'more' }
      expect((await service.v1('POST', `/track/${id}/variant`, { body })).json.code).toBe('no_source_file')
    },
    30_000,
  )
})

test.each(['mp4', 'mkv'])(
  'sets init_error with the reason no_sound for a film without sound: %s',
  async (extension) => {
    const film = await makeMedia(['-f', 'lavfi', '-i', 'testsrc2=d=1:s=64x64'], extension)
    const { track } = await processed(service, film, 'film.m4a')
    expect([track.track_status_id, track.status_code]).toEqual(['init_error', 'no_sound'])
  },
  30_000,
)

test.each(['png', 'jpg'])(
  'sets init_error with the reason not_audio for a picture named as a recording: %s',
  async (extension) => {
    const picture = await makeMedia(['-f', 'lavfi', '-i', 'testsrc2=d=1:s=64x64', '-frames:v', '1'], extension)
    const { track } = await processed(service, picture, 'picture.mp3')
    expect([track.track_status_id, track.status_code]).toEqual(['init_error', 'not_audio'])
  },
  30_000,
)

describe('a truncated recording', () => {
  test('is rejected for a FLAC cut in the middle', async () => {
    const whole = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=4'], 'flac')
    const { track } = await processed(service, whole.slice(0, whole.length / 2), 'cut.flac')
    expect(['init_error', 'error']).toContain(track.track_status_id)
    expect(track.status_text).toEqual(expect.any(String))
  }, 30_000)

  test('has its decoded length for an AAC cut in the middle, which announces none', async () => {
    const whole = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=2', '-c:a', 'aac'], 'aac')
    const { track, files } = await processed(service, whole.slice(0, whole.length / 2 + 1), 'cut.aac')
    expect(track.track_status_id).toBe('ready')
    expect(track.duration).toBeCloseTo(1, 1)
    expect(files.preview.data.duration).toBeCloseTo(1, 1)
  }, 30_000)

  test('is rejected for an M4A without index', async () => {
    const whole = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=2', '-c:a', 'aac'], 'm4a')
    const { track } = await processed(service, whole.slice(0, whole.length - 2000), 'cut.m4a')
    expect(track.track_status_id).toBe('init_error')
  }, 30_000)
})

describe('an upload that was never sent', () => {
  const HOUR = 3_600_000
  const newTrack = async () =>
    (await service.v1('POST', '/track', { body: { collection_id: service.demo.collection_id, file_name: 'a.wav' } }))
      .json
  const expireAt = (ms: number) => {
    service.clock.now = new Date(ms)
    return runTask(service.services, 'expire_uploads')
  }
  const put = (url: string) => service.fetchEdge(url, { method: 'PUT', body: sound })

  folderTest('becomes init_error when its URL expires; a later PUT gets 410', async () => {
    const { track_id: id, track_upload } = await newTrack()
    const end = Date.parse(track_upload.expires_at)
    await expireAt(end - 1000)
    expect((await readTrack(service, id)).track.track_status_id).toBe('initialized')
    await expireAt(end + 1000)
    await expireAt(end + HOUR)
    expect((await readTrack(service, id)).track).toMatchObject({
      track_status_id: 'init_error',
      status_code: 'upload_expired',
      status_text: expect.stringContaining('expired'),
    })
    expect((await put(track_upload.upload_url)).status).toBe(410)
    // Also where the clock of another machine is behind.
    service.clock.now = null
    expect((await put(track_upload.upload_url)).status).toBe(410)
    const events = await eventsOf(service, id)
    expect(events.map(({ type }) => type)).toEqual(['track.status_changed'])
    expect(events[0]?.data).toMatchObject({ status: 'init_error', previous_status: 'initialized', files: [] })
    expect(events[0]?.data.track).toMatchObject({ id, status_code: 'upload_expired' })
  })

  test('is not expired while it is being received', async () => {
    const { track_id: id, track_upload } = await newTrack()
    const end = Date.parse(track_upload.expires_at)
    await service.services.db.track.update({ where: { id }, data: { uploadActiveAt: new Date(end + HOUR - 60_000) } })
    await expireAt(end + HOUR)
    expect((await readTrack(service, id)).track.track_status_id).toBe('initialized')
  })

  test('is not expired while it waits for a worker', async () => {
    const id = await uploadTrack(service, sound)
    await expireAt(Date.now() + 2 * HOUR)
    expect((await readTrack(service, id)).track.track_status_id).toBe('initialized')
  })
})

test('removes the bytes of a deleted track after the grace period and keeps those of others', async () => {
  const [gone, survivor] = [await processed(service, sound, 'gone.wav'), await processed(service, sound, 'kept.wav')]
  const list = async ({ id, track }: typeof gone) =>
    (await service.objects.keys()).filter((key) => key.includes(id) || key.includes(`${track.base_path}_`))
  const [before, others] = [await list(gone), await list(survivor)]
  expect(before.length).toBeGreaterThanOrEqual(6)
  await service.v1('DELETE', `/track/${gone.id}`)
  const purgeAfter = (days: number) => {
    service.clock.now = new Date(Date.now() + days * 86_400_000)
    return runTask(service.services, 'purge_deleted')
  }
  await purgeAfter(0)
  await purgeAfter(6.99)
  expect(await list(gone)).toEqual(before)
  await purgeAfter(7.01)
  expect(await list(gone)).toEqual([])
  expect(await list(survivor)).toEqual(others)
  await purgeAfter(8)
  expect(await list(survivor)).toEqual(others)
}, 30_000)
