// Private feeds: one address for each subscriber of a collection.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { createCollection } from '../../spec/support.ts'
import type { TestService } from '../../support/service.ts'
import { testInChromium } from '../launch.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { chooseAction, openStudio, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
let service: TestService
let page: Page
let id: string
beforeAll(async () => {
  studio = await openStudio()
  ;({ service, page } = studio)
  id = (await createCollection(service, { title: 'Night walks' })).id
})
afterAll(() => studio?.stop())

const rows = () => page.getByRole('grid', { name: 'Subscribers of Night walks' }).getByRole('row')
const readClipboard = () => page.evaluate(() => navigator.clipboard.readText())

testInChromium('subscribers are added by lines, each with an address, and all are copied as a list', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await studio.open(`/collection/${id}`)
  await chooseAction(page, 'Private feeds')
  await page.getByText('No subscribers yet.').waitFor()
  await page.getByRole('button', { name: 'Add subscribers' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Names or email addresses').fill('ada@example.com\n\n bob@example.com \nada@example.com\n')
  await form.getByLabel('Listeners a day').fill('3')
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-new-subscribers', view)
  }
  await setView(page, { colors: 'light', width: 1440 })
  await form.getByRole('button', { name: 'Create addresses' }).click()
  await page.getByText('Addresses created: 2').waitFor()
  expect(await rows().count()).toBe(2)
  expect(await rows().filter({ hasText: 'at most 3 listeners a day' }).count()).toBe(2)
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-private-feeds', view)
  }
  await setView(page, { colors: 'light', width: 1440 })
  await page.getByRole('button', { name: 'Copy the list' }).click()
  await page.getByText('Copied', { exact: true }).first().waitFor()
  const list = (await readClipboard()).split('\n').map((line) => line.split('\t'))
  expect(list.map(([name]) => name).sort()).toEqual(['ada@example.com', 'bob@example.com'])
  const addresses = list.map(([, address]) => address ?? '')
  const pattern = new RegExp(`^http://[^/]+/s/collection/${id}/[^/]+/feed\\.xml$`)
  for (const address of addresses) expect(address).toMatch(pattern)
  expect(new Set(addresses).size).toBe(2)
})

testInChromium('a subscriber is revoked, and a standard link never uses the key of one', async () => {
  await rows().filter({ hasText: 'ada@example.com' }).getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('alertdialog').or(page.getByRole('dialog')).getByRole('button', { name: 'Revoke' }).click()
  await rows().filter({ hasText: 'ada@example.com' }).waitFor({ state: 'detached' })
  expect(await rows().count()).toBe(1)
  await studio.open(`/collection/${id}`)
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page
    .getByText(/Night walks.*copied|copied/i)
    .first()
    .waitFor()
  const keys = await service.services.db.apiKey.findMany({
    where: { collectionId: id, kind: 'share', revokedAt: null },
    select: { isPrivateFeed: true },
  })
  expect(keys.map(({ isPrivateFeed }) => isPrivateFeed).sort()).toEqual([false, true])
})

test('after a refusal the lines that are missing stay', async () => {
  await studio.open(`/collection/${id}/feeds`)
  await page.getByRole('button', { name: 'Add subscribers' }).click()
  const field = page.getByRole('dialog').getByLabel('Names or email addresses')
  await field.fill(`carl@example.com\n${'x'.repeat(201)}\ndora@example.com`)
  await page.getByRole('dialog').getByRole('button', { name: 'Create addresses' }).click()
  await page.getByRole('alert').first().waitFor()
  expect((await field.inputValue()).split('\n').map((line) => line.slice(0, 5))).toEqual(['xxxxx', 'dora@'])
})
