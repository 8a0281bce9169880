// Tracks that are changed in a list: one in its row, and several that are selected together.
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { tone } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { until } from '../../support/until.ts'
import { testInChromium } from '../launch.ts'
import { expectAccessible, setView, untilFocused, views } from '../view.ts'
import { openStudio, pressLabel, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

const WAIT_MS = 10_000
let studio: Studio
let collection: string
beforeAll(async () => {
  studio = await openStudio()
})
afterAll(() => studio?.stop())

const create = async (path: string, body: object) => (await studio.service.v1('POST', path, { body })).json
const titles = ['One', 'Two', 'Three', 'Four']
beforeEach(async () => {
  collection = (await create('/collection', { title: 'Many' })).collection_id
  for (const player_title of titles)
    await create('/track', {
      collection_id: collection,
      player_title,
      player_subtitle: `Artist ${player_title}`,
      file_name: 'song.wav',
    })
})

const findStored = (collectionId = collection) =>
  studio.service.services.db.track.findMany({ where: { collectionId, deletedAt: null }, orderBy: { order: 'asc' } })
const readTitles = async (collectionId?: string) =>
  (await findStored(collectionId)).map(({ playerTitle }) => playerTitle)

const findRow = (page: Page, title: string) => page.getByRole('row', { name: title, exact: true })
const findCheckbox = (page: Page, title: string) => page.getByRole('checkbox', { name: `Select ${title}`, exact: true })
const findBar = (page: Page) => page.getByRole('toolbar', { name: 'Selected tracks' })
const readSelected = async (page: Page) => {
  const rows = page.getByRole('grid', { name: 'Tracks' }).getByRole('row', { selected: true })
  return rows.locator('strong').allTextContents()
}
const untilSelected = (page: Page, ...expected: string[]) =>
  until(`a selection of ${expected}`, WAIT_MS, async () => String(await readSelected(page)) === String(expected))
async function openCollection() {
  const page = await studio.open(`/collection/${collection}`)
  await findRow(page, 'Four').waitFor()
  return page
}
async function select(page: Page, ...names: string[]) {
  for (const name of names) {
    await findRow(page, name).hover()
    await pressLabel(findCheckbox(page, name))
  }
  await untilSelected(page, ...names)
}
const chooseAction = (page: Page, name: string) => findBar(page).getByRole('button', { name, exact: true }).click()

/** Refuses an operation for one track, as the service would. */
async function refuse(page: Page, operation: string, title: string) {
  const track = (await findStored()).find(({ playerTitle }) => playerTitle === title)
  await page.route('**/graphql', async (route) => {
    const body = route.request().postData() ?? ''
    if (!body.includes(`mutation ${operation}(`) || !body.includes(track?.id ?? '?')) return route.fallback()
    return route.fulfill({ json: { errors: [{ message: 'refused', extensions: { code: 'conflict' } }] } })
  })
}

test('checkboxes, Shift and the keyboard select tracks', async () => {
  const page = await openCollection()
  expect(await findBar(page).count()).toBe(0)
  await select(page, 'One')
  await findBar(page).getByText('1 selected').waitFor()
  await findCheckbox(page, 'Three')
    .locator('xpath=ancestor::label')
    .click({ modifiers: ['Shift'] })
  await untilSelected(page, 'One', 'Two', 'Three')
  await findRow(page, 'One').click()
  await untilSelected(page, 'Two', 'Three')
  await findRow(page, 'Four').click({ modifiers: ['Shift'] })
  await untilSelected(page, 'Two', 'Three', 'Four')
  await page.keyboard.press('Escape')
  await untilSelected(page)
  await page.keyboard.press('Control+a')
  await untilSelected(page, ...titles)
  await findBar(page).getByRole('button', { name: 'Clear the selection' }).press('Escape')
  await findBar(page).waitFor({ state: 'detached' })
  await findRow(page, 'Four').press('Space')
  await findBar(page).getByRole('button', { name: 'Select all 4' }).click()
  await untilSelected(page, ...titles)
})

test('writes only the fields that a person changes', async () => {
  const page = await openCollection()
  await select(page, 'One', 'Three')
  await chooseAction(page, 'Edit')
  const dialog = page.getByRole('dialog', { name: 'Edit 2 tracks' })
  expect(await dialog.getByLabel('Artist').getAttribute('placeholder')).toBe('Several values')
  await dialog.getByLabel('Album').fill('Both')
  await dialog.getByText('Is written to 2 tracks.').waitFor()
  await dialog.getByLabel('Year').fill('2025')
  await dialog.getByRole('button', { name: 'Keep the values' }).last().click()
  await dialog.getByRole('button', { name: 'Explicit' }).click()
  await page.getByRole('option', { name: 'Yes', exact: true }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('2 tracks changed.').waitFor()
  await untilSelected(page)
  const rows = await findStored()
  expect(rows.map(({ album, playerSubtitle, year, isExplicit }) => [album, playerSubtitle, year, isExplicit])).toEqual([
    ['Both', 'Artist One', null, true],
    [null, 'Artist Two', null, null],
    ['Both', 'Artist Three', null, true],
    [null, 'Artist Four', null, null],
  ])
})

testInChromium(
  'names the tracks that failed and keeps them selected; a notice restores those that were deleted',
  async () => {
    const page = await openCollection()
    await refuse(page, 'DeleteTrack', 'Two')
    await select(page, 'One', 'Two', 'Three')
    await chooseAction(page, 'Delete')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Files of 3 tracks are no longer delivered.').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('1 of 3 were not deleted:').waitFor()
    expect(await dialog.getByRole('listitem').locator('strong').allTextContents()).toEqual(['Two'])
    expect(await readTitles()).toEqual(['Two', 'Four'])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await findRow(page, 'One').waitFor({ state: 'detached' })
    await untilSelected(page, 'Two')
    await page.unroute('**/graphql')
    await page.getByRole('button', { name: 'Undo' }).click()
    await findRow(page, 'One').waitFor()
    await until('both tracks', WAIT_MS, async () => String(await readTitles()) === String(titles))
  },
)

test('reports an error that all tracks have once, at its field', async () => {
  const page = await openCollection()
  await select(page, 'One', 'Two')
  await chooseAction(page, 'Edit')
  const dialog = page.getByRole('dialog', { name: 'Edit 2 tracks' })
  await dialog.getByLabel('Year').fill('12345')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('2 of 2 were not changed:').waitFor()
  await dialog.getByText('must be at most 9999', { exact: true }).waitFor()
  expect(await dialog.getByRole('listitem').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await untilSelected(page, 'One', 'Two')
})

test('moves tracks to another collection in their order', async () => {
  const other = (await create('/collection', { title: 'Elsewhere' })).collection_id
  const page = await openCollection()
  await select(page, 'One', 'Two', 'Four')
  await chooseAction(page, 'Move')
  const dialog = page.getByRole('dialog', { name: 'Move 3 tracks' })
  await dialog.getByRole('combobox').fill('Elsewhere')
  await page.getByRole('option', { name: 'Elsewhere' }).first().click()
  await dialog.getByRole('button', { name: 'Move' }).click()
  await page.getByText('3 tracks moved.').waitFor()
  await findRow(page, 'One').waitFor({ state: 'detached' })
  expect([await readTitles(), await readTitles(other)]).toEqual([['Three'], ['One', 'Two', 'Four']])
})

test('rebuilds files and creates links of tracks that have a recording', async () => {
  const { service } = studio
  const { id, track } = await processed(service, await tone(2), 'tone.wav')
  await create('/track', { collection_id: track.collection_id, player_title: 'Missing', file_name: 'song.wav' })
  const page = await studio.open(`/collection/${track.collection_id}`)
  const dialog = page.getByRole('dialog')
  await select(page, 'tone', 'Missing')
  await chooseAction(page, 'Rebuild')
  await dialog.getByRole('button', { name: 'Rebuild' }).click()
  await dialog.getByText('1 of 2 are not rebuilt:').waitFor()
  expect(await dialog.getByRole('listitem').locator('strong').allTextContents()).toEqual(['Missing'])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await untilSelected(page, 'Missing')
  await service.runJobs()
  await findRow(page, 'tone').click()
  await untilSelected(page, 'tone', 'Missing')
  await chooseAction(page, 'Links')
  // The second press uses the link of the first.
  for (const name of ['Create links', 'Try again']) {
    await dialog.getByRole('button', { name }).click()
    await dialog.getByText('1 of 2 have no link:').waitFor()
    await dialog.getByText('Missing No file for listeners.').waitFor()
  }
  expect(await dialog.getByLabel('Links', { exact: true }).inputValue()).toMatch(/^tone: http\S+\/s\/\S+$/)
  const where = { trackId: id }
  expect(await service.services.db.apiKey.count({ where })).toBe(1)
  await expectAccessible(page, 'studio-selection-links', { colors: 'light', width: 1440 })
})

testInChromium('a row is edited in its place: Enter saves, Escape does not', async () => {
  const page = await openCollection()
  const form = page.getByRole('dialog', { name: 'Edit Two here' })
  await findRow(page, 'Two').press('F2')
  await form.getByLabel('Title').fill('Forgotten')
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await untilFocused(findRow(page, 'Two'))
  await findRow(page, 'Two').hover()
  await page.getByRole('button', { name: 'Edit Two here' }).click()
  await untilFocused(form.getByLabel('Title'))
  await page.keyboard.type('Second')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Someone')
  await form.getByLabel('Number').fill('7')
  await page.keyboard.press('Enter')
  await findRow(page, 'Second').getByText('Someone').waitFor()
  await until('the change', WAIT_MS, async () => (await readTitles())[1] === 'Second')
  expect((await findStored())[1]).toMatchObject({ playerSubtitle: 'Someone', trackNumber: 7 })
})

testInChromium('a change of a row that is refused is taken back', async () => {
  const page = await openCollection()
  await refuse(page, 'UpdateTrack', 'One')
  await findRow(page, 'One').press('F2')
  await untilFocused(page.getByRole('dialog', { name: 'Edit One here' }).getByLabel('Title'))
  await page.keyboard.type('Refused')
  await page.keyboard.press('Enter')
  await page.getByText('One was not changed.').waitFor()
  await findRow(page, 'One').waitFor()
  expect(await findRow(page, 'Refused').count()).toBe(0)
  await page.unroute('**/graphql')
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  await setView(studio.page, view)
  const page = await openCollection()
  await select(page, 'One', 'Two')
  await expectAccessible(page, 'studio-selection', view)
  await chooseAction(page, 'Edit')
  await page.getByRole('dialog').getByLabel('Album').fill('Both')
  await expectAccessible(page, 'studio-selection-edit', view)
  await page.keyboard.press('Escape')
  await findRow(page, 'Three').press('F2')
  await page.getByRole('dialog', { name: 'Edit Three here' }).waitFor()
  await expectAccessible(page, 'studio-edit-row', view)
})
