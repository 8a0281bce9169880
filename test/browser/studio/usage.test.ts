// Usage of a period: figures, chart, tables and CSV. The overview of the last 30 days.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { formatBytes } from '../../../src/web/strings.ts'
import { readyTrack } from '../../support/viewers.ts'
import { testInChromium } from '../launch.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

const DAY_MS = 86_400_000
const formatDay = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10)
const TRACKS = 23

let studio: Studio
beforeAll(async () => {
  studio = await openStudio()
  const { service } = studio
  const { db, pool } = service.services
  const share = await db.apiKey.findFirstOrThrow({ where: { kind: 'share' } })
  const play = (trackId: string, day: string, count: number) =>
    pool.query(
      `INSERT INTO play_event (id, organization_id, created_at, collection_id, track_id, key_id, variant_id, exclusion)
       SELECT gen_random_uuid(), $1, $2::date + interval '12 hours', $3, $4, $5, $6, CASE WHEN n > 1 THEN 'repeat' END::play_exclusion
       FROM generate_series(1, $7::int) n`,
      [service.demo.organization_id, day, service.demo.collection_id, trackId, share.id, share.variantId, count],
    )
  for (let n = 1; n <= TRACKS; n++) {
    const id = await readyTrack(service, service.demo.collection_id, null)
    await db.track.update({ where: { id }, data: { playerTitle: `Track ${n}` } })
    await play(id, formatDay(1 + (n % 9)), n)
  }
  // Of a record that is gone: on the first of the 30 days before the default period, and on the day before these.
  const goneId = crypto.randomUUID()
  await play(goneId, formatDay(59), 10)
  await play(goneId, formatDay(60), 490)
})
afterAll(() => studio?.stop())

const REQUESTS = (TRACKS * (TRACKS + 1)) / 2

test('the overview compares the last 30 days with those before, and lists the most played tracks', async () => {
  const page = await studio.open()
  const figures = page.getByRole('region', { name: 'Usage' })
  const figure = (name: string) => figures.locator('.overview-figure', { hasText: name })
  await figure('Listens in the last 30 days').getByText(String(TRACKS), { exact: true }).waitFor()
  await figure('Listens').getByText('+2,200%', { exact: true }).waitFor()
  await figure('Play requests').getByText(String(REQUESTS), { exact: true }).waitFor()
  await figure('Play requests').getByText('+2,660%', { exact: true }).waitFor()
  const [{ source_bytes: sources, file_bytes: files }] = (await studio.service.v1('GET', '/usage/storage')).json.usage
  const stored = await figure('Storage used now').locator('strong').textContent()
  expect(stored).toBe(formatBytes(sources + files))
  const rows = page.getByRole('list', { name: 'Played most' }).getByRole('listitem')
  await rows.locator('.sparkline').nth(4).waitFor()
  // Each track has one listen: those with more requests are first.
  expect(await rows.getByRole('link').allTextContents()).toEqual(
    Array.from({ length: 5 }, (_, place) => `Track ${TRACKS - place}`),
  )
  await figures.getByRole('link').click()
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
})

test.each(views)('the overview has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await studio.open()
  await setView(page, view)
  await page.getByRole('list', { name: 'Played most' }).locator('.sparkline').nth(4).waitFor()
  await page.getByRole('region', { name: 'Usage' }).waitFor()
  await expectAccessible(page, 'studio-overview', view)
})

test('shows the figures of the last 30 days, also as a table', async () => {
  const page = await studio.open('/usage')
  const figure = (name: string) => page.locator('.figures > div', { hasText: name }).locator('strong')
  await page.getByText(String(REQUESTS)).first().waitFor()
  expect(await figure('Play requests').textContent()).toBe(String(REQUESTS))
  expect(await figure('Listens').textContent()).toBe(String(TRACKS))
  expect(await page.locator('.figures .more').allTextContents()).toEqual(['+2,200%', '+2,660%'])
  await page.getByText('Show as a table').click()
  const days = page.locator('.days tbody tr')
  expect(await days.count()).toBe(30)
  const requests = await days.locator('td:nth-of-type(2)').allTextContents()
  expect(requests.reduce((sum, text) => sum + Number(text), 0)).toBe(REQUESTS)
  await page.locator('.chart canvas').waitFor()
})

testInChromium(
  'lists the most played tracks first, further ones on request, and names records that are gone',
  async () => {
    const page = await studio.open(`/usage?from=${formatDay(90)}`)
    const rows = page.getByRole('tabpanel', { name: 'Track', exact: true }).locator('tbody tr')
    const track = page.getByRole('link', { name: 'Track 23', exact: true })
    await track.waitFor()
    expect(await track.getAttribute('href')).toStartWith('/studio/track/')
    expect(await rows.count()).toBe(20)
    const requests = await rows.locator('td:nth-of-type(2)').allTextContents()
    expect(requests.map(Number)).toEqual([500, ...Array.from({ length: 19 }, (_, n) => TRACKS - n)])
    await rows
      .first()
      .getByText(/^Deleted, …/)
      .waitFor()
    await page.getByRole('button', { name: 'Show more (20 of 24)' }).click()
    await page.getByRole('link', { name: 'Track 1', exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Collection' }).click()
    await page.getByRole('link', { name: 'First collection' }).waitFor()
  },
)

testInChromium('counts listens by app, device, country and site', async () => {
  const { pool } = studio.service.services
  const page = await studio.open('/usage')
  const panel = page.getByRole('tabpanel', { name: 'Apps' })
  await panel.getByText('AUDIENCE=on').waitFor()
  await pool.query(
    `UPDATE play_event SET app = 'Overcast', device = 'phone', country = 'DE', referrer_host = 'label.example'
     WHERE exclusion IS NULL AND created_at > now() - interval '3 days'`,
  )
  const { rows } = await pool.query(
    'SELECT count(*) FILTER (WHERE app IS NULL)::int AS unknown, count(app)::int AS overcast FROM play_event WHERE exclusion IS NULL AND created_at::date > now()::date - 30',
  )
  const [{ overcast, unknown }] = rows
  await page.reload()
  await panel.getByRole('row', { name: 'Overcast' }).waitFor()
  const percent = (part: number) => `${Math.round((part / (overcast + unknown)) * 1000) / 10}%`
  expect(await panel.getByRole('row').allTextContents()).toEqual([
    'AppsListensShare',
    `Unknown${unknown}${percent(unknown)}`,
    `Overcast${overcast}${percent(overcast)}`,
  ])
  for (const [tab, row] of [
    ['Devices', 'Phone'],
    ['Countries', 'Germany'],
    ['Sites', 'label.example'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('tabpanel', { name: tab }).getByRole('row', { name: row }).waitFor()
  }
})

test('a day that does not exist is that of the default period', async () => {
  const page = await studio.open('/usage?from=2026-13-45')
  expect(await page.getByLabel('First day').inputValue()).toBe(formatDay(29))
})

test('a period is in the address, and a refusal names its rule', async () => {
  const page = await studio.open('/usage')
  await page.getByRole('radio', { name: '7 days', exact: true }).click()
  await page.waitForURL((url) => url.searchParams.get('from') === formatDay(6))
  await page.getByLabel('First day').fill(formatDay(500))
  await page
    .getByText(/must be at most 400 days before the end/)
    .first()
    .waitFor()
})

testInChromium('downloads the rows of the period as CSV', async () => {
  const page = await studio.open('/usage')
  await page.getByRole('link', { name: 'Track 23', exact: true }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('tabpanel', { name: 'Track', exact: true }).getByRole('button', { name: 'Download CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe(`usage-track-${formatDay(29)}-${formatDay(0)}.csv`)
  const lines = (await Bun.file(await file.path()).text()).trim().split('\r\n')
  expect([lines[0], lines.length]).toEqual(['track_id,track_title,requests,listens', TRACKS + 1])
})

testInChromium('downloads the audience of the period as CSV', async () => {
  const page = await studio.open('/usage')
  await page.getByRole('tab', { name: 'Devices' }).click()
  const panel = page.getByRole('tabpanel', { name: 'Devices' })
  const download = page.waitForEvent('download')
  await panel.getByRole('button', { name: 'Download CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe(`audience-device-${formatDay(29)}-${formatDay(0)}.csv`)
  const rows = (await Bun.file(await file.path()).text()).trim().split('\r\n')
  expect(rows[0]).toBe('value,listens')
  expect(rows.length - 1).toBe((await panel.getByRole('row').count()) - 1)
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await studio.open('/usage')
  await setView(page, view)
  await page.getByRole('link', { name: 'Track 23', exact: true }).waitFor()
  await page.locator('.chart canvas').waitFor()
  await expectAccessible(page, 'studio-usage', view)
})
