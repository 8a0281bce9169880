// Creators: their list, and a page with their plays, collections and tracks.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { createCollection, createTrack } from '../../spec/support.ts'
import { sql } from '../../support/administrators.ts'
import type { TestService } from '../../support/service.ts'
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

test('a creator is created, and their page has their plays, collections and tracks', async () => {
  await studio.open('/creators')
  await page.getByText('No creators yet.').waitFor()
  await page.getByRole('button', { name: 'New creator' }).click()
  await page.getByRole('dialog').getByLabel('Name or identifier').fill('Ada Tone')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('heading', { name: 'Ada Tone', level: 1 }).waitFor()
  const creatorId = new URL(page.url()).pathname.split('/').at(-1)
  const collection = await createCollection(service, { title: 'Night train', creator_id: creatorId })
  const track = await createTrack(service, { collection_id: collection.id, file_name: 'platform.wav' })
  await createCollection(service, { title: 'Of another creator' })
  const ids = [service.demo.organization_id, creatorId, collection.id, track.id]
  await sql(
    service,
    `INSERT INTO play_event (id, organization_id, created_at, creator_id, collection_id, track_id, key_id, variant_id)
     SELECT gen_random_uuid(), $1, now(), owner, $3, $4, $4, $4 FROM unnest(ARRAY[$2::uuid, $2::uuid, NULL]) AS owner`,
    ids,
  )
  await studio.open(`/creator/${creatorId}`)
  await page.getByText('1 collection · 1 track').waitFor()
  const figures = page.getByRole('region', { name: 'Usage' })
  expect(await figures.locator('strong').first().textContent()).toBe('2')
  const row = page.getByRole('row')
  await row.filter({ hasText: 'Night train' }).waitFor()
  expect(await row.filter({ hasText: 'Of another creator' }).count()).toBe(0)
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-creator', view)
  }
  await setView(page, { colors: 'light', width: 1440 })
  await page.getByRole('tab', { name: 'Tracks' }).click()
  await row.filter({ hasText: 'platform' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/studio/creator/${creatorId}/tracks`)
})

test('a creator with collections is not deleted, and the page says why', async () => {
  await page.getByRole('button', { name: 'More actions' }).first().click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').or(page.getByRole('dialog')).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alert').filter({ hasText: 'cannot be deleted' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
})

test('a collection links to the page of its creator, and the name can be changed', async () => {
  await studio.open('/collections')
  await page.getByRole('row').filter({ hasText: 'Night train' }).click()
  await page.getByRole('link', { name: 'Ada Tone' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Name or identifier').fill('Ada')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Ada', exact: true }).waitFor()
})
