// Pages in Chromium: the first load of a listener's page on a slow phone, and scrolling through 5,000 tracks in the studio.
import { join } from 'node:path'
import { Client } from 'pg'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { joinEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { launchBrowser } from '../browser/launch.ts'
import { signIn } from '../browser/studio/sign-in.ts'
import { cleanUp, createPlace, type ServiceProcess, startProcess, untilStatus, uploadTo } from '../faults/process.ts'
import { tone } from '../support/audio.ts'
import { fillLibrary } from '../support/library.ts'
import type { Figure } from './main.ts'
import { median } from './upload.ts'

const KILOBYTE = 1000
const ROUNDS = 5
const TRACKS = 5000
const WHEEL_PX = 1200
const FRAMES_BETWEEN_TURNS = 3
/** Time for the answer with a further page. */
const TURNS_AT_END = 50
/** A mobile network: 1.6 Mbit/s and 150 ms, with a processor that takes 4 times as long. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 }
const CPU_RATE = 4
const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1440, height: 900 }

interface Load {
  /** Without pictures and sound. */
  bytes: number
  pictureBytes: number
  /** When the scripts of the page have run, so that its buttons work, in ms from the start of the navigation. */
  usableMs: number
  /** Largest contentful paint, in ms from the start of the navigation. */
  largestPaintMs: number
  /** Cumulative layout shift, without a unit. */
  shift: number
}

export async function benchPages(): Promise<Figure[]> {
  const place = await createPlace()
  let browser: Browser | undefined
  try {
    const service = await startProcess(place)
    browser = await launchBrowser()
    const address = await createAlbum(service)
    const loads: Load[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      const load = await loadOnPhone(browser, address)
      loads.push(load)
      console.log(`page of an album ${round}: ${JSON.stringify(load)}`)
    }
    const postgres = await joinEmbeddedPostgres(join(place.env.DATA_DIR ?? '', 'postgres'))
    const client = new Client({ connectionString: postgres.url })
    await client.connect()
    await fillLibrary(client, service.credentials.organization_id, { collections: 100, tracks: TRACKS / 100, files: 0 })
    await client.end()
    const frames = await scrollTracks(browser, service)
    const of = (name: keyof Load) => median(loads.map((load) => load[name]))
    const kilobytes = of('bytes') / KILOBYTE
    return [
      {
        what: 'page of an album with a cover: first load without its cover and sound',
        measured: `${kilobytes.toFixed(0)} kB`,
        goal: '<= 120 kB',
        isMet: kilobytes <= 120,
      },
      {
        what: 'the same on a slow phone: usable',
        measured: `${of('usableMs').toFixed(0)} ms`,
        goal: '<= 1000 ms',
        isMet: of('usableMs') <= 1000,
      },
      {
        what: 'the same: largest paint',
        measured: `${of('largestPaintMs').toFixed(0)} ms`,
        goal: '<= 1200 ms',
        isMet: of('largestPaintMs') <= 1200,
      },
      {
        what: 'the same: layout shift',
        measured: of('shift').toFixed(3),
        goal: '0',
        isMet: of('shift') === 0,
      },
      {
        what: 'studio, scrolling through 5,000 tracks: longest frame',
        measured: `${frames.longestMs.toFixed(0)} ms`,
        goal: '<= 50 ms',
        isMet: frames.longestMs <= 50,
      },
    ]
  } finally {
    await browser?.close()
    await cleanUp(place)
  }
}

/** @returns the address of the page of an album with a cover and a recording */
async function createAlbum(service: ServiceProcess): Promise<string> {
  const { collection_id: album, share_key: shareKey } = service.credentials
  const handle = (await service.v1('POST', `/collection/${album}/cover`)).json.collection_cover_upload
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 30 }
  const cover = await sharp({ create: { width: 1400, height: 1400, channels: 3, background: '#c2410c', noise } })
    .blur(8)
    .jpeg()
    .toBuffer()
  const posted = await fetch(handle.upload_url, { method: 'POST', body: new Uint8Array(cover) })
  if (!posted.ok) throw new Error(`the cover was refused: ${await posted.text()}`)
  const track = await uploadTo(service, new Uint8Array(await tone(30)))
  await untilStatus(service, track, ['ready'])
  return `${service.url}/s/collection/${album}/${shareKey}`
}

/** The first load of a page by a phone that has nothing of it yet. */
async function loadOnPhone(browser: Browser, address: string): Promise<Load> {
  const context = await browser.newContext({ viewport: PHONE, deviceScaleFactor: 2, isMobile: true })
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', NETWORK)
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_RATE })
    const sums = { bytes: 0, pictureBytes: 0 }
    const pictures = new Set<string>()
    session.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Image') pictures.add(requestId)
    })
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      sums[pictures.has(requestId) ? 'pictureBytes' : 'bytes'] += encodedDataLength
    })
    await page.goto(address, { waitUntil: 'networkidle' })
    return { ...sums, ...(await page.evaluate(readTimes)) }
  } finally {
    await context.close()
  }
}

/** Runs in the page. */
async function readTimes() {
  const read = (type: string) =>
    new Promise<PerformanceEntry[]>((resolve) => {
      const entries: PerformanceEntry[] = []
      new PerformanceObserver((list) => entries.push(...list.getEntries())).observe({ type, buffered: true })
      // Buffered entries are delivered before the second frame.
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(entries)))
    })
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const paints = await read('largest-contentful-paint')
  const shifts = (await read('layout-shift')) as (PerformanceEntry & { value: number })[]
  return {
    usableMs: navigation?.domContentLoadedEventEnd ?? Number.NaN,
    largestPaintMs: paints.at(-1)?.startTime ?? Number.NaN,
    shift: shifts.reduce((sum, { value }) => sum + value, 0),
  }
}

/** Turns the wheel until the last of the tracks is there, and measures the time between frames. */
async function scrollTracks(browser: Browser, service: ServiceProcess): Promise<{ longestMs: number }> {
  const page = await browser.newPage({ viewport: DESKTOP })
  await page.goto(`${service.url}/studio`)
  await signIn(page, service.credentials.admin)
  await page.goto(`${service.url}/studio/tracks`)
  const list = page.getByRole('grid')
  await list.getByRole('row').nth(5).waitFor()
  await list.hover()
  await page.evaluate(recordFrames)
  await scrollToEnd(page)
  const gaps = await page.evaluate(() => (globalThis as unknown as { frameGaps: number[] }).frameGaps)
  const slow = gaps.filter((ms) => ms > 50)
  console.log(
    `frames of scrolling: ${gaps.length}, over 50 ms: ${slow.length}, longest ${Math.max(...gaps).toFixed(0)} ms`,
  )
  return { longestMs: Math.max(...gaps) }
}

/** Runs in the page. */
function recordFrames() {
  const gaps: number[] = []
  ;(globalThis as unknown as { frameGaps: number[] }).frameGaps = gaps
  let last = performance.now()
  const next = (now: number) => {
    gaps.push(now - last)
    last = now
    requestAnimationFrame(next)
  }
  requestAnimationFrame(next)
}

/** Turns the wheel until no further page makes the list longer. */
async function scrollToEnd(page: Page): Promise<void> {
  const readRest = () =>
    page.evaluate(async (frames) => {
      for (let frame = 0; frame < frames; frame++) await new Promise(requestAnimationFrame)
      const list = document.querySelector('[role=grid]') as HTMLElement
      return list.scrollHeight - list.scrollTop - list.clientHeight
    }, FRAMES_BETWEEN_TURNS)
  for (let turnsAtEnd = 0; turnsAtEnd < TURNS_AT_END; ) {
    await page.mouse.wheel(0, WHEEL_PX)
    turnsAtEnd = (await readRest()) < 2 ? turnsAtEnd + 1 : 0
  }
}
