// The page of a track, as an administrator and a viewer use it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { tone } from '../../support/audio.ts'
import { processed, readTrack } from '../../support/processed.ts'
import { uploadTrack } from '../../support/service.ts'
import { withVariants } from '../../support/variants.ts'
import { testInChromium } from '../launch.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
/** A ready track, and a text that was uploaded as one. */
let [ready, broken] = ['', '']
beforeAll(async () => {
  studio = await openStudio()
  ready = (await processed(studio.service, await tone(5), 'tone.wav')).id
  broken = (await processed(studio.service, new TextEncoder().encode('Not a recording'), 'notes.wav')).id
})
afterAll(() => studio?.stop())

const readRequests = async () => {
  const { json } = await studio.service.v1('GET', '/usage?group_by=track')
  return json.usage
}
/** Creates a track that waits for its recording. */
async function emptyTrack(): Promise<string> {
  const body = { collection_id: studio.service.demo.collection_id, file_name: 'late.wav' }
  return (await studio.service.v1('POST', '/track', { body })).json.track_id
}
/** Waits until the sound has passed a position in seconds. */
const isAfter = (seconds: number) =>
  studio.page.waitForFunction(
    (least) => Number(document.querySelector<HTMLInputElement>('.seek input')?.value) > least,
    seconds,
  )
const readTrackJson = async (id: string) => (await readTrack(studio.service, id)).track

test('plays, and counts no play request', async () => {
  const page = await studio.open(`/track/${ready}`)
  await page.getByRole('button', { name: 'Play' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  const position = page.getByRole('slider', { name: 'Position' })
  await position.fill('3')
  await isAfter(3)
  expect(await page.locator('.player .played path').count()).toBe(1)
  expect(await readRequests()).toEqual([])
})

testInChromium('plays with a new address when the old one has expired', async () => {
  const { page } = studio
  let readings = 0
  await page.route('**/graphql', async (route) => {
    const isTrack = route.request().postData()?.includes('query Track(')
    if (!isTrack || readings++ > 0) return route.fallback()
    const response = await route.fetch()
    return route.fulfill({ response, body: (await response.text()).replaceAll(/verify=\d+/g, 'verify=1500000000') })
  })
  await studio.open(`/track/${ready}`)
  await page.getByRole('button', { name: 'Play' }).click()
  await isAfter(0)
  await page.unroute('**/graphql')
  expect(readings).toBe(2)
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('shows that the sound cannot be loaded', async () => {
  const page = await studio.open(`/track/${ready}`)
  await page.route('**/*verify=*', (route) => route.fulfill({ status: 503 }))
  await page.getByRole('button', { name: 'Play' }).click()
  await page.getByText('The sound cannot be loaded.').waitFor()
  await page.unroute('**/*verify=*')
})

test('draws the part of the recording that a file contains', async () => {
  const { service } = studio
  const sound = await tone(8)
  const { id } = await withVariants(service, ['hq', 'preview', 'waveform'], () => processed(service, sound, 'long.wav'))
  const page = await studio.open(`/track/${id}`)
  const player = page.getByRole('region', { name: 'Player' })
  const bars = async () => (await player.locator('.wave > path').getAttribute('d'))?.match(/M/g)?.length
  await player.getByText('0:00 / 0:08').waitFor()
  expect(await bars()).toBe(320)
  await player.getByRole('button', { name: 'File' }).click()
  await page.getByRole('option', { name: 'preview' }).click()
  await player.getByText('0:00 / 0:04').waitFor()
  expect(await bars()).toBe(160)
})

test('offers no Apple Lossless to a browser that does not play it', async () => {
  const offered = async () => {
    const page = await studio.open(`/track/${ready}`)
    await page.getByRole('region', { name: 'Player' }).getByRole('button', { name: 'File' }).click()
    await page.getByRole('option').first().waitFor()
    return page.getByRole('option').allTextContents()
  }
  const all = await offered()
  expect(all).toContain('lq')
  await studio.service.services.pool.query(
    `UPDATE track_file SET props = props || '{"codec": "alac"}'
     WHERE track_id = $1 AND variant_id = (SELECT id FROM variant WHERE index = 'lq' AND track_id IS NULL)`,
    [ready],
  )
  expect(await offered()).toEqual(all.filter((index) => index !== 'lq'))
})

test('shows files, the recording and jobs', async () => {
  const page = await studio.open(`/track/${ready}`)
  const list = page.getByRole('list', { name: 'Files' })
  await list.waitFor()
  const { files } = await readTrack(studio.service, ready)
  for (const index of Object.keys(files)) await list.getByText(index, { exact: true }).waitFor()
  expect(await list.getByRole('listitem').count()).toBe(Object.keys(files).length)
  await page.getByText('44,100 Hz').waitFor()
  await page.getByRole('heading', { name: 'Quality' }).waitFor()
  await page.getByText('Both channels are the same: the recording is mono.').waitFor()
  await page.getByRole('list', { name: 'Jobs' }).getByText('Process the upload').waitFor()
})

test('a failed track shows the whole reason, and the work is repeated', async () => {
  const page = await studio.open(`/track/${broken}`)
  const { status_text: reason } = await readTrackJson(broken)
  const problem = page.getByRole('region', { name: 'Why it is not ready' })
  await problem.getByText(reason).waitFor()
  await problem.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Processing 0%').waitFor()
  // The subscription shows the end without a reload.
  await studio.service.runJobs()
  await problem.getByText(reason).waitFor()
  await page.getByRole('list', { name: 'Jobs' }).getByText('Rebuild files').waitFor()
})

test('a track without a recording offers no repetition', async () => {
  const id = await emptyTrack()
  await studio.service.services.pool.query(
    `UPDATE track SET status = 'init_error', status_code = 'upload_expired',
       status_text = 'The upload did not arrive in time.'
     WHERE id = $1`,
    [id],
  )
  const page = await studio.open(`/track/${id}`)
  const problem = page.getByRole('region', { name: 'Why it is not ready' })
  await problem.getByText('The recording did not arrive. Upload it again.').waitFor()
  expect(await problem.getByRole('button').count()).toBe(0)
})

test('edits only the changed fields, and shows a refusal at its field', async () => {
  await studio.service.v1('PUT', `/track/${broken}`, { body: { metadata: { mood: 'wild' } } })
  const page = await studio.open(`/track/${ready}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit track' })
  const save = dialog.getByRole('button', { name: 'Save' })
  await dialog.getByLabel('Title', { exact: true }).fill('A tone')
  await dialog.getByLabel('Player color').fill('orange')
  await dialog.getByLabel('Transcription', { exact: true }).fill('One tone.')
  await save.click()
  await dialog
    .getByText(/must be a color|hex/i)
    .first()
    .waitFor()
  expect(await dialog.getByLabel('Player color').getAttribute('aria-invalid')).toBe('true')
  await dialog.getByLabel('Player color').fill('#c2410c')
  await dialog.getByRole('button', { name: 'Add a field' }).click()
  await dialog.getByLabel('Key', { exact: true }).fill('mo')
  await page.getByRole('option', { name: 'mood' }).click()
  await dialog.getByLabel('Value of mood').fill('calm')
  await dialog.getByRole('button', { name: 'Advanced' }).click()
  const json = dialog.getByRole('textbox', { name: 'Metadata' })
  expect(JSON.parse(await json.inputValue())).toEqual({ mood: 'calm' })
  await json.fill('[1]')
  await save.click()
  await dialog.getByText('must be a JSON object').first().waitFor()
  await json.fill('{"take": 2, "parts": [1], "mood": "calm"}')
  await dialog.getByRole('button', { name: 'Show as rows' }).click()
  await dialog.getByLabel('Value of take').fill('3')
  await dialog.getByRole('button', { name: 'Remove mood' }).click()
  // Another person changes another field.
  await studio.service.v1('PUT', `/track/${ready}`, { body: { player_subtitle: 'By another person' } })
  await save.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'A tone' }).waitFor()
  await page.getByText('By another person').waitFor()
  expect(await readTrackJson(ready)).toMatchObject({
    player_title: 'A tone',
    player_subtitle: 'By another person',
    player_color: '#c2410c',
    transcription: 'One tone.',
    metadata: { take: 3, parts: [1] },
  })
})

test('a deleted track leaves the list of its collection, until it is restored', async () => {
  const id = await uploadTrack(studio.service, await tone(1), 'short.wav')
  const page = await studio.open(`/track/${id}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete track' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('“short” was deleted.').waitFor()
  await page.getByRole('row', { name: 'notes' }).waitFor()
  expect(await page.getByRole('row', { name: 'short' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('row', { name: 'short' }).waitFor()
})

test('the list of a collection follows states and new tracks', async () => {
  const page = await studio.open(`/collection/${studio.service.demo.collection_id}`)
  await page.getByRole('row', { name: 'notes' }).waitFor()
  await uploadTrack(studio.service, await tone(1), 'new.wav')
  const row = page.getByRole('row', { name: 'new' })
  await row.getByText('Waiting').waitFor()
  await studio.service.runJobs()
  await row.locator('.wave').waitFor()
  await row.getByText('Waiting').waitFor({ state: 'detached' })
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await studio.open(`/track/${ready}`)
  await setView(page, view)
  await page.getByRole('list', { name: 'Files' }).waitFor()
  await expectAccessible(page, 'studio-track', view)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog', { name: 'Edit track' }).waitFor()
  await expectAccessible(page, 'studio-edit-track', view)
  await page.goto(page.url().replace(ready, broken))
  await page.getByRole('region', { name: 'Why it is not ready' }).waitFor()
  await expectAccessible(page, 'studio-failed-track', view)
})

test('edits the fields of an episode, and sends only the changed ones', async () => {
  const { db } = studio.service.services
  const page = await studio.open(`/track/${ready}`)
  await page.getByRole('button', { name: 'Episode', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Episode' })
  await dialog.getByLabel('Description').fill('Recorded in one night.')
  await dialog.getByLabel('Published').fill('2024-03-01T08:30')
  await dialog.getByLabel('Season').fill('2')
  await dialog.getByRole('button', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Bonus' }).click()
  await dialog.getByRole('button', { name: 'Explicit language or content' }).click()
  await page.getByRole('option', { name: 'Yes', exact: true }).click()
  // Another person changes another field.
  await db.track.update({ where: { id: ready }, data: { episode: 7 } })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const publishedAt = await page.evaluate(() => new Date('2024-03-01T08:30').toISOString())
  expect(await db.track.findUniqueOrThrow({ where: { id: ready } })).toMatchObject({
    description: 'Recorded in one night.',
    publishedAt: new Date(publishedAt),
    season: 2,
    episode: 7,
    episodeType: 'bonus',
    isExplicit: true,
  })
  await page.getByRole('button', { name: 'Episode', exact: true }).click()
  await dialog.getByLabel('Season').fill('')
  await dialog.getByLabel('Published').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await db.track.findUniqueOrThrow({ where: { id: ready } })).toMatchObject({ season: null, publishedAt: null })
})
