// Places of tracks: ordered by keyboard and by dragging, and moved to another collection.
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import { testInChromium } from '../launch.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { chooseAction, openStudio, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

const WAIT_MS = 10_000
let studio: Studio
let collection: string
beforeAll(async () => {
  studio = await openStudio()
})
afterAll(() => studio?.stop())

const create = async (path: string, body: object) => (await studio.service.v1('POST', path, { body })).json
beforeEach(async () => {
  collection = (await create('/collection', { title: 'Ordered' })).collection_id
  for (const player_title of ['One', 'Two', 'Three'])
    await create('/track', { collection_id: collection, player_title, file_name: 'song.wav' })
})

async function readTitles(collectionId: string): Promise<(string | null)[]> {
  const where = { collectionId }
  const tracks = await studio.service.services.db.track.findMany({ where, orderBy: { order: 'asc' } })
  return tracks.map(({ playerTitle }) => playerTitle)
}

const rows = (page: Page) => page.getByRole('grid', { name: 'Tracks' }).getByRole('row')
const openCollection = async () => {
  const page = await studio.open(`/collection/${collection}`)
  await rows(page).nth(2).waitFor()
  return page
}
const untilOrdered = async (page: Page, expected: string[]) => {
  await until('the new order', WAIT_MS, async () => String(await readTitles(collection)) === String(expected))
  await until('the list to show it', WAIT_MS, async () => {
    const texts = await rows(page).locator('strong').allTextContents()
    return String(texts) === String(expected)
  })
}

test('with the keyboard', async () => {
  const page = await openCollection()
  await page.getByRole('button', { name: 'Drag One' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Insert between Two and Three' }).waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await untilOrdered(page, ['Two', 'One', 'Three'])
})

test('selected tracks move together', async () => {
  const page = await openCollection()
  for (const title of ['One', 'Two']) await rows(page).filter({ hasText: title }).press('Space')
  await page.getByRole('button', { name: /^Drag/ }).first().focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await untilOrdered(page, ['Three', 'One', 'Two'])
})

testInChromium('by dragging', async () => {
  const page = await openCollection()
  await setView(page, { colors: 'light', width: 1440 })
  const [from, to] = [await rows(page).nth(2).boundingBox(), await rows(page).nth(0).boundingBox()]
  if (!from || !to) throw new Error('the rows are not shown')
  await page.mouse.move(from.x + 300, from.y + 30)
  await page.mouse.down()
  await page.mouse.move(from.x + 300, from.y - 20, { steps: 4 })
  await page.mouse.move(to.x + 300, to.y + 4, { steps: 8 })
  await page.mouse.up()
  await untilOrdered(page, ['Three', 'One', 'Two'])
})

test('a filtered list cannot be ordered', async () => {
  const page = await openCollection()
  expect(await page.getByRole('button', { name: /^Drag/ }).count()).toBe(3)
  // Three tracks are found without a search.
  const search = page.getByRole('searchbox', { name: 'Search', exact: true })
  expect(await search.count()).toBe(0)
  await studio.open(`/collection/${collection}?search=o`)
  await rows(page).first().waitFor()
  expect(await search.inputValue()).toBe('o')
  expect(await page.getByRole('button', { name: /^Drag/ }).count()).toBe(0)
})

test('a list shows another order, which is in the address', async () => {
  const page = await studio.open(`/collection/${collection}?sort=title`)
  const untilShown = (expected: string[]) =>
    until(`the order ${expected}`, WAIT_MS, async () => {
      const texts = await rows(page).locator('strong').allTextContents()
      return String(texts) === String(expected)
    })
  await untilShown(['One', 'Three', 'Two'])
  expect(await page.getByRole('button', { name: /^Drag/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Title Order' }).click()
  await page.getByRole('option', { name: 'Newest first' }).click()
  await untilShown(['Three', 'Two', 'One'])
  expect(new URL(page.url()).search).toBe('?sort=newest')
  await page.getByRole('button', { name: 'Newest first Order' }).click()
  await page.getByRole('option', { name: 'As in the collection' }).click()
  await untilShown(['One', 'Two', 'Three'])
  expect(new URL(page.url()).search).toBe('')
  await studio.open(`/tracks?sort=title&collection=${collection}`)
  await untilShown(['One', 'Three', 'Two'])
})

test('sorts the tracks of a collection by a field, and undoes it', async () => {
  const { db } = studio.service.services
  const numbers = { One: 3, Two: null, Three: 1 }
  for (const [playerTitle, trackNumber] of Object.entries(numbers))
    await db.track.updateMany({ where: { collectionId: collection, playerTitle }, data: { trackNumber } })
  const page = await openCollection()
  await chooseAction(page, 'Sort tracks')
  const dialog = page.getByRole('dialog', { name: 'Sort tracks' })
  await expectAccessible(page, 'studio-sort', { colors: 'light', width: 1440 })
  await dialog.getByRole('button', { name: 'Sort', exact: true }).click()
  await untilOrdered(page, ['Three', 'One', 'Two'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await untilOrdered(page, ['One', 'Two', 'Three'])
})

testInChromium('moves a track to another collection', async () => {
  const other = (await create('/collection', { title: 'Elsewhere' })).collection_id
  const page = await openCollection()
  await rows(page).filter({ hasText: 'Two' }).click()
  await page.getByRole('heading', { level: 1, name: 'Two' }).waitFor()
  await chooseAction(page, 'Move')
  const dialog = page.getByRole('dialog', { name: 'Move to another collection' })
  await dialog.getByRole('combobox').fill('Elsewhere')
  await page.getByRole('option', { name: 'Elsewhere' }).first().click()
  await dialog.getByRole('button', { name: 'Move' }).click()
  await page.getByRole('link', { name: 'Elsewhere' }).waitFor()
  expect([await readTitles(collection), await readTitles(other)]).toEqual([['One', 'Three'], ['Two']])
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  await setView(studio.page, view)
  await expectAccessible(await openCollection(), 'studio-order', view)
})
