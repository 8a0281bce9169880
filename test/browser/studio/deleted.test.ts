// Deleted records in the studio, and their restoration.
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readyTrack } from '../../support/viewers.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
let trackId: string
beforeAll(async () => {
  studio = await openStudio()
})
beforeEach(async () => {
  const { service } = studio
  await service.services.db.track.updateMany({ data: { purgedAt: new Date() } })
  trackId = await readyTrack(service, service.demo.collection_id, null)
  await service.v1('DELETE', `/track/${trackId}`)
})
afterAll(() => studio?.stop())

const deletedAt = async () =>
  (await studio.service.services.db.track.findUniqueOrThrow({ where: { id: trackId } })).deletedAt

test('a deleted track is restored, and leaves the list', async () => {
  const page = await studio.open('/deleted')
  const row = page.getByRole('row', { name: 'song' })
  await row.getByText('From First collection').waitFor()
  await row.getByText(/^Deleted .+ Restorable until .+/).waitFor()
  await row.getByRole('button', { name: 'Restore song' }).click()
  await page.getByText('song is restored.').waitFor()
  await page.locator('.empty-state', { hasText: 'Nothing that can be restored.' }).locator('svg').waitFor()
  expect(await deletedAt()).toBeNull()
})

test('a refusal says why', async () => {
  const page = await studio.open('/deleted')
  await page.getByRole('row', { name: 'song' }).waitFor()
  await studio.service.services.db.track.update({ where: { id: trackId }, data: { purgedAt: new Date() } })
  await page.getByRole('button', { name: 'Restore song' }).click()
  await page.getByText('song could not be restored. The track was deleted more than 7 days ago.').waitFor()
  expect(await deletedAt()).not.toBeNull()
})

test('a deleted collection is restored by the keyboard', async () => {
  const { json } = await studio.service.v1('POST', '/collection', { body: { title: 'Field notes' } })
  await studio.service.v1('DELETE', `/collection/${json.collection_id}`)
  const page = await studio.open('/deleted')
  await page.getByRole('tab', { name: 'Tracks' }).focus()
  await page.keyboard.press('ArrowRight')
  const button = page.getByRole('button', { name: 'Restore Field notes' })
  await button.focus()
  await page.keyboard.press('Enter')
  await page.getByText('Field notes is restored.').waitFor()
  expect((await studio.service.v1('GET', `/collection/${json.collection_id}`)).status).toBe(200)
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await studio.open('/deleted')
  await setView(page, view)
  await page.getByRole('row', { name: 'song' }).waitFor()
  await expectAccessible(page, 'studio-deleted', view)
})
