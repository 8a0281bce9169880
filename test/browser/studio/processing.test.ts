// The page of waiting, running and failed work.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type TestService, uploadTrack } from '../../support/service.ts'
import { testInChromium } from '../launch.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
let service: TestService
let page: Page
beforeAll(async () => {
  studio = await openStudio()
  ;({ service, page } = studio)
})
afterAll(() => studio?.stop())

const part = (name: string) => page.getByRole('list', { name })

test('without work it says so, and that the service works', async () => {
  await page.route('**/health/ready', (route) => route.fulfill({ json: { ok: true, reasons: [], warnings: [] } }))
  await studio.open('/processing')
  await page.getByText('There is no work, and nothing has failed.').waitFor()
  await page.getByText('0 deliveries wait, 0 failed in the last 24 hours.').waitFor()
  await page.getByText('The service works.', { exact: true }).waitFor()
})

test('a job waits, and fails with its reason and a link to its track', async () => {
  const trackId = await uploadTrack(service, new TextEncoder().encode('no sound'), 'silent.wav')
  await studio.open('/processing')
  await part('Waiting').getByRole('link', { name: 'silent' }).waitFor()
  await page.getByText(/^Waiting jobs: 1\. The oldest waits since /).waitFor()
  await service.runJobs()
  await page.reload()
  const failed = part('Failed last').getByRole('listitem')
  await failed.filter({ hasText: 'silent' }).filter({ hasText: 'The file is not readable audio' }).waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-processing', view)
  }
  await failed.getByRole('link', { name: 'silent' }).click()
  await page.waitForURL((url) => url.pathname === `/studio/track/${trackId}`)
})

testInChromium('a fault of the service is named', async () => {
  await page.unrouteAll()
  const health = { ok: false, reasons: ['storage: no answer in time'], warnings: [] }
  await page.route('**/health/ready', (route) => route.fulfill({ status: 503, json: health }))
  await studio.open('/processing')
  await page.getByRole('alert').filter({ hasText: 'storage: no answer in time' }).waitFor()
})

testInChromium.each([
  ['JSON', { status: 404, json: { ok: false, code: 'not_found' } }],
  ['a text', { status: 404, body: 'not here' }],
])('where a proxy answers %s for the service, the page shows the work alone', async (_, answer) => {
  await page.unrouteAll()
  await page.route('**/health/ready', (route) => route.fulfill(answer))
  await studio.open('/processing')
  await part('Failed last').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})
