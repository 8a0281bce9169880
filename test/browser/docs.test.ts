import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { lastingPort } from '../support/ports.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { launchBrowser, testInChromium } from './launch.ts'
import { expectAccessible, setView, views } from './view.ts'

setDefaultTimeout(90_000)

let service: TestService
let server: Bun.Server<undefined>
let browser: Browser
beforeAll(async () => {
  const port = await lastingPort()
  service = await startTestService({ PORT: String(port) })
  server = Bun.serve({ hostname: '127.0.0.1', port, fetch: (request) => service.gateway(request) })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop(true)
  await service?.stop()
})

/** Opens a page, and collects what its console and its policy complain about. */
async function openPage(options: BrowserContextOptions = {}) {
  const page = await browser.newPage(options)
  page.setDefaultTimeout(20_000)
  const requestUrls: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requestUrls.push(request.url()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error('policy', JSON.stringify(event)))
  })
  const origin = `http://127.0.0.1:${server.port}`
  return { page, origin, requestUrls, complaints }
}

test('the reference fills in a key and IDs, tries an operation, and requests nothing from other origins', async () => {
  const { page, origin, requestUrls, complaints } = await openPage()
  await page.goto(`${origin}/docs/reference/collections`)
  const operation = page.locator('#getCollection')
  await operation.getByRole('button', { name: 'GraphQL' }).click()
  expect(await page.locator('#listCollections [data-language]:visible').getAttribute('data-language')).toBe('GraphQL')
  await operation.getByRole('button', { name: 'curl' }).click()
  expect(await operation.locator('[data-language="curl"]').textContent()).toContain(
    `${origin}/v1/collection/COLLECTION_ID`,
  )

  await page.getByLabel('Your key').fill(service.demo.api_key)
  await page.getByLabel('Your key').press('Enter')
  await page.getByText('The examples have this key').waitFor()
  const example = await operation.locator('[data-language="curl"] code').textContent()
  expect(example).toContain(`Bearer ${service.demo.api_key}`)
  expect(example).toContain(`/v1/collection/${service.demo.collection_id}`)

  await operation.getByText('Try it').click()
  await operation.getByRole('button', { name: 'Send GET' }).click()
  await operation.getByText(/^200 in \d+ ms$/).waitFor()
  expect(await operation.locator('.try pre').textContent()).toContain(`"id": "${service.demo.collection_id}"`)

  await page.goto(`${origin}/docs/reference/variants`)
  await page.locator('#listVariants').getByText(service.demo.api_key).first().waitFor()
  expect(requestUrls.filter((url) => !url.startsWith(`${origin}/`))).toEqual([])
  expect(complaints).toEqual([])
  await page.close()
})

test('a link of the former reference leads to its operation', async () => {
  const { page, origin } = await openPage()
  await page.goto(`${origin}/docs#/Variants/listVariants`)
  await page.waitForURL(`${origin}/docs/reference/variants#listVariants`)
  await page.locator('#listVariants').getByRole('heading').first().waitFor()
  await page.close()
})

test.each(views)('the reference has no barrier, $colors, $width px', async (view) => {
  const { page, origin } = await openPage()
  await setView(page, view)
  for (const path of ['/docs', '/docs/reference/tracks']) {
    await page.goto(origin + path)
    if (path !== '/docs') await page.locator('.try summary').first().click()
    await expectAccessible(page, `reference-${path.split('/').at(-1)}`, view)
  }
  await page.close()
})

testInChromium('the search finds a part of a guide and an operation, with the keyboard', async () => {
  const { page, origin, complaints } = await openPage()
  await page.goto(`${origin}/docs/guides/webhooks`)
  await page.keyboard.press('/')
  await page.keyboard.type('rebuilds files')
  const results = page.getByRole('option')
  await results.first().waitFor()
  expect(await results.first().textContent()).toContain('Reference: Tracks')
  await expectAccessible(page, 'guide-search', { colors: 'light', width: 1280 })
  await page.getByRole('combobox').fill('rate_limited')
  await results.filter({ hasText: 'Status codes' }).waitFor()
  const place = (await results.allTextContents()).findIndex((text) => text.startsWith('Status codes'))
  for (let at = 0; at < place; at++) await page.keyboard.press('ArrowDown')
  expect(await results.nth(place).getAttribute('aria-selected')).toBe('true')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${origin}/docs/guides/status-codes#requests`)
  expect(complaints).toEqual([])
  await page.close()
})

test('a guide marks the part that is read, and copies code', async () => {
  const { page, origin } = await openPage({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.setViewportSize({ width: 1440, height: 800 })
  await page.goto(`${origin}/docs/guides/build-an-app`)
  const marked = page.locator('.contents [aria-current="location"]')
  expect(await marked.textContent()).toBe('Words')
  await page.locator('#play').evaluate((heading) => heading.scrollIntoView())
  await page.locator('.contents [aria-current="location"]', { hasText: /^Play$/ }).waitFor()
  await page.locator('.code').first().hover()
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toStartWith('credential() {')
  await page.close()
})

testInChromium(
  'without JavaScript the guides and the reference can be read, and the menu of a phone opens',
  async () => {
    const { page, origin } = await openPage({ javaScriptEnabled: false, viewport: { width: 360, height: 800 } })
    await page.goto(`${origin}/docs/reference/tracks`)
    expect(await page.locator('#getTrack [data-language]:visible').count()).toBe(3)
    await page.goto(`${origin}/docs/guides/webhooks`)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('navigation', { name: 'Guides', exact: true }).getByRole('link', { name: 'Observe' }).click()
    await page.getByRole('heading', { name: 'Observe', level: 1 }).waitFor()
    await page.close()
  },
)

test.each(['light', 'dark'] as const)('the guides fit a phone and have no barrier, %s', async (colors) => {
  const view = { colors, width: 360 }
  const page = await browser.newPage()
  await setView(page, view)
  const origin = `http://127.0.0.1:${server.port}`
  await page.goto(`${origin}/docs/guides`)
  const guides = await page.locator('.menu ul a').evaluateAll((all) => all.map((a) => String(a.getAttribute('href'))))
  expect(guides.length).toBeGreaterThan(5)
  for (const path of ['/docs/guides', ...guides]) {
    await page.goto(origin + path)
    await expectAccessible(page, `guide-${path.split('/').at(-1)}`, view)
  }
  await page.close()
})

testInChromium('the reference and the guides follow a dark preference', async () => {
  const page = await browser.newPage({ colorScheme: 'dark' })
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  const origin = `http://127.0.0.1:${server.port}`
  for (const path of ['/docs', '/docs/guides', '/docs/guides/webhooks']) {
    await page.goto(origin + path)
    await page.getByRole('link', { name: 'Guides' }).first().waitFor()
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect([path, background]).toEqual([path, 'rgb(18, 18, 18)'])
  }
  await page.getByRole('link', { name: 'Status codes' }).first().click()
  await page.getByRole('heading', { name: 'Status codes' }).waitFor()
  expect(complaints).toEqual([])
})
