// The page of a share link, as a listener uses it. Writes screenshots to test/.tmp/screens.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { data } from '../support/administrators.ts'
import { tone } from '../support/audio.ts'
import { processed } from '../support/processed.ts'
import type { TestService } from '../support/service.ts'
import { openSite, type Site } from './site.ts'
import { expectAccessible, setView, views } from './view.ts'

setDefaultTimeout(90_000)

const SECONDS = 20
const MAX_BYTES = 150_000
let site: Site
let service: TestService
let page: Page
let link: string
let collectionLink: string

beforeAll(async () => {
  // Another site, which shows the player in a frame.
  site = await openSite((request) => {
    const src = Bun.escapeHTML(new URL(request.url).searchParams.get('src') ?? '')
    return new Response(`<!doctype html><title>A blog</title><iframe src="${src}" width="480" height="260"></iframe>`, {
      headers: { 'content-type': 'text/html' },
    })
  })
  ;({ service, page } = site)
  const { id } = await processed(service, await tone(SECONDS), 'song.wav')
  await processed(service, await tone(2), 'second.wav')
  const body = {
    player_title: 'A piece for one tone',
    player_subtitle: 'The Oscillators',
    player_color: '#c2410c',
    transcription: 'One tone.\nNothing else.',
    transcription_language: 'en',
  }
  expect((await service.v1('PUT', `/track/${id}`, { body })).status).toBe(200)
  const { demo } = service
  const chapters = [
    { title: 'The tone begins', startSeconds: 0 },
    { title: 'The tone goes on, in a chapter with a name that is longer than a phone is wide', startSeconds: 8 },
    { title: 'The tone ends', startSeconds: 16, url: 'https://example.com/end' },
  ]
  const change =
    'mutation ($id: ID!, $input: UpdateTrackInput!) { updateTrack(id: $id, input: $input) { track { id } } }'
  await data(service, change, { id, input: { chapters } }, demo.api_key)
  link = `${demo.base_url}/s/${id}/${demo.share_key}`
  collectionLink = `${demo.base_url}/s/collection/${demo.collection_id}/${demo.share_key}`
})
afterAll(() => site?.stop())

const button = (name: 'Play' | 'Pause') => page.getByRole('button', { name, exact: true })
const position = async () => Number(await page.locator('#seek').inputValue())
const isAt = async (seconds: number) =>
  page.waitForFunction((least) => Number(document.querySelector<HTMLInputElement>('#seek')?.value) >= least, seconds)
const requests = async (): Promise<number> => {
  const { json } = await service.v1('GET', '/usage?group_by=track')
  return json.usage.reduce((sum: number, row: { requests: number }) => sum + row.requests, 0)
}

test('plays, pauses and seeks, and counts one play', async () => {
  const before = await requests()
  await page.goto(link)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('A piece for one tone')
  expect(await page.locator('#length').textContent()).toBe('0:20')
  expect(await page.locator('#wave path').count()).toBe(2)
  expect(await requests()).toBe(before)

  await button('Play').click()
  await isAt(1)
  await page.getByRole('slider').focus()
  await page.keyboard.press('End')
  await button('Play').waitFor()
  // Who goes back from the end has not paused.
  await page.keyboard.press('ArrowLeft')
  expect(await position()).toBeGreaterThan(15)
  await button('Pause').waitFor()
  await page.keyboard.press('ArrowLeft')
  await button('Pause').click()
  await button('Play').waitFor()
  expect(await requests()).toBe(before + 1)
})

test('the keys seek and play where no control is focused', async () => {
  await page.goto(link)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowLeft')
  expect(await position()).toBe(5)
  await page.keyboard.press(' ')
  await button('Pause').waitFor()
  await isAt(6)
})

test('lists chapters: each moves to its start, and the current one is marked', async () => {
  await setView(page, { colors: 'light', width: 360 })
  await page.goto(link)
  const list = page.getByRole('region', { name: 'Chapters' }).getByRole('listitem')
  expect(await list.count()).toBe(3)
  const current = () => page.locator('.chapter[aria-current=true]').textContent()
  expect(await current()).toContain('The tone begins')
  await list.nth(1).getByRole('button').focus()
  await page.keyboard.press('Enter')
  expect(await position()).toBe(8)
  expect(await current()).toContain('goes on')
  // A long name leaves room for the time.
  const times = await page.locator('.chapter span').evaluateAll((all) =>
    all.map((time) => {
      const text = document.createRange()
      text.selectNodeContents(time)
      return text.getClientRects().length
    }),
  )
  expect(times).toEqual([1, 1, 1])
  expect(await page.getByRole('link', { name: 'The tone ends' }).getAttribute('href')).toBe('https://example.com/end')
})

test('begins at the time of the link', async () => {
  await page.goto(`${link}?t=12`)
  expect(await page.locator('#now').textContent()).toBe('0:12')
  await button('Play').click()
  await button('Pause').waitFor()
  await isAt(13)
})

test('continues at the same place when the address of the file stops working', async () => {
  await page.goto(`${link}?t=5`)
  let requests = 0
  await page.route('**/v1/stream/**', async (route) => {
    if (requests++ === 0) await route.fulfill({ status: 403 })
    else await route.continue()
  })
  await button('Play').click()
  await isAt(6)
  expect(requests).toBe(2)
  expect(await page.getByRole('alert').isVisible()).toBe(false)
  await page.unroute('**/v1/stream/**')
})

test('shows that the sound cannot be loaded', async () => {
  await page.goto(link)
  await page.route('**/v1/stream/**', (route) => route.fulfill({ status: 503 }))
  await button('Play').click()
  await page.getByRole('alert').waitFor()
  await page.unroute('**/v1/stream/**')
  await button('Play').click()
  await isAt(1)
})

test('a collection plays its next track after the first', async () => {
  await page.goto(collectionLink)
  const tracks = page.getByRole('navigation', { name: 'Tracks' }).getByRole('link')
  expect(await tracks.allTextContents()).toEqual(['1. A piece for one tone', '2. second'])
  await button('Play').click()
  await isAt(1)
  await page.getByRole('slider').focus()
  await page.keyboard.press('End')
  await page.locator('#title', { hasText: 'second' }).waitFor()
  await isAt(1)
  expect(await tracks.nth(1).getAttribute('aria-current')).toBe('true')
})

test('the link that is copied opens what plays, at its time', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const copied = async () => {
    await page.getByRole('button', { name: 'Copy link at this time' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    return new URL(await page.evaluate(() => navigator.clipboard.readText()))
  }
  await page.goto(`${collectionLink}?t=7`)
  const ofAlbum = await copied()
  expect([ofAlbum.origin + ofAlbum.pathname, ofAlbum.searchParams.get('t')]).toEqual([collectionLink, '7'])
  await page.getByRole('link', { name: '2. second' }).click()
  await page.locator('#title', { hasText: 'second' }).waitFor()
  await isAt(1)
  await button('Pause').click()
  const second = await page.getByRole('link', { name: '2. second' }).getAttribute('href')
  await page.getByRole('button', { name: 'Copy link at this time' }).waitFor()
  await page.getByRole('slider').focus()
  await page.keyboard.press('End')
  const ofTrack = await copied()
  expect([ofTrack.pathname, ofTrack.searchParams.get('t')]).toEqual([second, '2'])
  expect(await page.title()).toBe('second · First collection')
})

test('the link of a frame is that of the page, and its time is not negative', async () => {
  await page.setViewportSize({ width: 800, height: 600 })
  await page.goto(`${link.replace('/s/', '/embed/')}?t=-5`)
  expect(await page.locator('#now').textContent()).toBe('0:00')
  await page.getByRole('button', { name: 'Copy link at this time' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${link}?t=0`)
})

test('an open page whose link has ended says so', async () => {
  const { services } = service
  await page.goto(link)
  const where = { hash: new Bun.CryptoHasher('sha256').update(service.demo.share_key).digest('hex') }
  await services.db.apiKey.update({ where, data: { expiresAt: new Date(Date.now() - 1) } })
  try {
    await button('Play').click()
    await page.getByRole('alert').filter({ hasText: 'This link has expired, was removed or is incomplete.' }).waitFor()
  } finally {
    await services.db.apiKey.update({ where, data: { expiresAt: null } })
  }
  await button('Play').click()
  await isAt(1)
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('plays in a frame of another site', async () => {
  await page.goto(`${site.url}?src=${encodeURIComponent(link.replace('/s/', '/embed/'))}`)
  const frame = page.frameLocator('iframe')
  await frame.getByRole('button', { name: 'Play' }).click()
  await frame.getByRole('button', { name: 'Pause' }).waitFor()
  await page.goto(`${site.url}?src=${encodeURIComponent(link)}`)
  expect(await page.frameLocator('iframe').getByRole('button', { name: 'Play' }).count()).toBe(0)
})

test(`the first load has at most ${MAX_BYTES} bytes`, async () => {
  let bytes = 0
  const add = async (request: { sizes: () => Promise<{ responseBodySize: number; responseHeadersSize: number }> }) => {
    const { responseBodySize, responseHeadersSize } = await request.sizes()
    bytes += responseBodySize + responseHeadersSize
  }
  page.on('requestfinished', add)
  await page.goto(link, { waitUntil: 'networkidle' })
  page.off('requestfinished', add)
  expect(bytes).toBeGreaterThan(1000)
  expect(bytes).toBeLessThan(MAX_BYTES)
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  await setView(page, view)
  for (const [name, address] of [
    ['track', link],
    ['collection', collectionLink],
  ] as const) {
    await page.goto(address)
    await page.locator('#wave path').first().waitFor({ state: 'attached' })
    await expectAccessible(page, `listen-${name}`, view)
  }
})
