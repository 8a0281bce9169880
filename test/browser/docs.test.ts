import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type Browser, chromium } from 'playwright-core'
import { lastingPort } from '../support/ports.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { expectAccessible, setView } from './view.ts'

setDefaultTimeout(90_000)

let service: TestService
let server: Bun.Server<undefined>
let browser: Browser
beforeAll(async () => {
  const port = await lastingPort()
  service = await startTestService({ PORT: String(port) })
  server = Bun.serve({ hostname: '127.0.0.1', port, fetch: (request) => service.gateway(request) })
  const executablePath = process.env.CHROMIUM ?? Bun.which('chromium') ?? Bun.which('google-chrome')
  if (!executablePath) throw new Error('test:browser needs a Chromium (Debian: apt-get install chromium)')
  browser = await chromium.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] })
})
afterAll(async () => {
  await browser?.close()
  await server?.stop(true)
  await service?.stop()
})

test('the reference shows the operations, tries one, and requests nothing from other origins', async () => {
  const page = await browser.newPage()
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
  await page.goto(`${origin}/docs`)

  const document = (await service.request('GET', '/openapi.json', { key: null })).json
  // Groups are folded. Each unfolds.
  const groups = page.locator('.opblock-tag-section > .opblock-tag')
  await groups.first().waitFor()
  expect([await groups.count(), await page.locator('.opblock-tag-section .opblock').count()]).toEqual([
    document.tags.length,
    0,
  ])
  for (const group of await groups.all()) await group.click()
  await page.getByText(document.paths['/v1/creator'].post.summary).waitFor()
  const methods = ['get', 'put', 'post', 'delete', 'head', 'patch']
  const count = (paths: object) =>
    Object.values(paths).flatMap((item) => Object.keys(item).filter((key) => methods.includes(key))).length
  expect(await page.locator('.opblock').count()).toBe(count(document.paths) + count(document.webhooks))

  await page.getByRole('button', { name: 'Authorize' }).click()
  await page.locator('.auth-container input').fill(service.demo.api_key)
  await page.locator('.auth-container').getByRole('button', { name: 'Apply credentials' }).click()
  await page.locator('.auth-container').getByRole('button', { name: 'Close' }).click()
  const operation = page.locator('#operations-Variants-listVariants')
  await operation.locator('.opblock-summary-control').click()
  await operation.getByRole('button', { name: 'Try it out' }).click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  await operation.locator('.live-responses-table').getByText('"ok"').first().waitFor()

  expect(requestUrls.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([])
  expect(complaints).toEqual([])
})

test('a link to an operation unfolds its group', async () => {
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${server.port}/docs#/Variants/listVariants`)
  await page.locator('#operations-Variants-listVariants .opblock-body').waitFor()
  await page.close()
})

test('the reference fits a phone', async () => {
  const page = await browser.newPage({ viewport: { width: 360, height: 800 } })
  await page.goto(`http://127.0.0.1:${server.port}/docs`)
  await page.locator('.opblock-tag').first().waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await page.close()
})

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
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect([path, width]).toEqual([path, 360])
    await expectAccessible(page, `guide-${path.split('/').at(-1)}`, view)
  }
  await page.close()
})

test('the reference and the guides follow a dark preference', async () => {
  const page = await browser.newPage({ colorScheme: 'dark' })
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  const origin = `http://127.0.0.1:${server.port}`
  for (const path of ['/docs', '/docs/guides', '/docs/guides/webhooks']) {
    await page.goto(origin + path)
    await page.getByRole('link', { name: 'Guides' }).waitFor()
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect([path, background]).toEqual([path, 'rgb(18, 18, 18)'])
  }
  await page.getByRole('link', { name: 'Status codes' }).first().click()
  await page.getByRole('heading', { name: 'Status codes' }).waitFor()
  expect(complaints).toEqual([])
})
