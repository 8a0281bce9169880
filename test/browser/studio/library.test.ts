// Collections, and lists of tracks that are too large to load.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { tone } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import type { TestService } from '../../support/service.ts'
import { testInChromium } from '../launch.ts'
import { compareWithStored } from '../picture.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

const TRACKS = 100_000
const PAGE = 50
/** Rows in the document: those of the window and a few around it. */
const MAX_ROWS = 40

let studio: Studio
beforeAll(async () => {
  studio = await openStudio()
  await processed(studio.service, await tone(2), 'tone.wav')
  await fillCollection(studio.service)
})
afterAll(() => studio?.stop())

/** Tracks that one statement inserts: a connection of the pool is given up when it does not answer for long. */
const INSERTED_AT_ONCE = 10_000

/**
 * Adds a collection of ready tracks by SQL, with their sum. Triggers and checks of references, which take most of the
 * time, are off.
 */
async function fillCollection({ services, demo }: TestService) {
  const client = await services.pool.connect()
  await client.query("SET session_replication_role = 'replica'")
  await client.query('SET statement_timeout = 0')
  const { rows } = await client.query<{ id: string }>(
    `WITH c AS (INSERT INTO collection (id, organization_id, title, updated_at)
       VALUES (gen_random_uuid(), $1, 'Collection 1', now()) RETURNING id)
     INSERT INTO track_sum (organization_id, collection_id, tracks, source_bytes, file_bytes)
       SELECT $1, id, $2, 0, 0 FROM c RETURNING collection_id AS id`,
    [demo.organization_id, TRACKS],
  )
  for (let first = 1; first <= TRACKS; first += INSERTED_AT_ONCE) {
    await client.query(
      `INSERT INTO track (id, organization_id, collection_id, index, "order", status, file_name, file_name_original,
         search_text, duration_seconds, base_path, upload_expires_at, updated_at)
       SELECT gen_random_uuid(), $1, $2, 'large' || n, n, 'ready', n || '.wav', 'Recording ' || n || '.wav',
         concat(' recording ', n, '.wav ', n, '.wav'), n,
         'large/' || n, now(), now() FROM generate_series($3::int, $4::int) n`,
      [demo.organization_id, rows[0]?.id, first, Math.min(first + INSERTED_AT_ONCE - 1, TRACKS)],
    )
  }
  await client.query('ANALYZE track')
  client.release(true)
}

const findRows = (page: Page) => page.getByRole('grid', { name: 'Tracks' }).getByRole('row')

async function openLarge() {
  const page = await studio.open('/collections')
  await page.getByRole('row', { name: 'Collection 1' }).click()
  await findRows(page).first().waitFor()
  return page
}

test('a collection is created, and its page is shown', async () => {
  const page = await studio.open('/collections')
  await page.getByRole('button', { name: 'New collection' }).click()
  const dialog = page.getByRole('dialog', { name: 'New collection' })
  await dialog.getByLabel('Title', { exact: true }).fill('x'.repeat(1025))
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('must be at most 1024 characters long').first().waitFor()
  await dialog.getByLabel('Title', { exact: true }).fill('Field recordings')
  await dialog.getByLabel('Subtitle').fill('Of a summer')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('heading', { name: 'Field recordings' }).waitFor()
  await page.getByText('Of a summer', { exact: true }).waitFor()
  await page.getByText('0 tracks').waitFor()
  await page.getByText('This collection has no tracks yet.').waitFor()
  await expectAccessible(page, 'studio-album-empty', { colors: 'light', width: 1440 })
})

testInChromium('an organization without collections is offered to create one', async () => {
  const page = await studio.open('/collections')
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('query Collections')) return route.fallback()
    const pageInfo = { hasNextPage: false, endCursor: null }
    return route.fulfill({ json: { data: { collections: { edges: [], pageInfo } } } })
  })
  await page.reload()
  await page.getByText('No collections yet. Create the first one.').waitFor()
  await expectAccessible(page, 'studio-no-collections', { colors: 'dark', width: 1440 })
  expect(await compareWithStored(page, 'studio-no-collections')).toBeNull()
  await page.getByRole('button', { name: 'New collection' }).click()
  await page.getByRole('dialog', { name: 'New collection' }).waitFor()
  await page.unroute('**/graphql')
})

test('the browser remembers the list in place of covers', async () => {
  const page = await studio.open('/collections')
  await page.locator('.tile').first().waitFor()
  await page.getByRole('radio', { name: 'List' }).click()
  await page.locator('.tile').first().waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('row', { name: 'First collection' }).waitFor()
  expect(await page.locator('.tile').count()).toBe(0)
  await page.getByRole('radio', { name: 'Covers' }).click()
  await page.locator('.tile').first().waitFor()
})

test('the search for collections is in the address', async () => {
  const page = await studio.open('/collections')
  await page.getByRole('row', { name: 'Collection 1' }).waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill('first')
  await page.getByRole('row', { name: 'Collection 1' }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('?search=first')
  await page.reload()
  await page.getByRole('row', { name: 'First collection' }).waitFor()
  expect(await page.getByRole('grid', { name: 'Collections' }).getByRole('row').count()).toBe(1)
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing has this title')
  await page.getByText('Nothing matches the search.').waitFor()
})

test('tracks are in their order, with state, duration and waveform', async () => {
  const page = await studio.open('/collections')
  await page.getByRole('row', { name: 'First collection' }).click()
  const row = page.getByRole('row', { name: 'tone' })
  await row.getByText('0:02').waitFor()
  expect(await row.getByText('Ready').count()).toBe(0)
  expect(await row.locator('.wave path').getAttribute('d')).toStartWith('M0 ')
  await openLarge()
  await page.getByText('100,000 tracks').waitFor()
  expect(await findRows(page).first().getByText(/ 1$/).count()).toBe(1)
  expect(await findRows(page).nth(1).getByText(/ 2$/).count()).toBe(1)
})

test('100,000 tracks load while a person scrolls, and few rows are in the document', async () => {
  const page = await studio.open('/collections')
  let requests = 0
  page.on('request', (request) => {
    if (request.postData()?.includes('query CollectionTracks')) requests++
  })
  await openLarge()
  const grid = page.getByRole('grid', { name: 'Tracks' })
  for (const loaded of [1, 2, 3, 4]) {
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await findRows(page)
      .filter({ has: page.getByText(`Recording ${loaded * PAGE + 1}`, { exact: true }) })
      .waitFor({ state: 'attached' })
    expect(await findRows(page).count()).toBeLessThan(MAX_ROWS)
  }
  // At most two pages ahead of the window.
  expect(requests).toBeLessThanOrEqual(7)
})

test('a search finds one of 100,000 tracks', async () => {
  const page = await openLarge()
  await page.getByRole('searchbox', { name: 'Search' }).fill(' 77777.wav')
  await findRows(page).filter({ hasText: '77777' }).waitFor()
  expect(await findRows(page).count()).toBe(1)
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await studio.open('/collections')
  await setView(page, view)
  await page.getByRole('row', { name: 'First collection' }).click()
  await page.getByRole('row', { name: 'tone' }).waitFor()
  await expectAccessible(page, 'studio-collection', view)
})
