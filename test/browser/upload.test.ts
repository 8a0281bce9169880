// The page of an upload session, for people without an account.
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CDPSession, Page, Route } from 'playwright-core'
import { tone } from '../support/audio.ts'
import { stripes } from '../support/picture.ts'
import type { Json, TestService } from '../support/service.ts'
import { isFirefox, testInChromium } from './launch.ts'
import { openSite, type Site } from './site.ts'
import { expectAccessible, setView, views } from './view.ts'

setDefaultTimeout(60_000)

const MAX_BYTES = 135_000
const PIECE_TYPE = 'application/offset+octet-stream'
const folder = mkdtempSync(join(tmpdir(), 'tonearm-upload-'))
let site: Site
let service: TestService
let page: Page
let devtools: CDPSession
let short: Uint8Array<ArrayBuffer>
/** Only the first tests run the jobs of the uploads, so that the others need no recording. */
const tiny = new TextEncoder().encode('this is no sound')
/** `Upload-Offset` of each request that sent bytes. */
let offsets: number[] = []

beforeAll(async () => {
  site = await openSite(() => new Response('Another site'))
  ;({ service, page } = site)
  page.setDefaultTimeout(15_000)
  short = await tone(1)
  const body = { player_color: '#c2410c' }
  expect((await service.v1('PUT', `/collection/${service.demo.collection_id}`, { body })).status).toBe(200)
  if (!isFirefox) devtools = await page.context().newCDPSession(page)
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
  })
})
afterAll(async () => {
  await site?.stop()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  offsets = []
})
afterEach(() => page.unrouteAll())

const newSession = async (fields: object = {}): Promise<Json> => {
  const body = { collection_id: service.demo.collection_id, ...fields }
  return (await service.v1('POST', '/upload_session', { body })).json
}
/** Opens the page of a new session. */
async function open(fields: object = {}): Promise<Json> {
  const session = await newSession(fields)
  await page.goto(`${service.demo.base_url}/u/${session.upload_session_id}`)
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  return session
}
const audio = (name: string, bytes: Uint8Array) => ({ name, mimeType: 'audio/wav', buffer: Buffer.from(bytes) })
const choose = (...files: ReturnType<typeof audio>[]) => page.locator('.drop input').setInputFiles(files)
const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })
const isIn = (name: string, phase: string) => row(name).filter({ hasText: phase }).waitFor()
/** Sends half of a file for the page, and then leaves or breaks the page's request. */
const sendHalf = (bytes: Uint8Array<ArrayBuffer>, isBroken: boolean) =>
  new Promise<void>((resolve) => {
    let isSent = false
    const half = async (route: Route) => {
      if (isSent || route.request().method() !== 'PATCH') return route.fallback()
      isSent = true
      const { 'upload-offset': offset = '', 'tus-resumable': version = '' } = route.request().headers()
      const headers = { 'upload-offset': offset, 'tus-resumable': version, 'content-type': PIECE_TYPE }
      const body = bytes.slice(0, bytes.length / 2)
      await service.fetchEdge(route.request().url(), { method: 'PATCH', headers, body })
      if (isBroken) await route.abort('connectionreset')
      resolve()
    }
    void page.route('**/upload/track/**', half)
  })

/** Drops files or folders of this host, as a person does. */
async function drop(...paths: string[]) {
  const zone = await page.locator('.drop').boundingBox()
  const at = { x: (zone?.x ?? 0) + 40, y: (zone?.y ?? 0) + 40 }
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, data, ...at })
}

function write(path: string, bytes: Uint8Array | string) {
  const whole = join(folder, path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, bytes)
}

test('a chosen file is uploaded, and shown until it is ready', async () => {
  const { upload_session_id: id } = await open()
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('First collection')
  await choose(audio('song.wav', short))
  await isIn('song.wav', 'Processing')
  await service.runJobs()
  await isIn('song.wav', 'Ready')
  await page.getByText('Everything has arrived.').waitFor()
  const [track] = await service.services.db.track.findMany({ where: { uploadSessionId: id } })
  expect(track).toMatchObject({ fileName: 'song.wav', status: 'ready', sourceBytes: BigInt(short.length) })
})

test('a file is uploaded where a slice up to infinity is empty, as in WebKit', async () => {
  const session = await newSession()
  const other = (await page.context().browser()?.newPage()) as Page
  await other.addInitScript(() => {
    const slice = Blob.prototype.slice
    Blob.prototype.slice = function (start, end, type) {
      return slice.call(this, start, end === Number.POSITIVE_INFINITY ? 0 : end, type)
    }
  })
  await other.goto(`${service.demo.base_url}/u/${session.upload_session_id}`)
  await other.locator('.drop input').setInputFiles(audio('sliced.wav', short))
  await other.getByRole('listitem').filter({ hasText: 'Processing' }).waitFor()
  await other.close()
})

test('a file that is not audio has the reason of the service', async () => {
  await open()
  await choose(audio('broken.wav', tiny))
  await isIn('broken.wav', 'Processing')
  await service.runJobs()
  await isIn('broken.wav', 'Failed')
  const { statusText } = await service.services.db.track.findFirstOrThrow({ where: { fileName: 'broken.wav' } })
  await isIn('broken.wav', String(statusText))
  expect(await page.getByRole('button', { name: 'Try again: broken.wav' }).count()).toBe(0)
})

test('a reason is in the language of the browser, and that of a code with details in the words of the service', async () => {
  const { upload_session_id: id } = await newSession()
  const context = await page.context().browser()?.newContext({ locale: 'de-DE' })
  const german = (await context?.newPage()) as Page
  const codes = ['not_audio', 'source_refused']
  await german.route('**/states?*', async (route) => {
    const ids = new URL(route.request().url()).searchParams.get('track')?.split(',') ?? []
    const failed = { status: 'error', progressPercent: 0, statusText: 'The reason in English.' }
    await route.fulfill({ json: { tracks: ids.map((id) => ({ id, ...failed, statusCode: codes.shift() })) } })
  })
  await german.goto(`${service.demo.base_url}/u/${id}`)
  for (const [name, reason] of [
    ['first.wav', 'Die Datei ist keine lesbare Audiodatei.'],
    ['second.wav', 'The reason in English.'],
  ] as const) {
    await german.locator('.drop input').setInputFiles([audio(name, tiny)])
    await german.getByRole('listitem').filter({ hasText: name }).filter({ hasText: reason }).waitFor()
  }
  await context?.close()
})

testInChromium('a dropped folder is searched for recordings, and other files are named', async () => {
  for (const name of ['2 second.wav', '10 tenth.wav', 'bonus/live.wav']) write(`album/${name}`, tiny)
  write('album/front.jpg', 'picture')
  write('album/bonus/notes.txt', 'notes')
  write('album/empty.wav', '')
  write('album/.DS_Store', 'hidden')
  await open()
  await drop(join(folder, 'album'))
  await page.getByText('were skipped: album/bonus/notes.txt, album/empty.wav, album/front.jpg').waitFor()
  await page.getByText('0 of 3 done').waitFor()
  const names = await page.locator('.upload-name').allTextContents()
  expect(names).toEqual(['album/2 second.wav', 'album/10 tenth.wav', 'album/bonus/live.wav'])
  await isIn('live.wav', 'Processing')
})

test('a paused upload continues where it ended', async () => {
  await open()
  const half = sendHalf(tiny, false)
  await choose(audio('paused.wav', tiny))
  await half
  await page.getByRole('button', { name: 'Pause: paused.wav' }).click()
  await isIn('paused.wav', 'Paused')
  await page.getByRole('button', { name: 'Continue: paused.wav' }).click()
  await isIn('paused.wav', 'Processing')
  expect(offsets).toEqual([0, tiny.length / 2])
})

test('an upload whose connection breaks continues where it ended', async () => {
  await open()
  void sendHalf(tiny, true)
  await choose(audio('broken-off.wav', tiny))
  await isIn('broken-off.wav', 'Processing')
  expect(offsets).toEqual([0, tiny.length / 2])
})

test('an upload that a reload has interrupted continues where it ended, with the same track', async () => {
  const { upload_session_id: id } = await open()
  write('long.wav', tiny)
  write('next.wav', tiny)
  const half = sendHalf(tiny, false)
  await page.locator('.drop input').setInputFiles(join(folder, 'long.wav'))
  await half
  await page.reload()
  // Firefox sends the rest of a request whose route ends.
  await page.unrouteAll()
  await page.getByText('An upload was interrupted.').filter({ hasText: 'long.wav' }).waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'upload-interrupted', view)
  }
  await setView(page, { colors: 'light', width: 1440 })
  await page.locator('.drop input').setInputFiles([join(folder, 'long.wav'), join(folder, 'next.wav')])
  await isIn('long.wav', 'Processing')
  await isIn('next.wav', 'Processing')
  expect(await page.getByText('An upload was interrupted.').count()).toBe(0)
  expect(offsets.slice(0, 2)).toEqual([0, tiny.length / 2])
  const tracks = await service.services.db.track.findMany({ where: { uploadSessionId: id } })
  expect(tracks.map(({ fileName }) => fileName).sort()).toEqual(['long.wav', 'next.wav'])
})

test('the page of another upload session does not continue it', async () => {
  await open()
  const half = sendHalf(tiny, false)
  await page.locator('.drop input').setInputFiles(join(folder, 'long.wav'))
  await half
  await page.unrouteAll()
  await open()
  expect(await page.getByText('An upload was interrupted.').count()).toBe(0)
})

test('a cancelled upload ends its track', async () => {
  const { upload_session_id: id } = await open()
  const half = sendHalf(tiny, false)
  await choose(audio('cancelled.wav', tiny))
  await half
  const ended = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await page.getByRole('button', { name: 'Cancel: cancelled.wav' }).click()
  expect((await ended).status()).toBe(204)
  await row('cancelled.wav').waitFor({ state: 'detached' })
  const [track] = await service.services.db.track.findMany({ where: { uploadSessionId: id } })
  expect(track).toMatchObject({ status: 'init_error', statusCode: 'upload_cancelled' })
})

test('a refusal that passes is shown, and the next try needs no person', async () => {
  await open()
  const body = JSON.stringify({ ok: false, code: 'unavailable', message: 'The server is overloaded.' })
  await page.route('**/v1/upload/**', (route) => route.fulfill({ status: 503, body }), { times: 1 })
  await choose(audio('again.wav', tiny))
  await isIn('again.wav', 'The service cannot do this at the moment.')
  await isIn('again.wav', 'Processing')
})

test('the first file becomes the recording of the track that was created with the session', async () => {
  const { track_id: id } = await open({ track: { file_name: 'episode.wav', player_title: 'Episode 12' } })
  await page.getByText('The first file becomes the recording of “Episode 12”.').waitFor()
  await choose(audio('take-3.wav', tiny), audio('take-4.wav', tiny))
  await isIn('take-4.wav', 'Processing')
  await isIn('take-3.wav', 'Processing')
  const { uploadSessionId } = await service.services.db.track.findUniqueOrThrow({ where: { id } })
  const tracks = await service.services.db.track.findMany({ where: { uploadSessionId } })
  expect(tracks.map(({ fileName }) => fileName).sort()).toEqual(['episode.wav', 'take-4.wav'])
  expect(tracks.every(({ uploadCompletedAt }) => uploadCompletedAt !== null)).toBe(true)
  await page.reload()
  expect(await page.getByText('Episode 12').count()).toBe(0)
})

test('a picture becomes the cover of a track', async () => {
  const { upload_session_id: id } = await open()
  await choose(audio('covered.wav', tiny))
  const buffer = Buffer.from(stripes(300, [[300, [200, 0, 0]]]))
  await row('covered.wav').getByRole('button', { name: 'Add cover' }).waitFor()
  await row('covered.wav').locator('input').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
  await isIn('covered.wav', 'Cover added')
  const [track] = await service.services.db.track.findMany({ where: { uploadSessionId: id } })
  expect(track?.coverUploadedAt).not.toBeNull()
})

testInChromium('thousands of files begin one request and few rows', async () => {
  for (let at = 0; at < 3000; at++) write(`many/${at}.wav`, 'sound')
  await open()
  const begun: string[] = []
  await page.route('**/v1/upload/**', (route) => void begun.push(route.request().url()))
  await drop(join(folder, 'many'))
  await page.getByText('0 of 3,000 done').waitFor()
  await page.getByText('Not shown: 2,900 more').waitFor()
  expect(await page.getByRole('listitem').count()).toBe(100)
  await page.getByRole('button', { name: 'Pause all' }).click()
  await page.getByRole('button', { name: 'Continue all' }).waitFor()
  // Tracks are created one after the other.
  expect(begun.length).toBe(1)
})

test('asks before a page with unfinished uploads is left', async () => {
  await open()
  await page.route('**/v1/upload/**', () => {})
  await choose(audio('unfinished.wav', tiny))
  await isIn('unfinished.wav', 'Uploading')
  // The browser asks only after a gesture of the person.
  await page.getByRole('heading', { level: 1 }).click()
  const dialogType = new Promise<string>((resolve) =>
    page.once('dialog', (dialog) => {
      resolve(dialog.type())
      void dialog.accept()
    }),
  )
  await page.reload()
  expect(await dialogType).toBe('beforeunload')
})

test('takes no files after the end of the session', async () => {
  const { upload_session_id: id } = await open()
  await service.services.db.uploadSession.update({ where: { id }, data: { expiresAt: new Date() } })
  await choose(audio('late.wav', tiny), audio('later.wav', tiny))
  await isIn('late.wav', 'The time for this upload is over.')
  await isIn('later.wav', 'The time for this upload is over.')
  await page.reload()
  await page.getByRole('heading', { name: 'This link has expired' }).waitFor()
  await page.goto(`${service.demo.base_url}/u/${crypto.randomUUID()}`)
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
})

test(`the first load has at most ${MAX_BYTES} bytes`, async () => {
  const { upload_session_id: id } = await newSession()
  const context = await page.context().browser()?.newContext()
  const fresh = await context?.newPage()
  let bytes = 0
  fresh?.on('requestfinished', async (request) => {
    const { responseBodySize, responseHeadersSize } = await request.sizes()
    bytes += responseBodySize + responseHeadersSize
  })
  await fresh?.goto(`${service.demo.base_url}/u/${id}`, { waitUntil: 'networkidle' })
  await context?.close()
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(MAX_BYTES)
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  await setView(page, view)
  await open({ track: { file_name: 'episode.wav', player_title: 'Episode 12' } })
  await expectAccessible(page, 'upload-empty', view)
  const states = ['ready', 'error', 'processing']
  await page.route('**/states?*', async (route) => {
    const ids = new URL(route.request().url()).searchParams.get('track')?.split(',') ?? []
    const tracks = ids.map((id) => {
      const status = states.shift() ?? 'processing'
      const statusText = status === 'error' ? 'The file contains no audio.' : null
      return { id, status, progressPercent: 40, statusCode: null, statusText }
    })
    await route.fulfill({ json: { tracks } })
  })
  for (const name of ['a-song-with-a-rather-long-name-that-does-not-fit-in-one-line.wav', 'broken.wav', 'slow.wav']) {
    await choose(audio(name, tiny))
    await isIn(name, /^a/.test(name) ? 'Ready' : /^b/.test(name) ? 'Failed' : 'Processing')
  }
  await page.route('**/v1/upload/**', () => {})
  await choose(audio('next.wav', tiny), { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') })
  await isIn('next.wav', 'Uploading')
  await expectAccessible(page, 'upload-files', view)
  await page.getByRole('button', { name: 'Cancel: next.wav' }).click()
})
