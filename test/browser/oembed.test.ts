// oEmbed offers frames in which the whole player fits.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { tone } from '../support/audio.ts'
import { stripes } from '../support/picture.ts'
import { processed } from '../support/processed.ts'
import type { TestService } from '../support/service.ts'
import { openSite, type Site } from './site.ts'

setDefaultTimeout(90_000)

let site: Site
let service: TestService
let page: Page
let trackLink: string
let collectionLink: string

beforeAll(async () => {
  site = await openSite(() => new Response(''))
  ;({ service, page } = site)
  const { demo } = service
  const { id } = await processed(service, await tone(3), 'song.wav')
  const { json } = await service.v1('POST', `/track/${id}/cover`)
  await service.fetchEdge(json.track_cover_upload.upload_url, {
    method: 'POST',
    body: new Blob([stripes(900, [[900, [200, 80, 20]]])]),
  })
  await service.runJobs()
  const body = {
    player_title: 'A piece for one tone, with a title that is longer than any frame is wide, so that it has to be cut',
    player_subtitle: 'The Oscillators, and everybody else who took part in the recording of this piece in the end',
  }
  await service.v1('PUT', `/track/${id}`, { body })
  trackLink = `${demo.base_url}/s/${id}/${demo.share_key}`
  collectionLink = `${demo.base_url}/s/collection/${demo.collection_id}/${demo.share_key}`
})
afterAll(() => site?.stop())

test.each([undefined, 480, 360, 300])('the player fits into the frame for a maximum width of %p', async (maximum) => {
  for (const link of [trackLink, collectionLink]) {
    const limit = maximum ? `&maxwidth=${maximum}` : ''
    const answer = await service.request('GET', `/oembed?url=${encodeURIComponent(link)}${limit}`, { key: null })
    const { width, height, html } = answer.json
    expect(width).toBe(maximum ?? 480)
    const [, address = ''] = /src="([^"]+)"/.exec(html) ?? []
    await page.setViewportSize({ width, height })
    await page.goto(address)
    const bottom = await page.evaluate(() => document.querySelector('#player')?.getBoundingClientRect().bottom)
    const pageWidth = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(pageWidth).toBeLessThanOrEqual(width)
    expect(bottom).toBeGreaterThan(100)
    expect(bottom).toBeLessThanOrEqual(height)
  }
})

test.each(['/s/', '/embed/'])('the cover at %s is shown under the policy of the page', async (place) => {
  await page.goto(trackLink.replace('/s/', place))
  const width = () => page.locator('#cover').evaluate((image) => (image as HTMLImageElement).naturalWidth)
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>('#cover')?.complete)
  expect(await width()).toBe(500)
})

test('the media session and the home screen of a phone have the cover', async () => {
  await page.goto(trackLink)
  const artwork = await page.evaluate(() => navigator.mediaSession.metadata?.artwork ?? [])
  expect(artwork.map(({ sizes, type }) => [sizes, type])).toEqual(
    ['64x64', '200x200', '500x500', '900x900'].map((sizes) => [sizes, 'image/jpeg']),
  )
  const icon = await page.locator('link[rel=apple-touch-icon]').getAttribute('href')
  expect(icon).toContain('/cover-small.jpg')
  for (const address of [icon ?? '', ...artwork.map(({ src }) => src)])
    expect((await page.request.get(new URL(address, trackLink).href)).headers()['content-type']).toBe('image/jpeg')
  await page.goto(collectionLink)
  expect(await page.evaluate(() => navigator.mediaSession.metadata?.album)).toBe('First collection')
})

test('the thumbnail is within the bounds, or is left out', async () => {
  const readWidth = async (more: string): Promise<number | undefined> => {
    const answer = await service.request('GET', `/oembed?url=${encodeURIComponent(trackLink)}${more}`, { key: null })
    return answer.json.thumbnail_width
  }
  const widths = await Promise.all(['', '&maxwidth=500', '&maxheight=200', '&maxwidth=1'].map(readWidth))
  const [whole = 0, middle = 0, small = 0, none] = widths
  expect([whole > 500, middle <= 500, middle > 200, small <= 200, small > 0]).toEqual(Array(5).fill(true))
  expect(none).toBeUndefined()
})

test.each([360, 1440])('the waveform keeps its width when the sound fails, %d pixels', async (width) => {
  await page.setViewportSize({ width, height: 800 })
  await page.route('**/v1/stream/**', (route) => route.abort())
  await page.goto(trackLink)
  const wave = async () => (await page.locator('.wave').boundingBox())?.width ?? 0
  const before = await wave()
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await page.locator('#problem').waitFor({ state: 'visible' })
  expect(before).toBeGreaterThan(150)
  expect(await wave()).toBe(before)
})
