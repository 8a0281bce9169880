// The start page, and the pages of refusals, as a person sees them.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { tone } from '../support/audio.ts'
import { processed } from '../support/processed.ts'
import type { TestService } from '../support/service.ts'
import { compareWithStored } from './picture.ts'
import { openSite, type Site } from './site.ts'
import { expectAccessible, setView, views } from './view.ts'

setDefaultTimeout(90_000)

let site: Site
let service: TestService
let page: Page
let trackId: string
let file: string
const complaints: string[] = []

beforeAll(async () => {
  site = await openSite(() => new Response('', { headers: { 'content-type': 'text/html' } }))
  ;({ service, page } = site)
  page.on('console', (message) => {
    // A status of 400 or above is logged by the browser.
    if (message.type() === 'error' && !message.text().includes('the server responded')) complaints.push(message.text())
  })
  const { id, files } = await processed(service, await tone(1), 'tone.wav')
  trackId = id
  file = files.hq.url
})
afterAll(() => site?.stop())

test('the start page leads to every page', async () => {
  await page.goto(service.demo.base_url)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Upload a recording, get a link that plays')
  const hrefs = await page
    .getByRole('listitem')
    .getByRole('link')
    .evaluateAll((all) => all.map((a) => a.getAttribute('href')))
  expect(hrefs).toEqual(['/studio', '/docs/guides', '/docs', '/graphql'])
  for (const href of hrefs) {
    await page.goto(service.demo.base_url)
    await page.getByRole('listitem').locator(`a[href="${href}"]`).click()
    await page.waitForURL((url) => url.pathname.startsWith(href ?? ''))
    expect(await page.title()).not.toBe('Page not found')
  }
})

describe.each(views)('in $colors colors, $width pixels wide', (view) => {
  test('the start page has no barrier', async () => {
    complaints.length = 0
    await setView(page, view)
    await page.goto(service.demo.base_url)
    await expectAccessible(page, 'start', view)
    expect(await compareWithStored(page, `start-${view.colors}-${view.width}`)).toBeNull()
    expect(complaints).toEqual([])
  })

  test('each refusal is a page that says what to do, without a barrier', async () => {
    complaints.length = 0
    await setView(page, view)
    const { base_url: gateway, edge_url: edge } = service.demo
    const expired = file.replace(/verify=\d+/, 'verify=1500000000')
    const changed = file.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    const refusals: [name: string, address: string, heading: string, next: RegExp][] = [
      ['unknown', `${gateway}/nothing/here`, 'Page not found', /Go to the start page/],
      ['edge', `${edge}/nothing`, 'This link does not work', /Ask the person who sent it/],
      ['revoked', `${gateway}/s/${trackId}/00000000_share_x`, 'This link does not work', /Ask the person/],
      ['stream', `${gateway}/v1/stream/${trackId}/00000000_share_x`, 'This link does not work', /Ask the person/],
      ['changed', changed, 'This link does not work', /Ask the person/],
      ['expired', expired, 'This link has expired', /Reload the page/],
      ['upload', `${edge}/upload/track/${trackId}`, 'This address cannot be opened', /Go back to the page/],
    ]
    for (const [name, address, heading, next] of refusals) {
      await page.goto(address)
      expect([name, await page.getByRole('heading', { level: 1 }).textContent()]).toEqual([name, heading])
      expect(await page.getByRole('main').textContent()).toMatch(next)
      await expectAccessible(page, `refusal-${name}`, view)
      if (name === 'unknown') expect(await compareWithStored(page, `refusal-${view.colors}-${view.width}`)).toBeNull()
    }
    expect(complaints).toEqual([])
  })
})
