// Changes of a collection, the list of all tracks and the search in the header.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Request } from 'playwright-core'
import { podcastCategories } from '../../../src/domain/collection/podcast/categories.ts'
import { hire, signIn as signInAs } from '../../support/administrators.ts'
import { testInChromium } from '../launch.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { chooseAction, openStudio, type Studio, signIn } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
let collectionId: string

async function addCollection(title: string): Promise<string> {
  return (await studio.service.v1('POST', '/collection', { body: { title } })).json.collection_id
}

async function addTrack(collection_id: string, player_title: string): Promise<string> {
  const body = { collection_id, player_title, file_name: 'song.wav' }
  return (await studio.service.v1('POST', '/track', { body })).json.track_id
}

const readCollection = async (id: string) => (await studio.service.v1('GET', `/collection/${id}`)).json.collection

beforeAll(async () => {
  studio = await openStudio()
  collectionId = await addCollection('Night walks')
  const harbour = await addTrack(collectionId, 'Harbour')
  await studio.service.v1('PUT', `/track/${harbour}`, { body: { transcription: 'In the harbour of Gdynia' } })
  const failed = await addTrack(collectionId, 'Tunnel')
  await studio.service.services.pool.query(
    `UPDATE track SET status = 'init_error', status_code = 'upload_expired',
       status_text = 'The upload did not arrive in time.' WHERE id = $1`,
    [failed],
  )
})
afterAll(() => studio?.stop())

test('edits only the changed fields of a collection', async () => {
  const page = await studio.open(`/collection/${collectionId}`)
  await chooseAction(page, 'Edit')
  const dialog = page.getByRole('dialog', { name: 'Edit collection' })
  await dialog.getByLabel('Title', { exact: true }).fill('Night walks II')
  await dialog.getByLabel('Player color').fill('#12')
  await dialog.getByText('Tracks may have their own cover').click()
  // Another person changes another field, and the page behind the form reads it.
  await studio.service.v1('PUT', `/collection/${collectionId}`, { body: { player_subtitle: 'By another person' } })
  await page.evaluate(() => {
    // Answers are old, and the person returns to the tab.
    const { now } = Date
    Date.now = () => now() + 10_000
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  })
  await page.locator('main', { hasText: 'By another person' }).waitFor({ state: 'attached' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.locator('.react-aria-FieldError').waitFor()
  expect((await readCollection(collectionId)).title).toBe('Night walks')
  await dialog.getByLabel('Player color').fill('#0f766e')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Night walks II' }).waitFor()
  await page.getByText('By another person').waitFor()
  expect(await readCollection(collectionId)).toMatchObject({
    title: 'Night walks II',
    player_subtitle: 'By another person',
    player_color: '#0f766e',
    is_cover_overridable: false,
    is_theme_overridable: true,
  })
})

testInChromium('a podcast is described until its feed has what directories need', async () => {
  const page = await studio.open(`/collection/${collectionId}`)
  await chooseAction(page, 'Podcast')
  const dialog = page.getByRole('dialog', { name: 'Podcast' })
  const needs = dialog.getByRole('list', { name: 'Apple Podcasts and Spotify need:' }).getByRole('listitem')
  expect(await needs.allTextContents()).toEqual(['A language', 'A category', "The owner's email address"])
  await expectAccessible(page, 'studio-podcast', { colors: 'light', width: 1440 })
  await dialog.getByLabel('Language', { exact: true }).fill('en')
  await dialog.getByRole('button', { name: 'Category' }).click()
  expect(await page.getByRole('option').count()).toBe(podcastCategories.length + 1)
  await page.getByRole('option', { name: 'Arts > Books' }).click()
  await dialog.getByLabel("Owner's email address").fill('ada')
  await dialog.getByText('Explicit language or content').click()
  await dialog.getByRole('button', { name: 'Order of episodes' }).click()
  await page.getByRole('option', { name: 'Newest first' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('must be an email address', { exact: true }).waitFor()
  await dialog.getByLabel("Owner's email address").fill('ada@example.com')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await chooseAction(page, 'Podcast')
  await dialog.getByText('The feed has what Apple Podcasts and Spotify need.').waitFor()
  const stored = await studio.service.services.db.collection.findUniqueOrThrow({ where: { id: collectionId } })
  expect(stored).toMatchObject({
    language: 'en',
    podcastCategory: 'Arts > Books',
    ownerEmail: 'ada@example.com',
    isExplicit: true,
    podcastType: 'episodic',
    author: null,
    description: null,
  })
})

test('a deleted collection leaves the list', async () => {
  const id = await addCollection('Short-lived')
  await addTrack(id, 'Its only track')
  const page = await studio.open(`/collection/${id}`)
  await chooseAction(page, 'Delete')
  const dialog = page.getByRole('dialog', { name: 'Delete collection' })
  await dialog.getByText('“Short-lived” and its tracks (1) are no longer delivered.').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('“Short-lived” was deleted.').waitFor()
  await page.getByRole('row', { name: 'Night walks' }).waitFor()
  expect(await page.getByRole('row', { name: 'Short-lived' }).count()).toBe(0)
})

test('lists the tracks that need attention, in all collections and in one', async () => {
  const page = await studio.open('/tracks')
  await page.getByRole('row', { name: 'Harbour' }).waitFor()
  await page.getByRole('button', { name: 'State' }).click()
  await page.getByRole('option', { name: 'Not ready: needs attention' }).click()
  await page.getByRole('row', { name: 'Harbour' }).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: 'Tunnel' }).waitFor()
  const { search } = new URL(page.url())
  for (const path of ['/tracks', `/collection/${collectionId}`]) {
    await studio.open(path + search)
    await page.getByRole('row', { name: 'Tunnel' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(1)
  }
})

test('lists the tracks of a collection that is found by its title', async () => {
  await addTrack(studio.service.demo.collection_id, 'Of the first collection')
  const page = await studio.open('/tracks')
  await page.getByRole('row', { name: 'Of the first collection' }).waitFor()
  await page.getByRole('combobox', { name: 'Collection' }).fill('night')
  await page.getByRole('option', { name: 'Night walks' }).click()
  await page.getByRole('row', { name: 'Of the first collection' }).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: 'Harbour' }).waitFor()
  await page.getByRole('button', { name: 'Only “Night walks' }).click()
  await page.getByRole('row', { name: 'Of the first collection' }).waitFor()
})

test('the header finds collections and tracks', async () => {
  const page = await studio.open('/tracks')
  const field = page.getByRole('banner').getByRole('searchbox', { name: 'Find collections and tracks' })
  await field.fill('harb')
  await field.press('Enter')
  await page.getByRole('list', { name: 'Tracks' }).getByRole('link', { name: 'Harbour' }).waitFor()
  await page.getByText('Nothing matches the search.').waitFor()
  await field.fill('NIGHT')
  await field.press('Enter')
  await page.getByRole('link', { name: 'Night walks' }).click()
  await page.getByRole('heading', { name: 'Night walks' }).waitFor()
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await studio.open('/tracks')
  await setView(page, view)
  await page.getByRole('row', { name: 'Harbour' }).waitFor()
  await expectAccessible(page, 'studio-tracks', view)
  await page.goto(page.url().replace('/tracks', '/search?search=harbour'))
  await page.getByText('In the harbour of Gdynia').waitFor()
  await expectAccessible(page, 'studio-search', view)
  await page.goto(page.url().replace(/search.*/, `collection/${collectionId}`))
  await chooseAction(page, 'Edit')
  await page.getByRole('dialog', { name: 'Edit collection' }).waitFor()
  await expectAccessible(page, 'studio-edit-collection', view)
})

test('a viewer is offered no change', async () => {
  const owner = await signInAs(studio.service)
  const viewer = await hire(studio.service, owner.token, 'viewer')
  const page = await studio.open('/collections')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signIn(page, viewer)
  await page.getByRole('row', { name: 'Night walks' }).waitFor()
  expect(await page.getByRole('button', { name: 'New collection' }).count()).toBe(0)
  await page.getByRole('row', { name: 'Night walks' }).click()
  await page.getByRole('row', { name: 'Tunnel' }).click()
  await page.getByRole('region', { name: 'Why it is not ready' }).waitFor()
  for (const name of ['Edit', 'Delete', 'More actions', 'Try again', 'Rebuild all files'])
    expect(await page.getByRole('button', { name }).count()).toBe(0)
})

test('the filters show what is filtered, also after a way back', async () => {
  const page = await studio.open('/tracks')
  const search = page.getByRole('searchbox', { name: 'Search', exact: true })
  await search.fill('first two ')
  await page.waitForURL('**/tracks?search=first+two')
  expect(await search.inputValue()).toBe('first two ')
  await page.getByRole('link', { name: 'Tracks', exact: true }).click()
  await page.waitForURL('**/tracks')
  expect(await search.inputValue()).toBe('')
  await page.goBack()
  await page.waitForURL('**/tracks?search=first+two')
  expect(await search.inputValue()).toBe('first two')
})

test('an interruption is said, and what was missed is shown after it', async () => {
  const id = await addTrack(collectionId, 'Before')
  const isEventStream = (request: Request) => request.headers().accept?.includes('text/event-stream')
  await studio.page.route('**/graphql', (route) => (isEventStream(route.request()) ? route.abort() : route.continue()))
  const page = await studio.open(`/track/${id}`)
  await page.getByRole('heading', { name: 'Before' }).waitFor()
  await page.getByText('Not live').waitFor()
  await studio.service.v1('PUT', `/track/${id}`, { body: { player_title: 'After' } })
  await page.unroute('**/graphql')
  await page.getByRole('heading', { name: 'After' }).waitFor({ timeout: 40_000 })
  await page.getByText('Not live').waitFor({ state: 'detached' })
})
