// The player in a frame of another site: its sizes, what its address changes, and messages of player.js.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { TonearmPlayerElement } from '../../src/client/player.ts'
import { tone } from '../support/audio.ts'
import { processed } from '../support/processed.ts'
import type { TestService } from '../support/service.ts'
import { testInChromium } from './launch.ts'
import { openSite, type Site } from './site.ts'
import { expectAccessible, setView, views } from './view.ts'

setDefaultTimeout(90_000)

const SECONDS = 20
let site: Site
let service: TestService
let page: Page
let track: string
let collection: string

beforeAll(async () => {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../src/client/player.ts')],
    target: 'browser',
  })
  const element = await built.outputs[0]?.text()
  site = await openSite((request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/element.js') return new Response(element, { headers: { 'content-type': 'text/javascript' } })
    if (pathname === '/element') return new Response(elementPage, { headers: elementHeaders })
    const src = Bun.escapeHTML(new URL(request.url).searchParams.get('src') ?? '')
    const html = `<!doctype html><title>A blog</title><iframe src="${src}" width="480" height="152" allow="autoplay"></iframe>
      <script>
        window.messages = []
        addEventListener('message', ({ data }) => messages.push(JSON.parse(data)))
        window.send = (message) => document.querySelector('iframe').contentWindow.postMessage(
          JSON.stringify({ context: 'player.js', version: '0.0.11', ...message }), '*')
      </script>`
    return new Response(html, { headers: { 'content-type': 'text/html' } })
  })
  ;({ service, page } = site)
  const { id } = await processed(service, await tone(SECONDS), 'song.wav')
  for (let at = 2; at <= 9; at++) await processed(service, await tone(1), `track ${at}.wav`)
  const { base_url: base, share_key: key, collection_id: collectionId } = service.demo
  track = `${base}/embed/${id}/${key}`
  collection = `${base}/embed/collection/${collectionId}/${key}`
})
afterAll(() => site?.stop())

/** The policy of this page allows neither styles in the document nor scripts of other sites. */
const elementHeaders = {
  'content-type': 'text/html',
  'content-security-policy': "default-src 'none'; script-src 'self'; frame-src *",
}
const elementPage = `<!doctype html><title>A shop</title><script type="module" src="/element.js"></script>
  <button>Listen</button><tonearm-player></tonearm-player>`

interface Message {
  event: string
  value: unknown
  listener?: string
}
const findMessage = async (event: string): Promise<Message> => {
  await page.waitForFunction(
    (name) => (window as unknown as { messages: Message[] }).messages.some((message) => message.event === name),
    event,
  )
  return page.evaluate(
    (name) => (window as unknown as { messages: Message[] }).messages.findLast((message) => message.event === name),
    event,
  ) as Promise<Message>
}
const send = (message: object) =>
  page.evaluate((sent) => (window as unknown as { send: (message: object) => void }).send(sent), message)

test.each([
  ['a strip', 480, 152],
  ['a narrow strip', 280, 152],
  ['a strip with a list', 480, 420],
  ['a narrow strip with a list', 280, 420],
])('%s fits into its frame', async (_, width, height) => {
  await page.setViewportSize({ width, height })
  for (const address of [track, collection]) {
    await page.goto(address)
    await page.locator('#wave path').first().waitFor({ state: 'attached' })
    const boxes = await page.evaluate(() =>
      ['#play', '.wave', '#length', 'h1'].map((name) => document.querySelector(name)?.getBoundingClientRect().toJSON()),
    )
    for (const box of boxes) {
      expect(box.height).toBeGreaterThan(0)
      expect([box.left >= 0, box.top >= 0, box.right <= width, box.bottom <= height]).toEqual(Array(4).fill(true))
    }
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(height)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
})

test('the list scrolls inside of the frame, and can be left out', async () => {
  await page.setViewportSize({ width: 480, height: 420 })
  await page.goto(collection)
  const list = page.locator('#list')
  expect(await list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)).toBe(true)
  await page.goto(`${collection}?list=off`)
  expect(await list.isVisible()).toBe(false)
  const cover = await page.locator('.cover:visible').boundingBox()
  expect(cover?.width).toBeGreaterThan(200)
})

const readStyle = () =>
  page.evaluate(() => {
    const { colorScheme } = getComputedStyle(document.documentElement)
    const play = document.querySelector('#play')
    return { colorScheme, play: play ? getComputedStyle(play).backgroundColor : '' }
  })

test('the address chooses color and theme; invalid values are ignored', async () => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(track)
  const usual = await readStyle()
  await page.goto(`${track}?color=0b6e4f&theme=dark`)
  expect((await readStyle()).colorScheme).toBe('dark')
  await page.goto(`${track}?color=%230b6e4f&theme=light`)
  expect(await readStyle()).toEqual({ colorScheme: 'light', play: 'rgb(11, 110, 79)' })
  await page.goto(`${track}?color=red;}&theme=pink&start=x&list=maybe&autoplay=yes`)
  expect(await readStyle()).toEqual(usual)
  expect(await page.locator('#now').textContent()).toBe('0:00')
  expect(await page.getByRole('button', { name: 'Play', exact: true }).count()).toBe(1)
})

testInChromium('begins at the time of the address, and by itself where the browser allows it', async () => {
  await page.goto(`${track}?start=12`)
  expect(await page.locator('#now').textContent()).toBe('0:12')
  // Where a person has used the page around the frame.
  await page.goto(`${site.url}?src=${encodeURIComponent(track)}`)
  await page.mouse.click(700, 500)
  const address = `${track}?autoplay=1`
  await page.evaluate((src) => document.querySelector('iframe')?.setAttribute('src', src), address)
  await page.frameLocator('iframe').getByRole('button', { name: 'Pause', exact: true }).waitFor()
})

testInChromium('answers the messages of player.js', async () => {
  await page.setViewportSize({ width: 800, height: 600 })
  await page.goto(`${site.url}?src=${encodeURIComponent(track)}`)
  const { value } = await findMessage('ready')
  expect(value).toMatchObject({ src: track, events: expect.arrayContaining(['timeupdate', 'ended']) })
  await send({ method: 'getDuration', listener: 'a' })
  expect(await findMessage('getDuration')).toMatchObject({ value: SECONDS, listener: 'a' })
  for (const event of ['play', 'pause', 'timeupdate', 'ended'])
    await send({ method: 'addEventListener', value: event, listener: `on-${event}` })
  await send({ method: 'setCurrentTime', value: 5 })
  await send({ method: 'setVolume', value: 40 })
  // Sound may begin only where a person has clicked.
  await page.frameLocator('iframe').getByRole('button', { name: 'Play', exact: true }).click()
  expect(await findMessage('play')).toMatchObject({ listener: 'on-play' })
  const { value: time } = await findMessage('timeupdate')
  expect(time).toMatchObject({ duration: expect.any(Number), seconds: expect.any(Number) })
  await send({ method: 'getVolume' })
  expect((await findMessage('getVolume')).value).toBe(40)
  await send({ method: 'pause' })
  await findMessage('pause')
  await send({ method: 'getPaused' })
  expect((await findMessage('getPaused')).value).toBe(true)
  await send({ method: 'getCurrentTime' })
  expect((await findMessage('getCurrentTime')).value as number).toBeGreaterThanOrEqual(5)
  await send({ method: 'play' })
  await send({ method: 'setCurrentTime', value: SECONDS - 0.3 })
  expect(await findMessage('ended')).toMatchObject({ listener: 'on-ended' })
})

describe('the element of the client package', () => {
  const element = () => page.locator('tonearm-player')
  /** Opens a page with the element, which collects its events and plays by a button. */
  async function openElement(attributes: Record<string, string>) {
    await page.goto(`${site.url}element`)
    await page.evaluate((values) => {
      const player = document.querySelector('tonearm-player')
      if (!player) throw new Error('no element')
      const events: string[] = []
      Object.assign(window, { events })
      for (const name of ['ready', 'play', 'pause', 'timeupdate', 'seeked', 'error'])
        player.addEventListener(name, () => events.push(name))
      document.querySelector('button')?.addEventListener('click', () => player.play())
      for (const [name, value] of Object.entries(values)) player.setAttribute(name, value)
    }, attributes)
  }
  const untilEvent = (name: string) =>
    page.waitForFunction((event) => (window as unknown as { events: string[] }).events.includes(event), name)
  const read = () =>
    element().evaluate((player: TonearmPlayerElement) => {
      const { paused, currentTime, duration, volume, muted, offsetHeight } = player
      return { paused, currentTime, duration, volume, muted, offsetHeight }
    })

  test('plays, pauses and seeks as a media element does', async () => {
    await openElement({ src: track.replace('/embed/', '/s/'), start: '5', theme: 'dark' })
    await element().evaluate((player: TonearmPlayerElement) => {
      player.volume = 0.4
    })
    expect(await read()).toMatchObject({ paused: true, currentTime: 0, volume: 0.4, offsetHeight: 152 })
    await page.getByRole('button', { name: 'Listen' }).click()
    await untilEvent('timeupdate')
    expect(await read()).toMatchObject({ paused: false, duration: SECONDS })
    expect((await read()).currentTime).toBeGreaterThanOrEqual(5)
    await element().evaluate((player: TonearmPlayerElement) => {
      player.currentTime = 15
    })
    await untilEvent('seeked')
    await element().evaluate((player: TonearmPlayerElement) => player.pause())
    await untilEvent('pause')
    const { paused, currentTime } = await read()
    expect([paused, currentTime >= 15]).toEqual([true, true])
    const frame = page.frames().find((frame) => frame.url().startsWith(`${track}?`))
    expect(frame?.url()).toBe(`${track}?theme=dark&start=5`)
    expect(await frame?.evaluate(() => document.querySelector('audio')?.volume ?? 0.4)).toBe(0.4)
  })

  test.each(['javascript:alert(1)', 'https://example.com/', 'http://[', ''])(
    'shows no frame for the address %p',
    async (src) => {
      await openElement({ src })
      expect(await element().evaluate(({ shadowRoot }) => shadowRoot?.querySelector('iframe') ?? null)).toBeNull()
      expect(await page.evaluate(() => (window as unknown as { events: string[] }).events)).toEqual(
        src ? ['error'] : [],
      )
    },
  )

  test('ignores messages that are not from its frame', async () => {
    await openElement({ src: track })
    await untilEvent('ready')
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          addEventListener('message', resolve, { once: true })
          postMessage(JSON.stringify({ context: 'player.js', event: 'play' }), '*')
        }),
    )
    expect((await read()).paused).toBe(true)
  })
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  await setView(page, view)
  for (const [name, address] of [
    ['track', track],
    ['collection', collection],
  ] as const) {
    await page.goto(address)
    await page.locator('#wave path').first().waitFor({ state: 'attached' })
    await expectAccessible(page, `embed-${name}`, view)
  }
})

test('a frame shows the player on the sites of its key only', async () => {
  const create = 'mutation ($input: CreateShareKeyInput!) { createShareKey(input: $input) { key } }'
  const { host } = new URL(site.url)
  const [, id = ''] = /\/embed\/([^/]+)\//.exec(track) ?? []
  const countPlayers = async (sites: string[]) => {
    const { data } = await service.graphql(create, { input: { title: 'On a site', variant: 'hq', sites } })
    const src = `${service.demo.base_url}/embed/${id}/${data.createShareKey.key}`
    // Ends after the load of the frame.
    await page.goto(`${site.url}?src=${encodeURIComponent(src)}`)
    return page.frameLocator('iframe').locator('#cover').count()
  }
  expect(await countPlayers([host])).toBe(1)
  expect(await countPlayers(['example.com'])).toBe(0)
})
