// Uploads into a collection, links for people without an account, and covers.
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { tone } from '../../support/audio.ts'
import { stripes } from '../../support/picture.ts'
import { type TestService, uploadTrack } from '../../support/service.ts'
import { testInChromium } from '../launch.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, type Studio, signIn } from './studio.ts'

setDefaultTimeout(60_000)

/** Jobs run only where a test needs them, so that the files need no sound. */
const buffer = Buffer.from('this is no sound')
let studio: Studio
let service: TestService
let page: Page
beforeAll(async () => {
  studio = await openStudio()
  ;({ service, page } = studio)
})
afterAll(() => studio?.stop())
beforeEach(() => page.unrouteAll())

const panel = () => page.getByRole('complementary', { name: 'Uploads' })
const row = (name: string) => panel().getByRole('listitem').filter({ hasText: name })

/** Opens the part, and chooses a collection. */
async function openUploads() {
  await studio.open('/uploads')
  await page.getByRole('combobox', { name: 'Upload to' }).fill('First')
  await page.getByRole('option', { name: 'First collection' }).click()
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
}
const choose = (...names: string[]) =>
  page.locator('.drop input').setInputFiles(
    // Of different content: of two equal files one would wait for a person.
    names.map((name) => ({ name, mimeType: 'audio/wav', buffer: Buffer.from(`${name} has no sound`) })),
  )

test('a file is uploaded into the collection, while a person opens other parts', async () => {
  await openUploads()
  let send = () => {}
  const begun = new Promise<void>((resolve) => {
    void page.route('**/v1/upload/**', async (route) => {
      await new Promise<void>((go) => {
        send = go
        resolve()
      })
      await route.continue()
    })
  })
  await choose('studio.wav')
  await begun
  await page.getByRole('link', { name: 'Collections' }).click()
  await page.getByRole('heading', { name: 'Collections' }).waitFor()
  send()
  await row('studio.wav').filter({ hasText: 'Processing' }).waitFor()
  await service.runJobs()
  await row('studio.wav').filter({ hasText: 'Failed' }).waitFor()
  const track = await service.services.db.track.findFirstOrThrow({ where: { fileName: 'studio.wav' } })
  expect(track.collectionId).toBe(service.demo.collection_id)
  await row('studio.wav').getByText(String(track.statusText)).waitFor()
})

test('files of one collection share an upload session', async () => {
  await openUploads()
  await choose('one.wav', 'two.wav')
  await row('two.wav').filter({ hasText: 'Processing' }).waitFor()
  const where = { fileName: { in: ['one.wav', 'two.wav'] } }
  const tracks = await service.services.db.track.findMany({ where, select: { uploadSessionId: true } })
  expect(tracks).toHaveLength(2)
  expect(tracks[0]?.uploadSessionId).toBe(tracks[1]?.uploadSessionId ?? '')
})

test('the panel folds to a line, stays so after a reload, and is closed when all has ended', async () => {
  await openUploads()
  await choose('folded.wav')
  const head = panel().getByRole('button', { name: /^Uploads/ })
  await row('folded.wav').filter({ hasText: 'Processing' }).waitFor()
  await head.click()
  await head.filter({ hasText: '0 of 1 done · Processing' }).waitFor()
  expect(await row('folded.wav').count()).toBe(0)
  await openUploads()
  await choose('folded-again.wav')
  await head.waitFor()
  expect(await head.getAttribute('aria-expanded')).toBe('false')
  await service.runJobs()
  await page.getByRole('status').filter({ hasText: 'All uploads have ended. Ready: 0. Failed: 1.' }).waitFor()
  await head.click()
  await row('folded-again.wav').filter({ hasText: 'Failed' }).waitFor()
  await panel().getByRole('button', { name: 'Hide the uploads' }).click()
  await panel().waitFor({ state: 'detached' })
})

test('an upload continues after a reload with the same track, where it ended', async () => {
  await openUploads()
  const offsets: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(request.headers()['upload-offset'] ?? '')
  })
  // Half of the file arrives, and the request does not end.
  const half = new Promise<void>((resolve) => {
    void page.route('**/upload/track/**', async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback()
      const headers = { ...route.request().headers(), 'content-length': '8' }
      await service.fetchEdge(route.request().url(), { method: 'PATCH', headers, body: buffer.subarray(0, 8) })
      resolve()
    })
  })
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-reload-'))
  const path = join(folder, 'reloaded.wav')
  await writeFile(path, buffer)
  await page.locator('.drop input').setInputFiles(path)
  await half
  await row('reloaded.wav').filter({ hasText: 'Uploading' }).waitFor()
  page.once('dialog', (dialog) => dialog.accept())
  await page.unrouteAll()
  await studio.open('/collections')
  const notice = panel().getByText('An upload was interrupted.')
  await notice.filter({ hasText: 'reloaded.wav' }).waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-uploads-interrupted', view)
  }
  const chooser = page.waitForEvent('filechooser')
  await panel().getByRole('button', { name: 'Choose the files' }).click()
  await (await chooser).setFiles(path)
  await row('reloaded.wav').filter({ hasText: 'Processing' }).waitFor()
  await notice.waitFor({ state: 'detached' })
  expect(offsets).toEqual(['0', '8'])
  const tracks = await service.services.db.track.findMany({ where: { fileName: 'reloaded.wav' } })
  expect(tracks.map(({ sourceBytes }) => Number(sourceBytes))).toEqual([buffer.length])
  await page.reload()
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('tonearm.uploads.0'))),
  ).toEqual([])
  await rm(folder, { recursive: true })
})

testInChromium('a folder that is dropped on another page becomes a collection, and a second one joins it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-drop-'))
  const album = join(folder, 'Ada Lund - Night Bakery')
  await mkdir(album)
  await writeFile(join(album, 'crust.wav'), buffer)
  const devtools = await page.context().newCDPSession(page)
  const drop = async (path: string) => {
    const data = { items: [], files: [path], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await devtools.send('Input.dispatchDragEvent', { type, data, x: 600, y: 300 })
  }
  await studio.open('/usage')
  await drop(album)
  const dialog = page.getByRole('dialog', { name: 'Upload files' })
  await dialog.getByText('Ada Lund - Night Bakery/crust.wav').waitFor()
  expect(await dialog.getByLabel('Title', { exact: true }).inputValue()).toBe('Night Bakery')
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-drop', view)
  }
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await row('crust.wav').filter({ hasText: 'Processing' }).waitFor()
  await writeFile(join(album, 'flour.wav'), buffer)
  await drop(join(album, 'flour.wav'))
  await dialog.getByLabel('Title', { exact: true }).fill('Loose files')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await rm(join(album, 'crust.wav'))
  await drop(album)
  await dialog.getByRole('button', { name: 'Upload to' }).filter({ hasText: 'Night Bakery' }).waitFor()
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await row('flour.wav').filter({ hasText: 'Processing' }).waitFor()
  const where = { title: { in: ['Night Bakery', 'Loose files'] } }
  const collections = await service.services.db.collection.findMany({ where, include: { tracks: true } })
  expect(collections.map(({ title, playerSubtitle, tracks }) => [title, playerSubtitle, tracks.length])).toEqual([
    ['Night Bakery', 'Ada Lund', 2],
  ])
  await rm(folder, { recursive: true })
})

test('an upload link opens the page for people without an account', async () => {
  await openUploads()
  await page.getByRole('button', { name: 'Create upload link' }).click()
  const dialog = page.getByRole('dialog', { name: 'Upload link' })
  await dialog.getByRole('button', { name: 'Valid for' }).click()
  await page.getByRole('option', { name: '8 hours' }).click()
  await dialog.getByRole('button', { name: 'Create upload link' }).click()
  const link = await dialog.getByLabel('Address', { exact: true }).inputValue()
  await dialog.getByText('Valid until').waitFor()
  const { expires_at } = (await service.v1('GET', `/upload_session/${link.split('/').at(-1)}`)).json
  expect(Math.round((Date.parse(expires_at) - Date.now()) / 3_600_000)).toBe(8)
  await page.goto(link)
  await page.getByRole('heading', { name: 'First collection' }).waitFor()
})

test('a picture replaces the cover of the collection', async () => {
  await openUploads()
  const picture = Buffer.from(stripes(300, [[300, [200, 0, 0]]]))
  const sent = page.waitForResponse((response) => response.url().includes('collection-cover'))
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload cover' }).click()
  await (await chooser).setFiles({ name: 'cover.png', mimeType: 'image/png', buffer: picture })
  expect((await sent).status()).toBe(200)
  await service.runJobs()
  await page.getByText('The cover was replaced.').waitFor()
  const { cover_image } = (await service.v1('GET', `/collection/${service.demo.collection_id}`)).json.collection
  expect(cover_image).not.toBeNull()
})

test('a picture among the files becomes the cover of the collection, in a row of its own', async () => {
  await openUploads()
  const picture = (name: string) => {
    const bytes = Buffer.from(stripes(300, [[300, [0, name.length, 200]]]))
    return { name, mimeType: 'image/png', buffer: bytes }
  }
  const readCover = () => {
    const where = { id: service.demo.collection_id }
    return service.services.db.collection.findUniqueOrThrow({ where, select: { cover: true } })
  }
  const before = await readCover()
  const files = [picture('back.png'), { name: 'covered.wav', mimeType: 'audio/wav', buffer }, picture('front.png')]
  await page.locator('.drop input').setInputFiles(files)
  await page.getByText('“front.png” becomes the cover.').waitFor()
  await page.getByText('Other pictures were left out: back.png').waitFor()
  await row('front.png').filter({ hasText: 'The cover is being processed' }).waitFor()
  await service.runJobs()
  await row('front.png').filter({ hasText: 'Cover of the collection' }).filter({ hasText: 'Ready' }).waitFor()
  expect(await readCover()).not.toEqual(before)
  // Without a recording, on the page of the collection.
  await studio.open(`/collection/${service.demo.collection_id}`)
  await page.locator('.drop input').setInputFiles([picture('other-front.png')])
  await row('other-front.png').filter({ hasText: 'The cover is being processed' }).waitFor()
  await service.runJobs()
  await row('other-front.png').filter({ hasText: 'Ready' }).waitFor()
})

test('a picture that cannot be read is refused, with those that can', async () => {
  await openUploads()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload cover' }).click()
  await (await chooser).setFiles({ name: 'cover.png', mimeType: 'image/png', buffer })
  await page.getByRole('alert').filter({ hasText: 'Choose a JPEG, PNG, WebP or GIF' }).waitFor()
})

test('a recording that exists already waits for a person, and the others do not', async () => {
  const bytes = await tone(0.2)
  const trackId = await uploadTrack(service, bytes, 'night-train.wav')
  await service.runJobs()
  await openUploads()
  const file = (name: string, content: Uint8Array) => ({ name, mimeType: 'audio/wav', buffer: Buffer.from(content) })
  const [other, longer] = [new Uint8Array(bytes), await tone(0.3)]
  other[other.length - 1] = 1
  const files = [
    file('copy.wav', bytes),
    file('other.wav', other),
    file('longer.wav', longer),
    file('twin.wav', longer),
  ]
  await page.locator('.drop input').setInputFiles(files)
  for (const name of ['other.wav', 'longer.wav']) await row(name).filter({ hasText: 'Processing' }).waitFor()
  expect(await row('copy.wav').locator('p').textContent()).toBe(
    'copy.wav is already here: night-train in First collection',
  )
  expect(await row('copy.wav').getByRole('link').getAttribute('href')).toBe(`/studio/track/${trackId}`)
  await row('twin.wav').filter({ hasText: 'is the same recording as longer.wav.' }).waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-duplicates', view)
  }
  await row('twin.wav').getByRole('button', { name: 'Skip' }).click()
  await row('copy.wav').getByRole('button', { name: 'Upload anyway' }).click()
  await row('copy.wav').filter({ hasText: 'Processing' }).waitFor()
  const fileNames = await service.services.db.track.findMany({ where: { fileName: { in: ['copy.wav', 'twin.wav'] } } })
  expect(fileNames.map(({ fileName }) => fileName)).toEqual(['copy.wav'])
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  await setView(page, view)
  await openUploads()
  await page.route('**/v1/upload/**', () => {})
  await page.evaluate(() => localStorage.setItem('tonearm.uploads.panel', 'open'))
  await choose('first.wav', 'second.wav', 'third.wav', 'fourth.wav')
  await row('third.wav').filter({ hasText: 'Waiting' }).waitFor()
  await expectAccessible(page, 'studio-uploads', view)
  await panel().getByRole('button', { name: 'Pause all' }).click()
  page.once('dialog', (dialog) => dialog.accept())
})

test('a viewer uploads nothing', async () => {
  const { admin, base_url } = service.demo
  await service.services.db.administrator.updateMany({ where: { email: admin.email }, data: { role: 'viewer' } })
  await page.evaluate(() => localStorage.clear())
  await page.goto(`${base_url}/studio/uploads`)
  await signIn(page, admin)
  await page.getByText('You can read only.').waitFor()
  expect(await page.getByRole('button', { name: 'Choose files' }).count()).toBe(0)
})
