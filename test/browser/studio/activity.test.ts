// Activity: who changed what.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { createCollection, createTrack } from '../../spec/support.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { testInChromium } from '../launch.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { chooseAction, openStudio, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
let service: TestService
let page: Page
beforeAll(async () => {
  studio = await openStudio()
  ;({ service, page } = studio)
})
afterAll(() => studio?.stop())

const rows = () => page.getByRole('grid', { name: 'Activity' }).getByRole('row')

testInChromium(
  'a change in the studio is listed with its author, and opens with the values before and after it',
  async () => {
    const collection = await createCollection(service, { title: 'Night train' })
    await studio.open(`/collection/${collection.id}`)
    await chooseAction(page, 'Edit')
    const form = page.getByRole('dialog')
    await form.getByLabel('Title', { exact: true }).fill('Morning train')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Morning train', level: 1 }).waitFor()
    await chooseAction(page, 'Activity')
    await page.getByText('Of one record').waitFor()
    await rows().filter({ hasText: 'Collection created' }).filter({ hasText: 'Key' }).waitFor()
    const change = rows().filter({ hasText: 'Collection changed' })
    await change.filter({ hasText: service.demo.admin.email }).filter({ hasText: 'Title' }).waitFor()
    expect(await rows().count()).toBe(2)
    await change.click()
    const dialog = page.getByRole('dialog', { name: 'Collection changed' })
    const cells = dialog.getByRole('row').filter({ hasText: 'Title' }).getByRole('cell')
    expect(await cells.allTextContents()).toEqual(['Night train', 'Morning train'])
    await dialog.getByText('Request').waitFor()
    for (const view of views) {
      await setView(page, view)
      await expectAccessible(page, 'studio-activity-dialog', view)
    }
    await setView(page, { colors: 'light', width: 1440 })
    await dialog.getByRole('link', { name: 'Morning train' }).click()
    await page.getByRole('heading', { name: 'Morning train', level: 1 }).waitFor()
  },
)

test('the list of all changes is searched and limited to a type, and keeps that in its address', async () => {
  await createCollection(service, { title: 'Evening tram' })
  await studio.open('/activity')
  await rows().filter({ hasText: 'Administrator signed in' }).first().waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-activity', view)
  }
  await setView(page, { colors: 'light', width: 1440 })
  await page.getByLabel('Search names and people').fill('evening')
  await until('the result', 10_000, async () => (await rows().count()) === 1)
  await rows().filter({ hasText: 'Evening tram' }).waitFor()
  await page.waitForURL(/evening/)
  await page.reload()
  await rows().filter({ hasText: 'Evening tram' }).waitFor()
  expect(await page.getByLabel('Search names and people').inputValue()).toBe('evening')
})

test('the page of a track has its latest changes', async () => {
  const collection = await createCollection(service, { title: 'Moved to' })
  const track = await createTrack(service, { collection_id: collection.id, file_name: 'platform.wav' })
  await service.v1('PUT', `/track/${track.id}`, { body: { player_title: 'Platform 9' } })
  await studio.open(`/track/${track.id}/activity`)
  const item = page.getByRole('listitem').filter({ hasText: 'Track changed' })
  await item.getByRole('button', { name: 'Open' }).click()
  const cells = page.getByRole('dialog').getByRole('row').filter({ hasText: 'Title' }).getByRole('cell')
  expect(await cells.allTextContents()).toEqual(['–', 'Platform 9'])
})
