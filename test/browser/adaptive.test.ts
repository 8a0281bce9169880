// The page of a share link for an adaptive stream, as a listener uses it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { insertVariant, resolveProps } from '../../src/domain/variant/service.ts'
import { makeKey } from '../spec/support.ts'
import { tone } from '../support/audio.ts'
import { processed } from '../support/processed.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { withVariants } from '../support/variants.ts'
import type {} from './shaka-page.ts'
import { openSite, type Site } from './site.ts'

setDefaultTimeout(90_000)

const SECONDS = 45
const RATES = [64, 128, 320]
/** The way to the files, which a test makes slow. */
const network = { bytesPerSecond: Number.POSITIVE_INFINITY }
let cdn: Bun.Server<undefined>
let site: Site
let service: TestService
let page: Page
let variantId: string
let trackId: string
let key: string
let link: string

beforeAll(async () => {
  const built = await Bun.build({ entrypoints: [join(import.meta.dir, 'shaka-page.ts')], target: 'browser' })
  const script = await built.outputs[0]?.text()
  site = await openSite((request) =>
    new URL(request.url).pathname === '/script.js'
      ? new Response(script, { headers: { 'content-type': 'text/javascript' } })
      : new Response('<!doctype html><body><script src="/script.js"></script>', {
          headers: { 'content-type': 'text/html' },
        }),
  )
  ;({ service, page } = site)
  cdn = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: fetchSlowly })
  const { organization_id: id } = service.demo
  await service.services.db.organization.update({ where: { id }, data: { domain: `localhost:${cdn.port}` } })
  const variant = await insertVariant(service.services.db, {
    organizationId: service.demo.organization_id,
    trackId: null,
    type: 'adaptive',
    index: 'hls',
    props: resolveProps('adaptive', { bitrates: RATES }),
  })
  variantId = variant.id
  const process = async (seconds: number, name: string) => processed(service, await tone(seconds), name)
  trackId = (await withVariants(service, ['hls'], () => process(SECONDS, 'song.wav'))).id
  await withVariants(service, ['hls'], () => process(8, 'second.wav'))
  key = await makeKey(service, 'share', { variantId })
  link = `${service.demo.base_url}/s/${trackId}/${key}`
})
afterAll(async () => {
  await cdn?.stop(true)
  await site?.stop()
})

const PIECE_BYTES = 2000

/** Answers as the edge does, at the speed of the network. */
async function fetchSlowly(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const { headers, method } = request
  const answer = await fetch(`${service.services.config.edgeUrl}${pathname}${search}`, { headers, method })
  const bytes = await answer.bytes()
  let at = 0
  const slowly = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await Bun.sleep((PIECE_BYTES / network.bytesPerSecond) * 1000)
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + PIECE_BYTES))
      else controller.close()
      at += PIECE_BYTES
    },
  })
  return new Response(slowly, { status: answer.status, headers: answer.headers })
}

const button = (name: 'Play' | 'Pause') => page.getByRole('button', { name, exact: true })
const isAt = async (seconds: number) =>
  page.waitForFunction((least) => Number(document.querySelector<HTMLInputElement>('#seek')?.value) >= least, seconds)
const plays = () => service.services.db.playEvent.count()

/** Bit rates whose files the page requests from now on, in order. */
function watchRates(): number[] {
  const rates: number[] = []
  page.on('request', (request) => {
    const [, rate] = /\/v1\/adaptive\/[^/]+\/[^/]+\/(\d+)\.[0-9a-f]+\.m4a$/.exec(request.url()) ?? []
    if (rate) rates.push(Number(rate))
  })
  return rates
}

test('plays, pauses and seeks, and counts one play', async () => {
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  const before = await plays()
  await page.goto(link)
  expect(await plays()).toBe(before)
  await button('Play').click()
  await isAt(1)
  await page.getByRole('slider', { name: 'Position' }).focus()
  await page.keyboard.press('End')
  await button('Play').waitFor()
  await page.keyboard.press('ArrowLeft')
  await isAt(SECONDS - 5)
  await button('Pause').click()
  await button('Play').waitFor()
  expect(await plays()).toBe(before + 1)
  expect(problems).toEqual([])
})

test('begins with 128 kbps, takes a lower rate in a slow network, and a higher one in a fast one without a pause', async () => {
  const rates = watchRates()
  const untilRequested = (rate: number) => until(`${rate} kbps`, 60_000, () => rates.includes(rate))
  await page.goto(`${link}?t=0`)
  await page.evaluate(() => {
    const { play } = HTMLMediaElement.prototype
    HTMLMediaElement.prototype.play = function () {
      this.onwaiting = () => document.body.setAttribute('data-paused', '')
      return play.call(this)
    }
  })
  network.bytesPerSecond = 110_000 / 8
  await button('Play').click()
  await untilRequested(64)
  network.bytesPerSecond = 500_000
  await untilRequested(320)
  const switchedAt = Number(await page.locator('#seek').inputValue())
  await page.evaluate(() => document.body.removeAttribute('data-paused'))
  await isAt(switchedAt + 12)
  expect([rates[0], rates.at(-1)]).toEqual([128, 320])
  expect(await page.locator('[data-paused]').count()).toBe(0)
})

test('an album plays its next track, each with a play of its own', async () => {
  const before = await plays()
  await page.goto(`${service.demo.base_url}/s/collection/${service.demo.collection_id}/${key}`)
  await button('Play').click()
  await isAt(1)
  await page.getByRole('button', { name: 'Next track' }).click()
  await page.locator('#title').getByText('second').waitFor()
  await page.waitForFunction(() => Number(document.querySelector<HTMLInputElement>('#seek')?.value) < 1)
  await isAt(1)
  expect(await plays()).toBe(before + 2)
})

test('plays the best file where the player cannot be loaded', async () => {
  const rates = watchRates()
  const before = await plays()
  await page.goto(`${link}?t=0`)
  const chunks = '**/s/assets/chunk-*'
  await page.route(chunks, (route) => route.abort())
  try {
    await button('Play').click()
    await isAt(1)
    await page.getByRole('slider', { name: 'Position' }).focus()
    await page.keyboard.press('End')
    await button('Play').waitFor()
  } finally {
    await page.unroute(chunks)
  }
  expect(rates).toEqual([])
  expect(await plays()).toBe(before + 1)
})

test('plays the best file where the browser fails to play what the player hands to it', async () => {
  const other = (await page.context().browser()?.newPage()) as Page
  await other.addInitScript(() => {
    SourceBuffer.prototype.appendBuffer = () => {
      throw new DOMException('no memory', 'InvalidStateError')
    }
  })
  const files: string[] = []
  other.on(
    'request',
    (request) => void (request.url().endsWith(`/v1/stream/${trackId}/${key}`) && files.push(request.url())),
  )
  await other.goto(`${link}?t=5`)
  await other.getByRole('button', { name: 'Play', exact: true }).click()
  await other.waitForFunction(() => Number(document.querySelector<HTMLInputElement>('#seek')?.value) >= 7)
  expect(files.length).toBe(1)
  expect(await other.getByRole('alert').count()).toBe(0)
  await other.close()
})

test.each(['m3u8', 'mpd'])('Shaka Player on another site plays the %s, also from the middle', async (form) => {
  await page.goto(site.url)
  const stream = `${service.demo.base_url}/v1/stream/${trackId}/${key}.${form}`
  for (const from of [0, SECONDS / 2]) {
    const { duration, rates } = await page.evaluate(([address, from]) => window.shakaPage.play(address, from, 1), [
      stream,
      from,
    ] as const)
    expect(duration).toBeCloseTo(SECONDS, 1)
    expect(rates.length).toBe(RATES.length)
  }
})
