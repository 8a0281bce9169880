// The page of an album, and the player at the foot.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { makeMedia } from '../../support/audio.ts'
import { stripes } from '../../support/picture.ts'
import { processed } from '../../support/processed.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

/** A tone that swells, so that its waveform has a shape. */
const makeSound = (seconds: number) =>
  makeMedia(['-f', 'lavfi', '-i', `sine=duration=${seconds},tremolo=f=${seconds / 40}:d=0.9`, '-ac', '2'], 'wav')

let studio: Studio
let album: string
beforeAll(async () => {
  studio = await openStudio()
  const { service } = studio
  album = `/collection/${service.demo.collection_id}`
  const details = { title: 'Night Bakery', player_subtitle: 'Ada Lund' }
  await service.v1('PUT', album, { body: details })
  const titles = ['First Crust', 'Flour on the Radio', 'Third Shift']
  for (const [at, title] of titles.entries()) {
    const { id } = await processed(service, await makeSound(20 + at), `${title}.wav`)
    await service.v1('PUT', `/track/${id}`, { body: { player_title: title, player_subtitle: 'Ada Lund' } })
  }
  const { json } = await service.v1('POST', `${album}/cover`)
  const picture = stripes(600, [
    [180, [24, 44, 92]],
    [240, [222, 108, 40]],
    [180, [244, 210, 150]],
  ])
  await service.fetchEdge(json.collection_cover_upload.upload_url, { method: 'POST', body: new Blob([picture]) })
  await service.runJobs()
  for (const title of ['Harbour Lights', 'Field recordings', 'Lullabies for Engines', 'Salt'])
    await service.v1('POST', '/collection', { body: { title, player_subtitle: 'Ada Lund' } })
})
afterAll(() => studio?.stop())

const openAlbum = async () => {
  const page = await studio.open(album)
  await page.getByRole('row', { name: 'Third Shift' }).waitFor()
  return page
}
const bar = () => studio.page.getByRole('region', { name: 'Player' })
const isAfter = (seconds: number) =>
  studio.page.waitForFunction(
    (least) => Number(document.querySelector<HTMLInputElement>('.player-bar .seek input')?.value) > least,
    seconds,
  )

test('an album says how many tracks it has and how long they are', async () => {
  const page = await openAlbum()
  await page.getByText('3 tracks · 1 min').waitFor()
})

test('an album plays, on other pages too, and goes on with its next track', async () => {
  const page = await openAlbum()
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await bar().getByRole('button', { name: 'Pause' }).waitFor()
  await bar().getByRole('slider', { name: 'Position' }).fill('5')
  await isAfter(5)
  await page.getByRole('link', { name: 'Tracks', exact: true }).click()
  await page.getByRole('heading', { name: 'Tracks' }).waitFor()
  await isAfter(6)
  await bar().getByRole('slider', { name: 'Position' }).fill('19')
  await bar().getByRole('link', { name: 'Flour on the Radio' }).waitFor()
  await isAfter(0)
  await bar().getByRole('button', { name: 'Next track' }).click()
  await bar().getByRole('link', { name: 'Third Shift' }).waitFor()
  expect(await bar().getByRole('button', { name: 'Next track' }).isDisabled()).toBe(true)
  await bar().getByRole('button', { name: 'Previous track' }).click()
  await bar().getByRole('link', { name: 'Flour on the Radio' }).waitFor()
  await bar().getByRole('button', { name: 'Close the player' }).click()
  await bar().waitFor({ state: 'detached' })
})

test('a row plays and pauses, and so does the space bar', async () => {
  const page = await openAlbum()
  const row = page.getByRole('row', { name: 'Flour on the Radio' })
  await row.hover()
  await row.getByRole('button', { name: 'Play Flour on the Radio' }).click()
  await isAfter(0)
  await row.getByRole('button', { name: 'Pause Flour on the Radio' }).click()
  await bar().getByRole('button', { name: 'Play', exact: true }).waitFor()
  await page.locator('#content').focus()
  await page.keyboard.press('Space')
  await bar().getByRole('button', { name: 'Pause' }).waitFor()
})

test('the search shows what is said in tracks, and plays a passage from its start', async () => {
  const { service } = studio
  const page = await openAlbum()
  const { json } = await service.v1('GET', `${album}/track?limit=50`)
  const { id } = json.tracks.find(({ player_title }: { player_title: string }) => player_title === 'Third Shift')
  const transcription =
    'WEBVTT\n\n00:03.000 --> 00:05.000\nGood evening\n\n00:12.000 --> 00:15.000\n<v Ada>We baked sourdough loaves'
  await service.v1('PUT', `/track/${id}`, { body: { transcription, transcription_language: 'en' } })
  await page.getByRole('banner').getByRole('searchbox').fill('baking SOURDOUGH')
  await page.keyboard.press('Enter')
  const passages = page.getByRole('list', { name: 'Passages of Third Shift' })
  await passages.getByText('Ada: We baked sourdough loaves').waitFor()
  expect(await passages.locator('mark').allInnerTexts()).toEqual(['baked', 'sourdough'])
  await passages.getByRole('button', { name: 'Play Third Shift from 0:12' }).click()
  await bar().getByRole('link', { name: 'Third Shift' }).waitFor()
  await isAfter(12)
  await bar().getByRole('button', { name: 'Pause' }).click()
  await bar().getByRole('slider', { name: 'Position' }).fill('2')
  await passages.getByRole('button', { name: 'Play Third Shift from 0:12' }).click()
  await isAfter(12)
  await bar().getByRole('button', { name: 'Pause' }).waitFor()
})

test('a transcription with times plays from each cue, and marks the one that is said', async () => {
  const { service } = studio
  const page = await openAlbum()
  const { json } = await service.v1('GET', `${album}/track?limit=50`)
  const { id } = json.tracks.find(({ player_title }: { player_title: string }) => player_title === 'First Crust')
  const transcription =
    '1\n00:00:02,000 --> 00:00:04,000\nGood morning\n\n2\n00:00:09,000 --> 00:00:19,000\nRye & wheat'
  await service.v1('PUT', `/track/${id}`, { body: { transcription } })
  await page.getByRole('row', { name: 'First Crust' }).click()
  const cues = page.getByRole('list', { name: 'Transcription' })
  await cues.getByRole('button').nth(1).waitFor()
  expect(await cues.getByRole('button').allInnerTexts()).toEqual(['0:02\nGood morning', '0:09\nRye & wheat'])
  await cues.getByRole('button', { name: 'Rye & wheat' }).click()
  await isAfter(9)
  await cues.locator('[aria-current]', { hasText: 'Rye & wheat' }).waitFor()
  await bar().getByRole('slider', { name: 'Position' }).fill('3')
  await cues.locator('[aria-current]', { hasText: 'Good morning' }).waitFor()
  expect(await cues.locator('[aria-current]').count()).toBe(1)
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-transcript', view)
  }
  await service.v1('PUT', `/track/${id}`, { body: { transcription: 'Without times' } })
  await page.reload()
  await page.getByText('Without times').waitFor()
  expect(await cues.count()).toBe(0)
})

test('the page of a track plays in the same player, and leaves the list that plays its track', async () => {
  const page = await openAlbum()
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await isAfter(0)
  await page.getByRole('row', { name: 'Third Shift' }).click()
  await page.getByRole('heading', { level: 1, name: 'Third Shift' }).waitFor()
  await page.locator('#content').getByRole('button', { name: 'Play', exact: true }).click()
  await bar().getByRole('link', { name: 'Third Shift' }).waitFor()
  await page.locator('#content').getByRole('button', { name: 'Pause', exact: true }).waitFor()
  await page.locator('#content').getByRole('link', { name: 'Night Bakery' }).click()
  await page.getByRole('row', { name: 'Flour on the Radio' }).hover()
  await page.getByRole('button', { name: 'Play Flour on the Radio' }).click()
  await bar().getByRole('link', { name: 'Flour on the Radio' }).click()
  await page.getByRole('heading', { level: 1, name: 'Flour on the Radio' }).waitFor()
  await page.locator('#content').getByRole('button', { name: 'Pause', exact: true }).click()
  await page.locator('#content').getByRole('button', { name: 'Play', exact: true }).click()
  expect(await bar().getByRole('button', { name: 'Next track' }).isDisabled()).toBe(false)
})

test('a press that scrolls a list opens the row under it', async () => {
  const page = await openAlbum()
  const rows = page.getByRole('grid', { name: 'Tracks' })
  const isLower = () => rows.evaluate((list) => list.clientHeight < list.scrollHeight)
  expect(await isLower()).toBe(false)
  await rows.evaluate((list) => {
    list.style.height = '150px'
  })
  expect(await isLower()).toBe(true)
  const box = await rows.boundingBox()
  if (!box) throw new Error('the list is not on the page')
  await page.mouse.move(box.x + box.width / 2, box.y + 145)
  await page.mouse.down()
  await page.mouse.wheel(0, 10)
  await page.waitForFunction(() => (document.querySelector('.rows')?.scrollTop ?? 0) > 0)
  await page.mouse.up()
  await page.waitForURL('**/studio/track/**')
})

test('a track without a playable file says so', async () => {
  const page = await openAlbum()
  await page.route('**/*verify=*', (route) => route.fulfill({ status: 503 }))
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await bar().getByText('It cannot be played now.').waitFor()
  await page.unroute('**/*verify=*')
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await studio.open('/collections')
  await setView(page, view)
  await page.getByRole('row', { name: 'Salt' }).waitFor()
  await expectAccessible(page, 'studio-covers', view)
  await openAlbum()
  await expectAccessible(page, 'studio-album', view)
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await bar().getByRole('button', { name: 'Pause' }).waitFor()
  await isAfter(1)
  await page.getByRole('row', { name: 'Third Shift' }).hover()
  await expectAccessible(page, 'studio-album-playing', view)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
  await expectAccessible(page, 'studio-album-menu', view)
  await page.keyboard.press('Escape')
  await page.route('**/v1/upload/**', () => {})
  await page
    .locator('.drop input')
    .setInputFiles({ name: 'next.wav', mimeType: 'audio/wav', buffer: Buffer.from('sound') })
  const uploads = page.getByRole('complementary', { name: 'Uploads' })
  await uploads.getByText('0 of 1 done').waitFor()
  const [card, player] = [await uploads.boundingBox(), await bar().boundingBox()]
  expect((card?.y ?? 0) + (card?.height ?? 0)).toBeLessThan(player?.y ?? 0)
  await expectAccessible(page, 'studio-album-uploading', view)
  page.once('dialog', (dialog) => dialog.accept())
  await page.unrouteAll()
})
