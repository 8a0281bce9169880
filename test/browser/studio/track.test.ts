// The page of a track, as an administrator and a viewer use it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { data, sql } from '../../support/administrators.ts'
import { makeMedia, tone } from '../../support/audio.ts'
import { processed, readTrack } from '../../support/processed.ts'
import { uploadTrack } from '../../support/service.ts'
import { withVariants } from '../../support/variants.ts'
import { testInChromium } from '../launch.ts'
import { expectAccessible, setView, untilFocused, views } from '../view.ts'
import { chooseAction, openStudio, type Studio } from './studio.ts'

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
const content = () => studio.page.locator('#content')
const bar = () => studio.page.getByRole('region', { name: 'Player' })
const slider = () => content().getByRole('slider', { name: 'Position' })
/** Waits until the sound has passed a position in seconds. */
const isAfter = (seconds: number) =>
  studio.page.waitForFunction(
    (least) => Number(document.querySelector<HTMLInputElement>('.track-wave input')?.value) > least,
    seconds,
  )
/** Waits until the player has a sound of this length in seconds. */
const isLong = (seconds: number) =>
  studio.page.waitForFunction(
    (length) => Math.round(Number(document.querySelector<HTMLInputElement>('.player-bar input')?.max)) === length,
    seconds,
  )
const readTrackJson = async (id: string) => (await readTrack(studio.service, id)).track

test('plays in the player at the foot, and counts no play request', async () => {
  const page = await studio.open(`/track/${ready}`)
  await content().getByRole('button', { name: 'Play', exact: true }).click()
  await bar().getByRole('button', { name: 'Pause' }).waitFor()
  await slider().fill('3')
  await isAfter(3)
  expect(await page.locator('.track-wave .played path').count()).toBe(1)
  await content().getByRole('button', { name: 'Pause', exact: true }).click()
  await bar().getByRole('button', { name: 'Play', exact: true }).waitFor()
  expect(await readRequests()).toEqual([])
})

test('the waveform shows the time under the pointer, and plays from there', async () => {
  const page = await studio.open(`/track/${ready}`)
  const box = await slider().boundingBox()
  if (!box) throw new Error('no waveform')
  await page.mouse.move(box.x + box.width * 0.61, box.y + box.height / 2)
  await content().getByText('0:03', { exact: true }).waitFor()
  expect(await bar().count()).toBe(0)
  await page.mouse.down()
  await page.mouse.up()
  await bar().getByRole('button', { name: 'Pause' }).waitFor()
  await isAfter(2)
  await page.mouse.move(0, 0)
  expect(await page.locator('.seek-tip').count()).toBe(0)
})

testInChromium('plays with a new address when the old one has expired', async () => {
  const { page } = studio
  let readings = 0
  await page.route('**/graphql', async (route) => {
    const isSound = route.request().postData()?.includes('query TrackSound(')
    if (!isSound || readings++ > 0) return route.fallback()
    const response = await route.fetch()
    return route.fulfill({ response, body: (await response.text()).replaceAll(/verify=\d+/g, 'verify=1500000000') })
  })
  await studio.open(`/track/${ready}`)
  await content().getByRole('button', { name: 'Play', exact: true }).click()
  await isAfter(0)
  await page.unroute('**/graphql')
  expect(readings).toBe(2)
  expect(await page.getByRole('alert').count()).toBe(0)
})

let song = ''
test('shows how much of the track is heard', async () => {
  song = (await processed(studio.service, await tone(5), 'song.wav')).id
  const page = await studio.open(`/track/${song}`)
  await page.getByText('listens in the last 30 days').waitFor()
  expect(await page.getByRole('heading', { name: 'How much is heard' }).count()).toBe(0)
  // All hear the beginning, and fewer from hundredth to hundredth; 40 of 80 hear the end.
  const hundredths = Array.from({ length: 100 }, (_, place) => 80 - Math.floor((40 * place) / 99))
  const update =
    'mutation ($id: ID!, $input: UpdateTrackInput!) { updateTrack(id: $id, input: $input) { track { id } } }'
  const chapters = [
    { startSeconds: 0, title: 'Opening' },
    { startSeconds: 2, title: 'Middle' },
  ]
  await data(studio.service, update, { id: song, input: { chapters } }, studio.service.demo.api_key)
  await sql(studio.service, 'INSERT INTO retention_day VALUES ($1, $2, 80, $3)', [song, '2026-03-01', hundredths])
  await studio.open(`/track/${song}`)
  const curve = page.getByRole('img', { name: /^On average 0:03 of 0:05, 76%\. 53% hear the end\. 80 listenings\.$/ })
  await curve.waitFor()
  const width = (await curve.boundingBox())?.width ?? 0
  await curve.hover({ position: { x: width * 0.405, y: 60 } })
  expect(await page.locator('.retention .seek-tip').textContent()).toBe('0:02 · 80% · Middle')
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-track-retention', view)
  }
  await setView(page, { colors: 'light', width: 1280 })
})

testInChromium('saves how much of the track is heard', async () => {
  const page = await studio.open(`/track/${song}`)
  const section = page.locator('.section-head', { hasText: 'How much is heard' })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    section.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`retention-${song}.csv`)
})

test('plays a certain file, and draws the part of the recording that it contains', async () => {
  const { service } = studio
  // Its parts have different shapes.
  const sound = await makeMedia(['-f', 'lavfi', '-i', 'sine=duration=8,afade=d=8'], 'wav')
  const { id } = await withVariants(service, ['hq', 'preview', 'waveform'], () => processed(service, sound, 'long.wav'))
  const query =
    'mutation ($id: ID!, $input: UpdateTrackInput!) { updateTrack(id: $id, input: $input) { track { id } } }'
  const chapters = [
    { title: 'The beginning', startSeconds: 0 },
    { title: 'The end', startSeconds: 6 },
  ]
  await service.request('POST', '/graphql', { body: { query, variables: { id, input: { chapters } } } })
  const page = await studio.open(`/track/${id}/files`)
  const files = page.getByRole('list', { name: 'Files' })
  const drawing = () => page.locator('.player-bar .wave > path').getAttribute('d')
  await content().getByRole('button', { name: 'Play', exact: true }).click()
  await isLong(8)
  const whole = await drawing()
  await files.getByRole('button', { name: 'Play Preview' }).click()
  await isLong(4)
  await files.getByRole('button', { name: 'Pause Preview' }).click()
  expect(whole?.match(/M/g)?.length).toBe(160)
  expect(await drawing()).not.toBe(whole)
  // A row without a choice of its file goes on with the one that plays.
  await content().getByRole('button', { name: 'Play', exact: true }).click()
  await files.getByRole('button', { name: 'Pause Preview' }).waitFor()
  // A chapter is a place of the whole recording.
  await page.getByRole('tab', { name: 'Listen' }).click()
  await page.getByRole('list', { name: 'Chapters' }).getByRole('button', { name: 'The end' }).click()
  await isLong(8)
  await isAfter(5)
})

test('offers no Apple Lossless to a browser that does not play it', async () => {
  const readNames = async () => {
    const page = await studio.open(`/track/${ready}/files`)
    const buttons = page.getByRole('list', { name: 'Files' }).getByRole('button', { name: /^Play / })
    await buttons.first().waitFor()
    return buttons.evaluateAll((all) => all.map((button) => button.getAttribute('aria-label')))
  }
  const all = await readNames()
  expect(all).toContain('Play Opus, 64 kbps')
  await studio.service.services.pool.query(
    `UPDATE track_file SET props = props || '{"codec": "alac"}'
     WHERE track_id = $1 AND variant_id = (SELECT id FROM variant WHERE index = 'lq' AND track_id IS NULL)`,
    [ready],
  )
  expect(await readNames()).toEqual(all.filter((name) => name !== 'Play Opus, 64 kbps'))
})

test('tabs have addresses, and follow the keyboard and the way back', async () => {
  const page = await studio.open(`/track/${ready}`)
  const tab = (name: string) => page.getByRole('tab', { name })
  const panel = (name: string) => page.getByRole('tabpanel', { name })
  await panel('Listen').getByText('Both channels are the same: the recording is mono.').waitFor()
  await panel('Listen').getByText('0 listens in the last 30 days').waitFor()
  await tab('Details').click()
  await panel('Details').getByText('44,100 Hz').waitFor()
  await page.getByRole('heading', { name: 'Quality' }).waitFor()
  await page.waitForURL(`**/studio/track/${ready}/details`)

  await page.keyboard.press('ArrowRight')
  const list = panel('Files').getByRole('list', { name: 'Files' })
  await list.waitFor()
  await page.waitForURL(`**/studio/track/${ready}/files`)
  await untilFocused(tab('Files'))
  const { files } = await readTrack(studio.service, ready)
  for (const index of Object.keys(files)) await list.getByText(index, { exact: true }).waitFor()
  expect(await list.getByRole('listitem').count()).toBe(Object.keys(files).length)
  await list.getByText('AAC, 192 kbps').waitFor()

  await page.goBack()
  await panel('Details').waitFor()
  await page.goto(page.url().replace('/details', '/activity'))
  await panel('Activity').getByRole('list', { name: 'Jobs' }).getByText('Process the upload').waitFor()
  await studio.open(`/track/${ready}/nothing`)
  await page.getByRole('heading', { name: 'There is no page at this address.' }).waitFor()
})

/** A fault of the host would end the work of a track like this. */
const setFailed = (id: string) =>
  studio.service.services.pool.query(`UPDATE track SET status = 'error' WHERE id = $1`, [id])

test('a track whose recording cannot be used offers another recording, no link and no repetition', async () => {
  const page = await studio.open(`/track/${broken}`)
  const { status_text: reason } = await readTrackJson(broken)
  const problem = page.getByRole('region', { name: 'Why it is not ready' })
  await problem.getByText(reason).waitFor()
  for (const name of ['Share…', 'Copy link', 'Try again'])
    expect(await page.getByRole('button', { name }).count()).toBe(0)
  await problem.getByRole('link', { name: 'Replace recording' }).click()
  await page.getByRole('tabpanel', { name: 'Files' }).getByRole('button', { name: 'Replace recording' }).waitFor()
})

test('a failed track shows the whole reason, and the work is repeated', async () => {
  await setFailed(broken)
  const page = await studio.open(`/track/${broken}`)
  const { status_text: reason } = await readTrackJson(broken)
  const problem = page.getByRole('region', { name: 'Why it is not ready' })
  await problem.getByText(reason).waitFor()
  await problem.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Processing 0%').waitFor()
  // The subscription shows the end without a reload.
  await studio.service.runJobs()
  await problem.getByText(reason).waitFor()
  await page.getByRole('tab', { name: 'Activity' }).click()
  await page.getByRole('list', { name: 'Jobs' }).getByText('Rebuild files').waitFor()
})

test('the overview says what failed and why, repeats it, and shows the latest uploads', async () => {
  await setFailed(broken)
  const page = await studio.open()
  const { status_text: reason } = await readTrackJson(broken)
  const failure = page.getByRole('list', { name: 'Needs attention' }).getByRole('listitem').filter({ hasText: 'notes' })
  await failure.getByText(reason).waitFor()
  await expectAccessible(page, 'studio-overview-failed', { colors: 'light', width: 1440 })
  await failure.getByRole('button', { name: 'Try again' }).click()
  await failure.waitFor({ state: 'detached' })
  const latest = page.getByRole('list', { name: 'Latest uploads' }).getByRole('listitem')
  await latest.filter({ hasText: 'notes' }).getByText('Processing').waitFor()
  // The subscription shows the end, and a new upload, without a reload.
  await uploadTrack(studio.service, await tone(1), 'newest.wav')
  await studio.service.runJobs()
  await failure.getByText(reason).waitFor()
  await latest.first().getByRole('link', { name: 'newest' }).click()
  await page.getByRole('heading', { level: 1, name: 'newest' }).waitFor()
})

test('a track without a recording offers one', async () => {
  const id = await emptyTrack()
  await studio.service.services.pool.query(
    `UPDATE track SET status = 'init_error', status_code = 'upload_expired',
       status_text = 'The upload did not arrive in time.'
     WHERE id = $1`,
    [id],
  )
  const page = await studio.open(`/track/${id}`)
  const problem = page.getByRole('region', { name: 'Why it is not ready' })
  await problem.getByText('The recording did not arrive in time. Upload it again.').waitFor()
  expect(await problem.getByRole('button').count()).toBe(0)
  await problem.getByRole('link', { name: 'Replace recording' }).waitFor()
})

test('edits only the changed fields, and shows a refusal at its field', async () => {
  await studio.service.v1('PUT', `/track/${broken}`, { body: { metadata: { mood: 'wild' } } })
  const page = await studio.open(`/track/${ready}`)
  await chooseAction(page, 'Edit')
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
  // A click of the driver scrolls the dialog first, which closes the list.
  await page.getByRole('option', { name: 'mood' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
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

test('translations are added from a file, corrected and deleted', async () => {
  const { v1 } = studio.service
  const body = { transcription: 'Good evening', transcription_language: 'en' }
  expect((await v1('PUT', `/track/${ready}`, { body })).status).toBe(200)
  const page = await studio.open(`/track/${ready}`)
  const read = async (language: string) => (await v1('GET', `/track/${ready}/translation/${language}`)).json
  await content().getByText('Listeners choose the language').waitFor()
  await page.getByRole('button', { name: 'Add a translation' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Language').fill('english')
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: 'Choose a file' }).click()
  const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Abend\n'
  await (await chooser).setFiles({ name: 'de.vtt', mimeType: 'text/vtt', buffer: Buffer.from(vtt) })
  await page.waitForFunction(() => document.querySelector('textarea')?.value.startsWith('WEBVTT'))
  await dialog.getByLabel('Language').fill('en')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('must differ from the language').first().waitFor()
  await expectAccessible(page, 'studio-add-translation', { colors: 'light', width: 1440 })
  await dialog.getByLabel('Language').fill('de')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const row = content().getByRole('listitem').filter({ hasText: 'German' })
  expect(await row.textContent()).toContain('WebVTT')
  await expectAccessible(page, 'studio-translations', { colors: 'light', width: 1440 })
  expect((await read('de')).translation.text).toBe(vtt)

  await row.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog', { name: 'German' }).getByLabel('Text', { exact: true }).fill('Guten Morgen')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('Text ·').waitFor()
  expect((await read('de')).translation.text).toBe('Guten Morgen')

  // The form has the text of another person, who has changed it since.
  await v1('PUT', `/track/${ready}/translation/de`, { body: { text: 'Gute Nacht' } })
  await row.getByRole('button', { name: 'Edit' }).click()
  expect(await dialog.getByLabel('Text', { exact: true }).inputValue()).toBe('Gute Nacht')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await row.getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('dialog', { name: 'Delete the translation German?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await row.waitFor({ state: 'detached' })
  expect((await read('de')).code).toBe('not_found')
})

test('a deleted track leaves the list of its collection, until it is restored', async () => {
  const id = await uploadTrack(studio.service, await tone(1), 'short.wav')
  const page = await studio.open(`/track/${id}`)
  await chooseAction(page, 'Delete')
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
  await uploadTrack(studio.service, await tone(1), 'followed.wav')
  const row = page.getByRole('row', { name: 'followed' })
  await row.getByText('Waiting').waitFor()
  await studio.service.runJobs()
  await row.locator('.wave').waitFor()
  await row.getByText('Waiting').waitFor({ state: 'detached' })
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await studio.open(`/track/${ready}`)
  await setView(page, view)
  for (const name of ['Details', 'Files', 'Activity', 'Listen']) {
    await page.getByRole('tab', { name }).click()
    await page.getByRole('tabpanel', { name }).waitFor()
    await expectAccessible(page, `studio-track-${name.toLowerCase()}`, view)
  }
  await content().getByRole('button', { name: 'Play', exact: true }).click()
  await isAfter(1)
  await expectAccessible(page, 'studio-track-playing', view)
  await chooseAction(page, 'Edit')
  await page.getByRole('dialog', { name: 'Edit track' }).waitFor()
  await expectAccessible(page, 'studio-edit-track', view)
  await page.goto(page.url().replace(ready, broken))
  await page.getByRole('region', { name: 'Why it is not ready' }).waitFor()
  await expectAccessible(page, 'studio-failed-track', view)
})

test('edits the fields of an episode, and sends only the changed ones', async () => {
  const { db } = studio.service.services
  const page = await studio.open(`/track/${ready}`)
  await chooseAction(page, 'Episode')
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
  await chooseAction(page, 'Episode')
  await dialog.getByLabel('Season').fill('')
  await dialog.getByLabel('Published').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await db.track.findUniqueOrThrow({ where: { id: ready } })).toMatchObject({ season: null, publishedAt: null })
})
