// The life of a recording in the widgets of a client's page, with limited keys only.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { makeMedia, measure } from '../support/audio.ts'
import { decodePicture, stripes } from '../support/picture.ts'
import type { Json, TestService } from '../support/service.ts'
import { openSite, type Site } from './site.ts'
import type { Heard } from './story-page.ts'

setDefaultTimeout(60_000)

const SECONDS = 8
let site: Site
let service: TestService
let page: Page
let api: string
let sound: Uint8Array<ArrayBuffer>
/** The credentials of a page: keys that upload or play. */
let uploaderKey: string
let playerKey: string
let trackId: string
let playSession: Json

beforeAll(async () => {
  const built = await Bun.build({ entrypoints: [join(import.meta.dir, 'story-page.ts')], target: 'browser' })
  const html = `<!doctype html><title>Somebody else's site</title><input type="file" id="recording">
    <input type="file" id="cover"><button id="play">Play</button><script type="module">${await built.outputs[0]?.text()}</script>`
  site = await openSite(() => new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } }))
  ;({ service, page } = site)
  api = `${service.demo.base_url}/v1`
  // Silence, then a tone from the middle on.
  const half = `'if(lt(t,${SECONDS / 2}),0,0.8*sin(440*2*PI*t))'`
  sound = await makeMedia(['-f', 'lavfi', '-i', `aevalsrc=${half}:s=44100:d=${SECONDS}`], 'wav')
  const createKey = async (kind: string, more = {}) =>
    (await service.v1('POST', '/api_key', { body: { title: kind, api_key_type_id: kind, ...more } })).json.api_key
  uploaderKey = await createKey('uploader')
  playerKey = await createKey('player', { is_downloadable: true })
})
afterAll(() => site?.stop())

const ask = (method: string, path: string, key?: string, body?: object): Promise<Heard> =>
  page.evaluate(([method, address, key, body]) => window.story.ask(method, address, key, body), [
    method,
    `${api}${path}`,
    key,
    body,
  ] as const)
const openPlayer = async (body: object = {}) =>
  (await ask('POST', '/play_session/track', playerKey, { track_id: trackId, ...body })).json

test('an upload widget sends a recording with progress, and its cover as a form', async () => {
  const session = await ask('POST', '/upload_session', uploaderKey, { collection_id: service.demo.collection_id })
  expect(session.status).toBe(200)
  const { json } = await ask('POST', `/upload/${session.json.upload_session_id}/track`, undefined, {
    file_name: 'a.wav',
  })
  trackId = json.track_id
  await page.setInputFiles('#recording', { name: 'a.wav', mimeType: 'audio/wav', buffer: Buffer.from(sound) })
  const cover = Buffer.from(stripes(300, [[300, [200, 0, 0]]]))
  await page.setInputFiles('#cover', { name: 'a.png', mimeType: 'image/png', buffer: cover })
  const put = await page.evaluate((handle) => window.story.upload(handle, 'raw'), json.track_upload)
  expect(put.status).toBe(200)
  expect(put.etag).toMatch(/^"[0-9a-f]{64}"$/)
  expect(put.progress.at(-1)).toEqual({ loaded: sound.length, total: sound.length })
  const posted = await page.evaluate((handle) => window.story.upload(handle, 'form'), json.track_cover_upload)
  expect(posted.status).toBe(200)
  expect(posted.progress.length).toBeGreaterThan(0)
})

test('a player widget waits until there is something to play', async () => {
  const early = await openPlayer({ variants: ['hq'], is_downloadable: true })
  expect([early.tracks, early.first_track]).toEqual([[], null])
  playSession = early.play_session
  const path = `/play/${playSession.id}/${trackId}`
  expect((await ask('GET', path)).json).toMatchObject({ levels: null, variants: [] })
  await service.runJobs()
  const ready = (await ask('GET', path)).json
  expect(ready.variants.map((file: Json) => file.variant.index)).toEqual(['hq'])
  expect((await ask('GET', `/play_session/${playSession.id}`)).json.first_track.track_id).toBe(trackId)
})

test('it plays, and seeks by ranges', async () => {
  const { variants } = (await ask('GET', `/play/${playSession.id}/${trackId}`)).json
  const ranges: number[] = []
  page.on('response', (response) => {
    if (response.url() === variants[0].url) ranges.push(response.status())
  })
  await page.evaluate((url) => window.story.load(url), variants[0].url)
  // Sound may begin only where a person has clicked.
  await page.click('#play')
  const played = await page.evaluate((position) => window.story.playFrom(position, 0.5), SECONDS * 0.75)
  expect(played.error).toBe(null)
  expect(played.from).toBeGreaterThanOrEqual(SECONDS * 0.75 - 0.05)
  expect(Math.abs(played.duration - SECONDS)).toBeLessThan(0.05)
  expect(ranges.length).toBeGreaterThan(0)
  expect(new Set(ranges)).toEqual(new Set([206]))
})

test('it draws the levels and shows the cover', async () => {
  const { levels, cover_image } = (await ask('GET', `/play/${playSession.id}/${trackId}`)).json
  const heights = await page.evaluate(({ levels, max }) => window.story.draw(levels, max), levels)
  expect(heights.slice(0, 2)).toEqual([0, 0])
  for (const height of heights.slice(2)) expect(height).toBeGreaterThan(0.9)
  const width = await page.evaluate((url) => window.story.picture(url), cover_image.small.url)
  expect(width).toBe(cover_image.small.width)
  const picture = await decodePicture(await (await fetch(cover_image.small.url)).arrayBuffer(), width)
  expect(picture.at(100, 100)[0]).toBeGreaterThan(150)
})

test('it saves a file where the session allows it', async () => {
  const { download } = (await ask('GET', `/play/${playSession.id}/${trackId}/hq/download`)).json
  await page.evaluate((url) => window.story.offer(url), download.url)
  const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#download')])
  expect(saved.suggestedFilename()).toBe('a.m4a')
  const { codec, durationSeconds } = await measure(await Bun.file((await saved.path()) ?? '').bytes())
  expect(codec).toBe('aac')
  expect(Math.abs(durationSeconds - SECONDS)).toBeLessThan(0.1)
})

test('it tells what it may not do from what has ended, and renews that', async () => {
  const refusedBy = async (answer: Promise<Heard>) => {
    const { status, json, requestId } = await answer
    expect(requestId).toBe(json.api_request_id)
    return [status, json.code]
  }
  const body = { track_id: trackId }
  expect(await refusedBy(ask('POST', '/play_session/track', 'nothing', body))).toEqual([401, 'unauthenticated'])
  expect(await refusedBy(ask('POST', '/play_session/track', uploaderKey, body))).toEqual([403, 'forbidden'])
  const locked = await openPlayer()
  const download = ask('GET', `/play/${locked.play_session_id}/${trackId}/hq/download`)
  expect(await refusedBy(download)).toEqual([403, 'forbidden'])
  const { json: upload } = await ask('POST', '/upload_session', uploaderKey, {
    collection_id: service.demo.collection_id,
    expires_in: 60,
    track: { file_name: 'b.wav' },
  })
  service.clock.now = new Date(Date.now() + 3_601_000)
  expect(await refusedBy(ask('GET', `/play_session/${playSession.id}`))).toEqual([410, 'expired'])
  const late = ask('POST', `/upload/${upload.upload_session_id}/track`, undefined, { file_name: 'c.wav' })
  expect(await refusedBy(late)).toEqual([410, 'expired'])
  const put = await page.evaluate((handle) => window.story.upload(handle, 'raw'), upload.track_upload)
  expect(put.status).toBe(410)
  expect((await openPlayer()).first_track.track_id).toBe(trackId)
  service.clock.now = null
})
