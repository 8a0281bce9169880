import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makeMedia, tone } from '../support/audio.ts'
import { processed } from '../support/processed.ts'
import type { Json, TestService } from '../support/service.ts'
import { isFirefox } from './launch.ts'
import { openSite, type Site } from './site.ts'

setDefaultTimeout(90_000)

const SECONDS = 20
let site: Site
let service: TestService
let page: Page
let complaints: string[]
let trackId: string
let files: Record<string, Json>

beforeAll(async () => {
  site = await openSite(() => new Response('', { headers: { 'content-type': 'text/html' } }))
  ;({ service, page } = site)
  complaints = []
  page.on('console', (message) => {
    // Browsers ask every origin for its icon; the edge has none.
    const isIcon = message.location().url.endsWith('/favicon.ico')
    if (['error', 'warning'].includes(message.type()) && !isIcon) complaints.push(message.text())
  })
  const collection = `/collection/${service.demo.collection_id}/cover`
  const picture = await makeMedia(['-f', 'lavfi', '-i', 'testsrc2=size=640x480', '-frames:v', '1'], 'png')
  const { json } = await service.v1('POST', collection)
  await service.fetchEdge(json.collection_cover_upload.upload_url, { method: 'POST', body: new Blob([picture]) })
  ;({ id: trackId, files } = await processed(service, await tone(SECONDS), 'tone.wav'))
})
afterAll(() => site?.stop())

/** Opens the address of a link: the browser shows its own page for the file. */
async function open(link: string): Promise<void> {
  complaints.length = 0
  await page.goto(link)
}

/** Plays the media page and returns the state of its element. */
const played = () =>
  page.evaluate(async () => {
    const media = document.querySelector('video')
    if (!media) throw new Error('no media element')
    const loaded = () => media.readyState >= 1 || media.error !== null
    if (!loaded()) {
      await new Promise((resolve) => {
        for (const event of ['loadedmetadata', 'error']) media.addEventListener(event, resolve, { once: true })
      })
    }
    if (media.error) return { error: media.error.message, duration: 0, advanced: 0 }
    const from = media.currentTime
    await media.play()
    await new Promise<void>((resolve) => {
      media.addEventListener('timeupdate', () => media.currentTime - from >= 0.5 && resolve())
    })
    return { error: null, duration: media.duration, advanced: media.currentTime - from }
  })

test('a stream link that is opened plays', async () => {
  await open(`${service.demo.base_url}/v1/stream/${trackId}/${service.demo.share_key}`)
  const { error, duration, advanced } = await played()
  expect(error).toBeNull()
  expect(Math.abs(duration - SECONDS)).toBeLessThan(0.1)
  expect(advanced).toBeGreaterThanOrEqual(0.5)
  expect(complaints).toEqual([])
})

// Firefox downloads any WAV file that is opened.
test.each(['lq', 'preview', ...(isFirefox ? [] : ['original'])])(
  'the signed URL of %s that is opened plays',
  async (index) => {
    await open(files[index].url)
    const { error, advanced } = await played()
    expect(error).toBeNull()
    expect(advanced).toBeGreaterThanOrEqual(0.5)
    expect(complaints).toEqual([])
  },
)

test('a cover that is opened shows', async () => {
  const body = { collection_id: service.demo.collection_id }
  const { json } = await service.v1('POST', '/play_session/collection', { body })
  const addresses = ['icon', 'large'].flatMap((size) => {
    const image = json.first_track.cover_image[size]
    return [image.url, image.webp.url]
  })
  expect(addresses).toHaveLength(4)
  for (const address of addresses) {
    await open(address)
    const width = await page.evaluate(() => document.querySelector('img')?.naturalWidth)
    expect(width).toBeGreaterThan(0)
    expect(complaints).toEqual([])
  }
})

test('a link that does not open is a page that says so', async () => {
  await open(`${service.demo.base_url}/v1/stream/${trackId}/nothing`)
  expect(await page.locator('h1').textContent()).toBe('This link does not work')
  await open(files.hq.url.replace(/verify=\d+/, 'verify=1500000000'))
  expect(await page.locator('h1').textContent()).toBe('This link has expired')
})
