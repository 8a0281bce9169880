// The page of a share link, as a listener uses it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makeKey } from '../spec/support.ts'
import { data } from '../support/administrators.ts'
import { tone } from '../support/audio.ts'
import { processed } from '../support/processed.ts'
import type { TestService } from '../support/service.ts'
import { testInChromium } from './launch.ts'
import { openSite, type Site } from './site.ts'
import { expectAccessible, setView, views } from './view.ts'

setDefaultTimeout(90_000)

const SECONDS = 20
const MAX_BYTES = 120_000
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
const slider = () => page.getByRole('slider', { name: 'Position' })
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
  expect(await page.locator('#wave path').count()).toBe(3)
  expect(await requests()).toBe(before)

  await button('Play').click()
  await isAt(1)
  await slider().focus()
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

test('marks the cue of the transcription that is said, and moves to a cue', async () => {
  const lines = Array.from(
    { length: 20 },
    (_, second) =>
      `00:${String(second).padStart(2, '0')}.000 --> 00:59.000\n<v Ines>Second &amp; <i>tone</i> ${second}\n`,
  )
  const { db } = service.services
  const { id, transcription: before } = await db.track.findFirstOrThrow({ where: { transcription: { not: null } } })
  const setTranscription = (transcription: string | null) => db.track.update({ where: { id }, data: { transcription } })
  await setTranscription(`WEBVTT\n\nNOTE a comment\n\n${lines.join('\n')}`)
  try {
    await page.goto(link)
    await page.getByText('Transcript', { exact: true }).click()
    const cues = page.locator('#cues').getByRole('button')
    await cues.nth(19).waitFor()
    expect(await cues.first().locator('.said').textContent()).toBe('InesSecond & tone 0')
    expect(await cues.nth(1).locator('.said').textContent()).toBe('Second & tone 1')
    const current = () => page.locator('.cue[aria-current=true] .said').textContent()
    expect(await current()).toContain('tone 0')
    await page.locator('#seek').fill('18')
    expect(await current()).toBe('Second & tone 18')
    await page.waitForFunction(() => (document.querySelector('#cues')?.scrollTop ?? 0) > 100)
    await cues.nth(4).click()
    expect(await position()).toBe(4)
    expect(await current()).toBe('Second & tone 4')
  } finally {
    await setTranscription(before)
  }
})

test('offers the transcript in other languages, and keeps the choice', async () => {
  const { db } = service.services
  const { id: trackId } = await db.track.findFirstOrThrow({ where: { transcription: { not: null } } })
  const german = 'WEBVTT\n\n00:00.000 --> 00:10.000\nEin Ton\n\n00:10.000 --> 00:20.000\nSonst nichts\n'
  await db.translation.createMany({
    data: [
      { trackId, language: 'de', text: german, form: 'vtt' },
      { trackId, language: 'fr', text: 'Un son.', form: 'txt' },
    ],
  })
  const choice = page.getByRole('combobox', { name: 'Language of the transcript' })
  const chosen = () => choice.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text)
  try {
    await page.goto(link)
    await page.getByText('Transcript', { exact: true }).click()
    expect(await choice.locator('option').allTextContents()).toEqual(['English', 'Deutsch', 'français'])
    expect(await chosen()).toBe('English')
    expect(await page.locator('#text').textContent()).toContain('One tone.')
    await choice.selectOption('Deutsch')
    const cues = page.locator('#cues').getByRole('button')
    await cues.nth(1).click()
    expect(await page.locator('.cue[aria-current=true] .said').textContent()).toBe('Sonst nichts')
    expect(await page.locator('#transcript').getAttribute('lang')).toBe('de')
    for (const view of views) {
      await setView(page, view)
      await expectAccessible(page, 'listen-translation', view)
    }
    await page.reload()
    await page.getByText('Transcript', { exact: true }).click()
    await cues.first().waitFor()
    expect(await chosen()).toBe('Deutsch')
    await page.route('**/transcript.*', (route) => route.abort())
    await choice.selectOption('français')
    await page.getByText('The transcript cannot be loaded').waitFor()
    await page.unroute('**/transcript.*')
    await choice.selectOption('English')
    await choice.selectOption('français')
    await page.getByText('Un son.').waitFor()
    // Without a choice, a listener who reads only a translation gets it.
    await page.evaluate(() => localStorage.clear())
    await db.track.update({ where: { id: trackId }, data: { transcriptionLanguage: 'fi' } })
    await db.translation.create({ data: { trackId, language: 'en-GB', text: 'A tone.', form: 'txt' } })
    await page.reload()
    await page.getByText('Transcript', { exact: true }).click()
    await page.getByText('A tone.').waitFor()
    expect(await chosen()).toBe('British English')
    const other = await page.context().browser()?.newPage()
    if (!other) throw new Error('no browser')
    await other.addInitScript(() => Object.defineProperty(navigator, 'languages', { value: ['sv', 'fr-CH', 'en'] }))
    await other.goto(link)
    await other.getByText('Transcript', { exact: true }).click()
    await other.getByText('Un son.').waitFor()
    await other.close()
  } finally {
    await db.translation.deleteMany()
    await db.track.update({ where: { id: trackId }, data: { transcriptionLanguage: 'en' } })
    await page.evaluate(() => localStorage.clear())
  }
})

test('begins at the time of the link', async () => {
  await page.goto(`${link}?t=12`)
  expect(await page.locator('#now').textContent()).toBe('0:12')
  await button('Play').click()
  await button('Pause').waitFor()
  await isAt(13)
})

testInChromium('continues at the same place when the address of the file stops working', async () => {
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

testInChromium('shows that the sound cannot be loaded', async () => {
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
  expect(await tracks.allTextContents()).toEqual(['A piece for one tone', 'second'])
  await button('Play').click()
  await isAt(1)
  await slider().focus()
  await page.keyboard.press('End')
  await page.locator('#title', { hasText: 'second' }).waitFor()
  await isAt(1)
  expect(await tracks.nth(1).getAttribute('aria-current')).toBe('true')
})

testInChromium('the sheet copies a link to what plays, at its time, and has code for a website', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const sheet = page.getByRole('dialog', { name: 'Share' })
  const copied = async (name = 'Copy link') => {
    await sheet.getByRole('button', { name, exact: true }).click()
    await sheet.getByText('Copied').waitFor()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  const openSheet = () => page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.goto(`${collectionLink}?t=7`)
  await openSheet()
  await page
    .getByRole('img', { name: /opens the link/ })
    .locator('path')
    .waitFor({ state: 'attached' })
  expect(await copied()).toBe(`${collectionLink}?t=7`)
  await sheet.getByLabel('Start at 0:07').uncheck()
  expect(await sheet.getByLabel('Link', { exact: true }).inputValue()).toBe(collectionLink)
  const code = await sheet.getByLabel('Code for a website').inputValue()
  expect(code).toContain(`src="${collectionLink.replace('/s/', '/embed/')}" width="480" height="420"`)
  const feed = await sheet.getByRole('link', { name: 'Subscribe' }).getAttribute('href')
  expect(new URL(feed ?? '', link).href).toBe(`${collectionLink}/feed.xml`)
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'second' }).click()
  await page.locator('#title', { hasText: 'second' }).waitFor()
  await isAt(1)
  await button('Pause').click()
  const second = await page.getByRole('link', { name: 'second' }).getAttribute('href')
  await openSheet()
  expect(new URL(await copied()).pathname).toBe(second ?? '')
  expect(await page.title()).toBe('second · First collection')
})

test('a track has no feed to subscribe to', async () => {
  await page.goto(link)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  expect(await page.getByRole('link', { name: 'Subscribe' }).count()).toBe(0)
  expect(await page.getByLabel('Code for a website').inputValue()).toContain('height="152"')
})

test('the waveform is the control: a press on it plays from there, and the pointer shows the time', async () => {
  await setView(page, { colors: 'light', width: 1440 })
  await page.goto(link)
  const box = await page.locator('.wave').boundingBox()
  if (!box) throw new Error('no waveform')
  await page.mouse.move(box.x + box.width / 2, box.y + 40)
  expect(await page.locator('#tip').textContent()).toBe(
    '0:10 · The tone goes on, in a chapter with a name that is longer than a phone is wide',
  )
  await page.mouse.click(box.x + box.width * 0.75, box.y + 40)
  expect(Math.abs((await position()) - 15)).toBeLessThanOrEqual(1)
  expect(await page.locator('#marks i').count()).toBe(2)
})

test('goes to the next track and back, and skips 15 seconds', async () => {
  await page.goto(collectionLink)
  const press = (name: string) => page.getByRole('button', { name }).click()
  await press('Forward 15 seconds')
  expect(await position()).toBe(15)
  await press('Back 15 seconds')
  expect(await position()).toBe(0)
  await press('Next track')
  await page.locator('#title', { hasText: 'second' }).waitFor()
  expect(await page.getByRole('button', { name: 'Next track' }).isDisabled()).toBe(true)
  await page.locator('#live', { hasText: 'Now playing: second' }).waitFor({ state: 'attached' })
  await press('Previous track')
  await page.locator('#title', { hasText: 'A piece for one tone' }).waitFor()
})

test('the sleep timer ends the sound after its minutes', async () => {
  const sleeper = await page.context().browser()?.newPage()
  if (!sleeper) throw new Error('no browser')
  try {
    await sleeper.clock.install()
    await sleeper.goto(link)
    await sleeper.getByLabel('Sleep timer').selectOption('15 minutes')
    await sleeper.getByRole('button', { name: 'Play', exact: true }).click()
    await sleeper.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    await sleeper.clock.fastForward(14 * 60_000)
    expect(await sleeper.getByRole('button', { name: 'Pause', exact: true }).count()).toBe(1)
    await sleeper.clock.fastForward(61_000)
    await sleeper.getByRole('button', { name: 'Play', exact: true }).waitFor()
    expect(await sleeper.getByLabel('Sleep timer').inputValue()).toBe('')
  } finally {
    await sleeper.close()
  }
})

test('the end of the track ends the sound where the timer says so', async () => {
  await page.goto(collectionLink)
  await page.getByLabel('Sleep timer').selectOption('End of the track')
  await button('Play').click()
  await isAt(1)
  await slider().focus()
  await page.keyboard.press('End')
  await button('Play').waitFor()
  expect(await page.locator('#title').textContent()).toBe('A piece for one tone')
})

test('keeps speed and volume for the next visit', async () => {
  await page.goto(link)
  await page.getByLabel('Speed').selectOption('1.5')
  await page.keyboard.press('Escape')
  await page.getByLabel('Volume').fill('0.5')
  await page.goto(collectionLink)
  expect([await page.getByLabel('Speed').inputValue(), await page.getByLabel('Volume').inputValue()]).toEqual([
    '1.5',
    '0.5',
  ])
  await page.evaluate(() => localStorage.clear())
})

test('lists its keys', async () => {
  await page.goto(link)
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard' })
  await sheet.waitFor()
  await sheet.getByRole('button', { name: 'Close' }).click()
  await page.keyboard.press('m')
  await page.getByRole('button', { name: 'Unmute' }).waitFor()
})

test('nothing moves while the page loads', async () => {
  await setView(page, { colors: 'light', width: 1440 })
  await page.addInitScript(() => {
    const moved = { sum: 0 }
    Object.assign(window, { moved })
    new PerformanceObserver((entries) => {
      for (const entry of entries.getEntries()) moved.sum += (entry as unknown as { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  for (const address of [link, collectionLink]) {
    await page.goto(address, { waitUntil: 'networkidle' })
    expect(await page.evaluate(() => (window as unknown as { moved: { sum: number } }).moved.sum)).toBeLessThan(0.01)
  }
})

test('an open page whose link has ended says so', async () => {
  const { db } = service.services
  const { variantId } = await db.apiKey.findFirstOrThrow({ where: { kind: 'share' } })
  // Of its own: Firefox plays again what another page has loaded from the same address.
  const key = await makeKey(service, 'share', { variantId })
  const where = { hash: new Bun.CryptoHasher('sha256').update(key).digest('hex') }
  await page.goto(link.replace(service.demo.share_key, key))
  await db.apiKey.update({ where, data: { expiresAt: new Date(Date.now() - 1) } })
  await button('Play').click()
  await page.getByRole('alert').filter({ hasText: 'This link has expired, was removed or is incomplete.' }).waitFor()
  await db.apiKey.update({ where, data: { expiresAt: null } })
  await button('Play').click()
  await isAt(1)
  expect(await page.getByRole('alert').count()).toBe(0)
})

/** Creates a link to the first track, with limits. */
async function createLink(limits: object): Promise<string> {
  const create = 'mutation ($input: CreateShareKeyInput!) { createShareKey(input: $input) { key } }'
  const input = { title: 'With limits', variant: 'hq', ...limits }
  const { createShareKey } = await data(service, create, { input }, service.demo.api_key)
  return link.replace(service.demo.share_key, createShareKey.key)
}

test('a play that a limit refuses says which', async () => {
  const address = await createLink({ maxPlays: 1 })
  const stream = address.replace('/s/', '/v1/stream/')
  await fetch(stream, { headers: { 'user-agent': 'Overcast/3.0' }, redirect: 'manual' })
  await page.goto(address)
  await button('Play').click()
  await page.getByRole('alert').filter({ hasText: 'This link has been played as often as it may be.' }).waitFor()
  expect(await page.getByRole('link', { name: 'Save the file' }).count()).toBe(0)
})

test('a link with a password is opened by its form, plays and is saved', async () => {
  const address = await createLink({ password: 'Open sesame', isDownloadable: true })
  await page.goto(`${address}?t=3`)
  await page.getByRole('heading', { name: 'This link needs a password' }).waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'listen-password', view)
  }
  await setView(page, { colors: 'light', width: 1440 })
  await page.getByLabel('Password').fill('open sesame')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByRole('alert').filter({ hasText: 'This is not the password.' }).waitFor()
  await page.getByLabel('Password').fill('Open sesame')
  await page.getByLabel('Password').press('Enter')
  await button('Play').click()
  await isAt(4)
  const saving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Save the file' }).click()
  expect((await saving).suggestedFilename()).toMatch(/\.m4a$/)
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'listen-download', view)
  }
})

testInChromium('plays in a frame of another site', async () => {
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

test.each([900, 1024])('the tools are in one line next to the cover, %d pixels wide', async (width) => {
  await setView(page, { colors: 'light', width })
  await page.goto(collectionLink)
  await page.locator('#wave path').first().waitFor({ state: 'attached' })
  const box = await page.locator('.tools').boundingBox()
  expect(box?.height).toBeLessThan(60)
  expect(box?.x).toBeGreaterThan(250)
})
