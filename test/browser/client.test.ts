// The npm package in a page of another origin: an upload with the React hooks, without a key.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { tone } from '../support/audio.ts'
import { processed } from '../support/processed.ts'
import type { TestService } from '../support/service.ts'
import { serveClientPage } from './client-site.ts'
import { openSite, type Site } from './site.ts'

setDefaultTimeout(90_000)

let site: Site
let service: TestService
let page: Page

beforeAll(async () => {
  site = await openSite(await serveClientPage())
  ;({ service, page } = site)
})
afterAll(() => site?.stop())

const output = () => page.locator('output')

async function openSession(): Promise<void> {
  const body = { collection_id: service.demo.collection_id }
  const { upload_session_id } = (await service.v1('POST', '/upload_session', { body })).json
  await page.goto(`${site.url}?${new URLSearchParams({ baseUrl: service.demo.base_url, session: upload_session_id })}`)
}
const choose = (name: string, bytes: Uint8Array) =>
  page.getByLabel('Recording').setInputFiles({ name, mimeType: 'audio/wav', buffer: Buffer.from(bytes) })

test('uploads, and follows the track to its end', async () => {
  await openSession()
  await page.locator('output', { hasText: 'idle 0' }).waitFor()
  await choose('song.wav', await tone(2))
  await page.locator('output', { hasText: 'processing' }).waitFor()
  await page.locator('li', { hasText: 'song.wav initialized 0' }).waitFor()
  await service.runJobs()
  await page.locator('output', { hasText: 'ready 100' }).waitFor()
  await page.locator('li', { hasText: 'song.wav ready 100' }).waitFor()
})

test('shows why a recording cannot be used, and an upload that was cancelled', async () => {
  await openSession()
  await choose('text.wav', new TextEncoder().encode('This is no recording.'))
  await page.locator('output', { hasText: 'processing' }).waitFor()
  await service.runJobs()
  await page.locator('output', { hasText: 'failed' }).waitFor()
  expect((await output().textContent())?.length).toBeGreaterThan('failed 0 '.length)
  await page.locator('li', { hasText: 'text.wav init_error 100' }).waitFor()
  await choose('second.wav', await tone(2))
  await page.locator('output', { hasText: 'processing' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('output', { hasText: 'cancelled' }).waitFor()
})

test('controls the player with its hook', async () => {
  const { id } = await processed(service, await tone(20), 'song.wav')
  const share = `${service.demo.base_url}/s/${id}/${service.demo.share_key}`
  await page.goto(`${site.url}?${new URLSearchParams({ share })}`)
  await page.locator('output', { hasText: 'is silent 0 of 0' }).waitFor()
  await page.getByRole('button', { name: 'Listen' }).click()
  await page.locator('output', { hasText: /plays \d of 20/ }).waitFor()
  await page.getByRole('button', { name: 'To second 12' }).click()
  await page.locator('output', { hasText: /plays 1[2-9] of 20/ }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.locator('output', { hasText: /is silent 1[2-9] of 20/ }).waitFor()
})
