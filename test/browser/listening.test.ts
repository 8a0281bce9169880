// Reports of players: what a listener hears becomes the curve of the track.
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, Page, Request } from 'playwright-core'
import { data } from '../support/administrators.ts'
import { tone } from '../support/audio.ts'
import { processed } from '../support/processed.ts'
import type { Json, TestService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { serveClientPage } from './client-site.ts'
import { launchBrowser, testInChromium } from './launch.ts'
import { type Host, startSite } from './site.ts'

setDefaultTimeout(90_000)

/** A hundredth has 0.2 seconds. */
const SECONDS = 20
/** Without the word Headless, which makes a bot of the browser. Of the browser: a page's own is not sent while it closes. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'
let site: Host
let browser: Browser
let service: TestService
let trackId: string
let page: Page

beforeAll(async () => {
  site = await startSite(await serveClientPage(), { LISTENING_SAMPLE: '1' })
  service = site.service
  browser = await launchBrowser([`--user-agent=${userAgent}`])
})
afterAll(async () => {
  await browser?.close()
  await site?.stop()
})
beforeEach(async () => {
  await page?.close()
  trackId = (await processed(service, await tone(SECONDS), 'song.wav')).id
  page = await browser.newPage()
})

const RETENTION = 'query ($trackId: ID!) { retention(trackId: $trackId) { listenings averageSeconds hundredths } }'
const retention = async (id = trackId): Promise<Json> =>
  (await data(service, RETENTION, { trackId: id }, service.demo.api_key)).retention
/** Waits until a listening has a hundredth. */
const untilHeard = (place: number, id = trackId) =>
  until(`hundredth ${place}`, 15_000, async () => (await retention(id)).hundredths[place] > 0)
const shareLink = (id = trackId) => `${service.demo.base_url}/s/${id}/${service.demo.share_key}`
const button = (name: string) => page.getByRole('button', { name, exact: true })
const position = () => page.getByRole('slider', { name: 'Position' })
const isAfter = (seconds: number) =>
  page.waitForFunction((least) => Number(document.querySelector<HTMLInputElement>('#seek')?.value) >= least, seconds)
/** Addresses of the reports of the page, with their methods. */
function watchReports(): string[] {
  const reports: string[] = []
  page.on('request', (request: Request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/v1/listening/')) reports.push(request.method())
  })
  return reports
}

test('the parts that a listener hears are those of the curve', async () => {
  const reports = watchReports()
  await page.goto(shareLink())
  await button('Play').click()
  // The position is shown in whole seconds.
  await isAfter(2)
  await position().fill('12')
  await isAfter(14)
  await button('Pause').click()
  // A second after each of the two starts was heard, and nothing between.
  await untilHeard(65)
  const { listenings, hundredths, averageSeconds } = await retention()
  expect(listenings).toBe(1)
  expect(hundredths.slice(0, 5)).toEqual([1, 1, 1, 1, 1])
  expect(hundredths.slice(61, 66)).toEqual(Array(5).fill(1))
  const isSilent = ([from, to]: [number, number]) => hundredths.slice(from, to).every((count: number) => count === 0)
  expect([isSilent([30, 59]), isSilent([85, 100])]).toEqual([true, true])
  expect(averageSeconds).toBeWithin(2.6, 8)
  // Each pause, and no preflight.
  expect(new Set(reports)).toEqual(new Set(['POST']))
  await page.reload()
  await button('Play').click()
  await page.waitForFunction(() => document.querySelector('#player.playing'))
  await button('Pause').click()
  await untilHeard(65)
  expect((await retention()).listenings).toBe(1)
})

test('a page that closes reports what was heard', async () => {
  await page.goto(shareLink())
  await button('Play').click()
  await isAfter(2)
  expect((await retention()).listenings).toBe(0)
  await page.goto('about:blank')
  await untilHeard(5)
})

test('the tracks of a collection have a curve each', async () => {
  const second = (await processed(service, await tone(5), 'second.wav')).id
  await page.goto(`${service.demo.base_url}/s/collection/${service.demo.collection_id}/${service.demo.share_key}`)
  await page.locator(`#list a[data-id="${trackId}"]`).click()
  await isAfter(2)
  await button('Next track').click()
  // It is heard to its end.
  await untilHeard(99, second)
  await untilHeard(2)
  const [one, two] = [await retention(), await retention(second)]
  expect([one.listenings, two.listenings, two.averageSeconds]).toEqual([1, 1, 5])
  // The end of the second one is not reported of the first one.
  expect(one.hundredths.slice(20)).toEqual(Array(80).fill(0))
})

test.each(['globalPrivacyControl', 'doNotTrack'])('a listener with %s reports nothing', async (name) => {
  const reports = watchReports()
  await page.addInitScript(
    (choice) => Object.defineProperty(navigator, choice, { value: choice === 'doNotTrack' ? '1' : true }),
    name,
  )
  await page.goto(shareLink())
  await button('Play').click()
  await isAfter(1)
  await button('Pause').click()
  await page.goto('about:blank')
  expect(reports).toEqual([])
  expect((await retention()).listenings).toBe(0)
})

testInChromium('a frame of another site reports', async () => {
  await page.goto(`${site.url}?${new URLSearchParams({ share: shareLink() })}`)
  await page.getByRole('button', { name: 'Listen' }).click()
  await page.locator('output', { hasText: /plays [1-9]/ }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await untilHeard(2)
})

test('the client package reports for a play session from another site', async () => {
  const reports = watchReports()
  const { json } = await service.v1('POST', '/play_session/track', { body: { track_id: trackId } })
  const { listening_url: listening, variants } = json.first_track
  await page.goto(`${site.url}?${new URLSearchParams({ sound: variants[0].url, listening })}`)
  await page.evaluate(async () => {
    const audio = document.querySelector('audio') as HTMLAudioElement
    const isPast = (seconds: number) =>
      new Promise<void>((resolve) => {
        audio.addEventListener('timeupdate', () => audio.currentTime >= seconds && resolve())
      })
    await audio.play()
    await isPast(1)
    // The element forgets what it has played.
    audio.load()
    await new Promise((resolve) => audio.addEventListener('loadedmetadata', resolve))
    audio.currentTime = 19
    await audio.play()
    await new Promise((resolve) => audio.addEventListener('ended', resolve))
  })
  await untilHeard(99)
  await until('a report', 10_000, () => reports.length > 0)
  const { hundredths } = await retention()
  expect([hundredths[2], hundredths[50], hundredths[97]]).toEqual([1, 0, 1])
  expect(new Set(reports)).toEqual(new Set(['POST']))
})
