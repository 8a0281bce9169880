// The recording of a track is replaced on its page, and a former one is restored.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { tone } from '../../support/audio.ts'
import { processed, readTrack } from '../../support/processed.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
let second: Buffer
beforeAll(async () => {
  studio = await openStudio()
  second = Buffer.from(await tone(3, 'flac'))
})
afterAll(() => studio?.stop())

const newTrack = async () => (await processed(studio.service, await tone(2), 'song.wav')).id
const choose = async (name: string, buffer: Buffer) => {
  const { page } = studio
  await page.getByRole('button', { name: 'Replace recording' }).waitFor()
  await page.locator('.drop input').setInputFiles({ name, mimeType: 'audio/flac', buffer })
}
const readDuration = async (id: string) => (await readTrack(studio.service, id)).track.duration

test('a recording is replaced, shows its state, and the former one is restored', async () => {
  const { service, page } = studio
  const id = await newTrack()
  await studio.open(`/track/${id}/files`)
  await choose('Final mix.flac', second)
  const state = page.getByRole('status', { name: 'New recording' })
  await state.filter({ hasText: 'Final mix.flac' }).waitFor()
  await state.getByText('Listeners get the present recording until then.').waitFor()
  await state.filter({ hasText: 'Waiting' }).waitFor()
  expect(await readDuration(id)).toBe(2)
  await service.runJobs()
  const former = page.getByRole('list', { name: 'Former recordings' })
  await former.getByText('song.wav').waitFor()
  await former.getByText(/^0:02, .* Can be restored until/).waitFor()
  expect([await state.count(), await readDuration(id)]).toEqual([0, 3])
  await page.getByText('0:03').first().waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-recording', view)
  }

  await former.getByRole('button', { name: 'Restore former recording' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore former recording' }).click()
  await former.getByText('Final mix.flac').waitFor()
  expect(await readDuration(id)).toBe(2)
})

test('a recording that is not usable says why, and is dismissed', async () => {
  const { service, page } = studio
  const id = await newTrack()
  await studio.open(`/track/${id}/files`)
  await choose('notes.wav', Buffer.from('this is no sound'))
  const state = page.getByRole('status', { name: 'New recording' })
  await state.filter({ hasText: 'Waiting' }).waitFor()
  await service.runJobs()
  await state.filter({ hasText: 'could not be used' }).waitFor()
  await state.getByText('The file is not readable audio.').waitFor()
  await state.getByRole('button', { name: 'Dismiss' }).click()
  await state.waitFor({ state: 'detached' })
  expect(await readDuration(id)).toBe(2)
})

test('a replacement that is being sent is cancelled', async () => {
  const { service, page } = studio
  const id = await newTrack()
  await studio.open(`/track/${id}/files`)
  await page.route('**/upload/track/**', () => {})
  await choose('late.wav', second)
  const state = page.getByRole('status', { name: 'New recording' })
  await state.filter({ hasText: 'Sending' }).waitFor()
  await state.getByRole('button', { name: 'Cancel' }).click()
  await state.waitFor({ state: 'detached' })
  await page.unroute('**/upload/track/**')
  const where = { replacesId: id, deletedAt: null }
  expect(await service.services.db.track.count({ where })).toBe(0)
})
