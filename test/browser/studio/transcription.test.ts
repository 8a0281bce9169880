// Speech recognition of a track on its page, and of all new recordings in the settings.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { processed, readTrack } from '../../support/processed.ts'
import { answerAsOpenAi, sayNumbers, startRecognizer } from '../../support/recognizer.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, pressLabel, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

const recognizer = startRecognizer()
let studio: Studio
beforeAll(async () => {
  studio = await openStudio({ TRANSCRIBE_URL: recognizer.address, TRANSCRIBE_MAX_HOURS: '10' })
})
afterAll(async () => {
  await studio?.stop()
  recognizer.stop()
})

const sentences = [
  [1, 2, 3],
  [4, 5],
]
const record = async () => (await processed(studio.service, sayNumbers(sentences), 'numbers.wav')).id
const status = () => studio.page.getByRole('status').filter({ hasText: 'peech recognition' })

test('a track is transcribed: it waits, works, and shows cues that a search finds', async () => {
  const { service, page } = studio
  const id = await record()
  const answered = Promise.withResolvers<void>()
  const requested = Promise.withResolvers<void>()
  recognizer.control.answer = async (sound) => {
    requested.resolve()
    await answered.promise
    return answerAsOpenAi(sound)
  }
  await studio.open(`/track/${id}`)
  await page.getByText('Speech recognition writes what is said, with times.').waitFor()
  await page.getByRole('button', { name: 'Transcribe', exact: true }).click()
  await status().getByText('Waits for speech recognition').waitFor()
  const working = service.runJobs()
  await requested.promise
  await status().getByText('Speech recognition: 0:00 of 0:03').waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-transcribing', view)
  }
  answered.resolve()
  await working
  const cues = page.getByRole('list', { name: 'Transcription' })
  await cues.getByRole('button', { name: 'w4 w5' }).waitFor()
  await page.getByText(/^Written by speech recognition on /).waitFor()
  expect(await status().count()).toBe(0)
  await page.getByRole('button', { name: 'Transcribe again' }).waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-transcribed', view)
  }
  await page.getByRole('banner').getByRole('searchbox').fill('w5')
  await page.keyboard.press('Enter')
  await page.getByRole('list', { name: 'Passages of numbers' }).getByText('w4 w5').waitFor()
})

test('texts are corrected with the sound, and become those of the person', async () => {
  const { service, page } = studio
  recognizer.control.answer = (sound) => answerAsOpenAi(sound)
  const id = await record()
  await studio.open(`/track/${id}`)
  await page.getByRole('button', { name: 'Transcribe', exact: true }).click()
  await status().waitFor()
  await service.runJobs()
  await page.getByRole('button', { name: 'Correct the text' }).click()
  const list = page.getByRole('list', { name: 'Transcription' })
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-correcting', view)
  }
  await list.getByRole('button', { name: 'Play numbers from 0:02' }).click()
  await page.getByRole('region', { name: 'Player' }).getByRole('button', { name: 'Pause' }).waitFor()
  await list.getByLabel('Text at 0:00').fill('')
  await list.getByLabel('Text at 0:02').fill('four & five')
  await page.getByRole('button', { name: 'Save' }).click()
  await list.getByRole('button', { name: 'four & five' }).waitFor()
  expect(await list.getByRole('button').count()).toBe(1)
  expect(await page.getByRole('button', { name: 'Transcribe again' }).count()).toBe(0)
  const { transcription } = (await readTrack(service, id)).track
  expect(transcription).toMatch(/^WEBVTT\n\n00:00:02\.\d{3} --> 00:00:03\.\d{3}\nfour &amp; five\n$/)
})

test('a transcription that waits is cancelled', async () => {
  const { service, page } = studio
  const id = await record()
  await studio.open(`/track/${id}`)
  await page.getByRole('button', { name: 'Transcribe', exact: true }).click()
  await status().getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Transcribe', exact: true }).waitFor()
  await service.runJobs()
  expect((await readTrack(service, id)).track.transcription).toBeNull()
})

test('a reason says why there is none', async () => {
  const { service, page } = studio
  recognizer.control.answer = () => Response.json({ text: '', segments: [] })
  const id = await record()
  await studio.open(`/track/${id}`)
  await page.getByRole('button', { name: 'Transcribe', exact: true }).click()
  await status().waitFor()
  await service.runJobs()
  await page.getByText('No speech was recognized.').waitFor()
  await page.getByRole('tab', { name: 'Activity' }).click()
  await page.getByRole('list', { name: 'Jobs' }).getByText('Transcribe').waitFor()
})

test('a text of a person is not offered to be replaced', async () => {
  const { service, page } = studio
  const id = await record()
  await service.v1('PUT', `/track/${id}`, { body: { transcription: 'My own words' } })
  await studio.open(`/track/${id}`)
  await page.getByText('My own words').waitFor()
  expect(await page.getByRole('button', { name: /^Transcribe/ }).count()).toBe(0)
})

test('the settings have new recordings transcribed', async () => {
  const { service, page } = studio
  recognizer.control.answer = (sound) => answerAsOpenAi(sound)
  await studio.open('/organization')
  const section = page.getByRole('region', { name: 'Transcriptions', exact: true })
  await section.getByText(/ of 10 hours of this month are used\.$/).waitFor()
  await pressLabel(section.getByRole('checkbox', { name: 'Transcribe each new recording' }))
  await section.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-transcriptions', view)
  }
  expect((await readTrack(service, await record())).track.transcription).toContain('w1 w2 w3')
})
