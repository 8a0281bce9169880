import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { signIn } from '../support/administrators.ts'
import { tone } from '../support/audio.ts'
import type { TestService } from '../support/service.ts'
import { variantsAs } from '../support/variants.ts'
import { player } from './page.ts'
import { openSite, type Site } from './site.ts'

setDefaultTimeout(90_000)

const SECONDS = 20
let site: Site
let service: TestService
let page: Page
let trackId: string

beforeAll(async () => {
  site = await openSite(() => new Response(player, { headers: { 'content-type': 'text/html' } }))
  ;({ service, page } = site)
  const variants = variantsAs(service, (await signIn(service)).token)
  await variants.create({ variantTypeId: 'TRANSCODE', index: 'lossless', codec: 'flac' })
})
afterAll(() => site?.stop())

/** The key of a link that plays one variant. */
async function shareKey(variant: string): Promise<string> {
  const body = { title: variant, api_key_type_id: 'share', variants: [variant] }
  const { status, json } = await service.v1('POST', '/api_key', { body })
  expect(status).toBe(200)
  return json.api_key
}

test('a page of another origin uploads with progress', async () => {
  const { demo } = service
  const sound = Buffer.from(await tone(SECONDS, 'wav', { channels: 1 })).toString('base64')
  const createdTrack = await page.evaluate(
    ({ base, key, collection }) => window.tonearm.createTrack(base, key, collection),
    {
      base: demo.base_url,
      key: demo.api_key,
      collection: demo.collection_id,
    },
  )
  expect(createdTrack.ok).toBe(true)
  const put = await page.evaluate(({ url, sound }) => window.tonearm.upload(url, sound), {
    url: createdTrack.track_upload.upload_url,
    sound,
  })
  expect(put.status).toBe(200)
  expect(put.checksum).toBeString()
  expect(put.progress.length).toBeGreaterThan(0)
  expect(put.progress.at(-1)).toEqual({ loaded: put.size, total: put.size })
  trackId = createdTrack.track_id
  await service.runJobs()
  const { json } = await service.v1('GET', `/track/${trackId}`)
  expect(json.track.track_status_id).toBe('ready')
})

// A preview contains at most half of the recording by default.
for (const [variant, codec, seconds] of [
  ['hq', 'AAC', SECONDS],
  ['lq', 'Opus', SECONDS],
  ['lossless', 'FLAC', SECONDS],
  ['preview', 'MP3', SECONDS / 2],
] as const) {
  for (const crossOrigin of [null, 'anonymous'] as const) {
    test(`${codec} plays and seeks in an <audio> element of another origin, crossorigin ${crossOrigin}`, async () => {
      const link = `${service.demo.base_url}/v1/stream/${trackId}/${await shareKey(variant)}`
      await page.evaluate(({ link, crossOrigin }) => window.tonearm.load(link, crossOrigin), { link, crossOrigin })
      // Sound may begin only where a person has clicked.
      await page.click('#play')
      const started = await page.evaluate(() => window.tonearm.playFor(1))
      expect(started.error).toBe(null)
      expect(started.advanced).toBeGreaterThanOrEqual(1)
      expect(Math.abs(started.duration - seconds)).toBeLessThanOrEqual(0.05)

      const position = seconds * 0.75
      const sought = await page.evaluate((position) => window.tonearm.seekAndPlay(position, 1), position)
      expect(sought.error).toBe(null)
      expect(sought.from).toBeGreaterThanOrEqual(position - 0.05)
      expect(sought.from).toBeLessThan(position + 0.5)
      expect(sought.advanced).toBeGreaterThanOrEqual(1)
      // The clock alone is no proof: the decoder must deliver the tone after the seek.
      if (crossOrigin) expect(Math.abs((await page.evaluate(() => window.tonearm.pitch())) - 440)).toBeLessThan(25)
    })
  }
}
