// Share links in the studio: made and copied with one press, listed with their use, shown again, revoked.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { hire, signIn as signInToService } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { fillLibrary } from '../../support/library.ts'
import { processed } from '../../support/processed.ts'
import type { Json } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { isFirefox, testInChromium } from '../launch.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, type Studio, signIn } from './studio.ts'

setDefaultTimeout(90_000)

let studio: Studio
/** A processed track in the demo collection. */
let trackId: string
/** A collection whose tracks have no bytes, but files. */
let collectionId: string
beforeAll(async () => {
  studio = await openStudio()
  const { services, demo } = studio.service
  await fillLibrary(services.pool, demo.organization_id, { collections: 1, tracks: 1 })
  ;({ id: trackId } = await processed(studio.service, await tone(1), 'song.wav'))
  ;({ id: collectionId } = await services.db.collection.findFirstOrThrow({ where: { title: 'Collection 1' } }))
  if (!isFirefox) await studio.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
})
afterAll(() => studio?.stop())

const textIn = (page: Page, label: string) => page.getByRole('textbox', { name: label, exact: true }).inputValue()
const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
const clearClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.writeText('empty'))
const countKeys = (where: object) => studio.service.services.db.apiKey.count({ where })

/** Opens a page of another person. */
async function openOther(options: BrowserContextOptions): Promise<[BrowserContext, Page]> {
  const browser = studio.page.context().browser()
  if (!browser) throw new Error('the page has no browser')
  const context = await browser.newContext(options)
  return [context, await context.newPage()]
}

async function copyWithOnePress(page: Page): Promise<string> {
  await clearClipboard(page)
  await page.getByRole('button', { name: 'Copy link' }).first().click()
  await page.getByText(/^The link to “.+” is copied\.$/).waitFor()
  return readClipboard(page)
}

const status = async (address: string) => (await studio.page.request.get(address)).status()

test.each(['track', 'collection'])('one press makes and copies a link to a %s that plays', async (kind) => {
  const id = kind === 'track' ? trackId : collectionId
  const page = await studio.open(`/${kind}/${id}`)
  const link = await copyWithOnePress(page)
  const path = kind === 'track' ? `/s/${id}/` : `/s/collection/${id}/`
  expect(link).toStartWith(studio.service.demo.base_url + path)
  expect(await status(link)).toBe(200)
  const keys = await studio.service.services.db.apiKey.findMany({
    where: kind === 'track' ? { trackId: id } : { collectionId: id, trackId: null },
    include: { variant: true },
  })
  expect(keys.map(({ variant, expiresAt }) => [variant?.index, expiresAt])).toEqual([['hq', null]])
})

test('another press copies the same link', async () => {
  const page = await studio.open(`/track/${trackId}`)
  const first = await copyWithOnePress(page)
  await page.reload()
  expect(await copyWithOnePress(page)).toBe(first)
  expect(await countKeys({ trackId })).toBe(1)
})

testInChromium('a link is copied on a page without a secure context', async () => {
  const page = await studio.open(`/track/${trackId}`)
  const expected = await copyWithOnePress(page)
  await clearClipboard(page)
  const [context, plain] = await openOther({ permissions: ['clipboard-read', 'clipboard-write'] })
  await plain.addInitScript(() => Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined }))
  await plain.goto(page.url())
  await signIn(plain, studio.service.demo.admin)
  await plain.getByRole('button', { name: 'Copy link' }).first().click()
  await plain.getByText(/^The link to “.+” is copied\.$/).waitFor()
  await context.close()
  await page.bringToFront()
  expect(await readClipboard(page)).toBe(expected)
})

testInChromium('a link that the browser refuses to copy is shown', async () => {
  const page = await studio.open(`/track/${trackId}`)
  await page.evaluate(() => {
    Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined, configurable: true })
    document.execCommand = () => false
  })
  await page.getByRole('button', { name: 'Copy link' }).first().click()
  await page.getByRole('dialog').getByText('The browser refused to copy. Select the text and copy it.').waitFor()
  expect(await status(await textIn(page, 'Link'))).toBe(200)
})

testInChromium('the album and the page of links list a link with its use; it is shown again, and revoked', async () => {
  const { demo } = studio.service
  const input = { title: 'Newsletter', variant: 'hq', collectionId: demo.collection_id, trackId }
  const { data } = await studio.service.graphql(
    'mutation ($input: CreateShareKeyInput!) { createShareKey(input: $input) { key keyId } }',
    { input: { ...input, expiresAt: '2099-01-01T00:00:00Z' } },
  )
  const { key, keyId } = data.createShareKey
  expect((await studio.service.request('GET', `/v1/stream/${trackId}/${key}`, { key: null })).status).toBe(302)
  await until(
    'the last use of the key',
    20_000,
    async () => (await countKeys({ id: keyId, lastUsedAt: { not: null } })) === 1,
  )

  const page = await studio.open(`/collection/${demo.collection_id}`)
  await page.getByText(/^Links: \d+$/).click()
  const row = page.getByRole('listitem').filter({ hasText: 'Newsletter' })
  await row.getByText(/^Newsletter · hq · plays: 1 · last used .+ · expires (Jan 1, 2099|Dec 31, 2098)/).waitFor()
  await clearClipboard(page)
  await row.getByRole('button', { name: 'Copy link' }).click()
  await page.getByText('Copied', { exact: true }).waitFor()
  expect(await readClipboard(page)).toBe(`${demo.base_url}/s/${trackId}/${key}`)

  await page.getByRole('link', { name: 'Links', exact: true }).click()
  const listed = page.getByRole('row').filter({ hasText: 'Newsletter' })
  await listed.getByRole('button', { name: 'Show…' }).click()
  expect(await textIn(page, 'Link')).toBe(`${demo.base_url}/s/${trackId}/${key}`)
  await page.getByRole('img', { name: /^QR code/ }).waitFor()
  await expectAccessible(page, 'studio-link-shown', { colors: 'light', width: 1440 })
  await page.getByRole('button', { name: 'Done' }).click()
  await listed.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await listed.waitFor({ state: 'detached' })
  expect(await status(`${demo.base_url}/s/${trackId}/${key}`)).toBe(404)
})

test('a link of an earlier release says that it cannot be shown again', async () => {
  const { services } = studio.service
  const [before] = await services.db.apiKey.findMany({ where: { title: 'Demo, hq' } })
  await services.db.apiKey.update({ where: { id: before?.id as string }, data: { sealedKey: null } })
  const page = await studio.open('/links')
  const row = page.getByRole('row').filter({ hasText: 'Demo, hq' })
  await row.getByText('Its address cannot be shown again. Make a new link.').waitFor()
  expect(await row.getByRole('button').allTextContents()).toEqual(['Edit…', 'Revoke'])
})

test('a viewer sees links without their addresses', async () => {
  const { token } = await signInToService(studio.service)
  const [context, page] = await openOther({})
  await page.goto(`${studio.service.demo.base_url}/studio/links`)
  await signIn(page, await hire(studio.service, token, 'viewer'))
  const row = page.getByRole('row').filter({ hasText: 'song' }).first()
  await row.waitFor()
  expect(await row.getByRole('button').count()).toBe(0)
  expect(await page.getByText('cannot be shown again').count()).toBe(0)
  await page.goto(page.url().replace('/links', `/track/${trackId}`))
  await page.getByText(/^Links: \d+$/).waitFor()
  expect(await page.getByRole('button', { name: 'Copy link' }).count()).toBe(0)
  await context.close()
})

testInChromium('the dialog makes and copies a link with one button, and opens with it the next time', async () => {
  const { services, demo } = studio.service
  const id = collectionId
  await services.db.apiKey.updateMany({ where: { collectionId: id }, data: { revokedAt: new Date() } })
  const page = await studio.open(`/collection/${id}`)
  await clearClipboard(page)
  const dialog = page.getByRole('dialog', { name: 'Share link' })
  await page.getByRole('button', { name: 'Share…' }).click()
  await dialog.getByText('As it appears in a chat').waitFor()
  await dialog.getByRole('button', { name: 'Create and copy link' }).click()
  await dialog.getByRole('textbox', { name: 'Link', exact: true }).waitFor()
  const link = await textIn(page, 'Link')
  await until('the link to be copied', 10_000, async () => (await readClipboard(page)) === link)
  expect(link).toStartWith(`${demo.base_url}/s/collection/${id}/`)
  expect(await status(link)).toBe(200)
  // Without a cover, the picture is the one that the service draws for chats.
  const picture = dialog.locator('.link-card img')
  expect(await picture.getAttribute('src')).toBe(`${link}/cover-regular.jpg`)
  await page.waitForFunction(() => (document.querySelector<HTMLImageElement>('.link-card img')?.naturalWidth ?? 0) > 0)
  await page.route('**/cover-regular.jpg', (route) => route.abort())
  await page.reload()
  await page.getByRole('button', { name: 'Share…' }).click()
  expect(await textIn(page, 'Link')).toBe(link)
  await picture.waitFor({ state: 'detached' })
  await page.unroute('**/cover-regular.jpg')
  expect(await countKeys({ collectionId: id, revokedAt: null })).toBe(1)
})

test.each(views)('the share dialog has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await studio.open(`/collection/${studio.service.demo.collection_id}`)
  await page.locator('.record-head .rays').waitFor()
  await setView(page, view)
  await page.getByRole('button', { name: 'Share…' }).click()
  await page.getByRole('dialog').getByText('As it appears in a chat').waitFor()
  await expectAccessible(page, 'studio-share-dialog', view)
})

test('the dialog chooses the variant for listeners, and warns of a master', async () => {
  const page = await studio.open(`/track/${trackId}`)
  await page.getByRole('button', { name: 'Share…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Options', { exact: true }).click()
  const variant = dialog.getByRole('button', { name: /Variant$/ })
  expect(await variant.textContent()).toContain('hq')
  const warning = dialog.getByText('Everyone who has the link can save the master.')
  expect(await warning.count()).toBe(0)
  await variant.click()
  const options = await page.getByRole('option').allTextContents()
  expect([options[0], options.at(-1)]).toEqual(['hq', 'original (master)'])
  await page.getByRole('option', { name: 'original (master)' }).click()
  await warning.waitFor()
  await expectAccessible(page, 'studio-share', { colors: 'light', width: 1440 })
  const standardLink = await textIn(page, 'Link')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = dialog.getByRole('textbox', { name: 'Link', exact: true })
  await until('the new link', 10_000, async () => (await link.inputValue()) !== standardLink)
  expect(await status(await link.inputValue())).toBe(200)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText(/^Links: \d+$/).click()
  await page.getByText('Master', { exact: true }).waitFor()
})

test('one press never shares a master: without a variant for listeners it asks', async () => {
  const { services } = studio.service
  const { graphql } = studio.service
  const { data }: Json = await graphql('{ variants(filter: { type: [TRANSCODE, PREVIEW] }) { nodes { id } } }')
  const where = { id: { in: data.variants.nodes.map(({ id }: Json) => id) } }
  await services.db.variant.updateMany({ where, data: { deletedAt: new Date() } })
  try {
    const before = await countKeys({})
    const page = await studio.open(`/collection/${collectionId}`)
    await page.getByRole('button', { name: 'Copy link' }).first().click()
    await page.getByRole('dialog').getByText('Everyone who has the link can save the master.').waitFor()
    expect(await countKeys({})).toBe(before)
  } finally {
    await services.db.variant.updateMany({ where, data: { deletedAt: null } })
  }
})

test('a link to a collection is made on the page of links, with code for a site and a feed', async () => {
  const page = await studio.open('/links')
  await page.getByRole('button', { name: 'New link' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Title' }).fill('For the press')
  await page.getByRole('combobox', { name: 'Collection' }).fill('Collection 1')
  await page.getByRole('option', { name: 'Collection 1', exact: true }).click()
  await dialog.getByRole('button', { name: 'New link' }).click()
  await page.getByRole('dialog', { name: 'The link is created' }).waitFor()
  const embed = await textIn(page, 'Code for a web site')
  const src = /^<iframe src="([^"]+)"/.exec(embed)?.[1] ?? ''
  for (const address of [await textIn(page, 'Link'), await textIn(page, 'Podcast feed'), src])
    expect([address, await status(address)]).toEqual([address, 200])
  await page.keyboard.press('Escape')
  await page.getByRole('row').filter({ hasText: 'For the press' }).waitFor()
})

test('a link with an opening time and sites is listed with them, and is not the standard link', async () => {
  const page = await studio.open('/links')
  await page.getByRole('button', { name: 'New link' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Release day')
  await page.getByRole('combobox', { name: 'Collection' }).fill('Collection 1')
  await page.getByRole('option', { name: 'Collection 1', exact: true }).click()
  await dialog.getByLabel('Opening').fill('2099-05-01T10:00')
  await dialog.getByLabel('Expiry').fill('2099-05-01T10:00')
  await dialog.getByRole('button', { name: 'New link' }).click()
  await dialog.getByText('must be before expiresAt', { exact: true }).waitFor()
  expect(await dialog.getByRole('alert').evaluate(({ clientWidth }) => clientWidth)).toBe(1)
  await dialog.getByLabel('Expiry').fill('')
  await dialog.getByLabel('Sites that may play it').fill('example.com, *.example.org')
  await dialog.getByRole('button', { name: 'New link' }).click()
  await page.getByRole('dialog', { name: 'The link is created' }).waitFor()
  const link = await textIn(page, 'Link')
  expect(await status(link)).toBe(404)
  await page.keyboard.press('Escape')
  const row = page.getByRole('row').filter({ hasText: 'Release day' })
  await row.filter({ hasText: /on example\.com, \*\.example\.org only · opens May 1, 2099/ }).waitFor()
  const where = { title: 'Release day' }
  const { collectionId: id } = await studio.service.services.db.apiKey.findFirstOrThrow({ where })
  await studio.open(`/collection/${id}`)
  expect(await copyWithOnePress(page)).not.toBe(link)
})

test('the share dialog fits a phone in German', async () => {
  const { demo } = studio.service
  const [context, page] = await openOther({ locale: 'de-DE', viewport: { width: 360, height: 800 } })
  await page.goto(`${demo.base_url}/studio/collection/${collectionId}`)
  await page.getByLabel('E-Mail-Adresse').fill(demo.admin.email)
  await page.getByLabel('Passwort').fill(demo.admin.password)
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await page.getByRole('button', { name: 'Teilen …' }).click()
  await page.getByText('Optionen', { exact: true }).click()
  await page.getByRole('button', { name: 'Link erstellen', exact: true }).waitFor()
  const [width, whole] = await page
    .locator('.modal')
    .evaluate(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])
  expect(whole).toBe(Number(width))
  await context.close()
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await studio.open('/links')
  await setView(page, view)
  await page.getByRole('row').filter({ hasText: 'For the press' }).waitFor()
  await expectAccessible(page, 'studio-links', view)
  const rows = page.getByRole('row').filter({ hasText: 'Copy link' })
  for (const row of await rows.all()) {
    const [outer, button, title] = await Promise.all([
      row.boundingBox(),
      row.getByRole('button', { name: 'Revoke' }).boundingBox(),
      row.locator('strong').boundingBox(),
    ])
    if (!outer || !button || !title) throw new Error('a row is not shown')
    expect(button.x + button.width).toBeLessThanOrEqual(outer.x + outer.width)
    expect(button.y + button.height).toBeLessThanOrEqual(outer.y + outer.height)
    expect(title.width).toBeGreaterThan(150)
  }
  await page.goto(page.url().replace('/links', `/collection/${studio.service.demo.collection_id}`))
  await page.getByText(/^Links: \d+$/).click()
  await page.getByRole('listitem').filter({ hasText: 'song' }).first().waitFor()
  await expectAccessible(page, 'studio-album-links', view)
})

test('limits of a link are chosen, shown and changed', async () => {
  const { service } = studio
  const page = await studio.open('/links')
  await page.getByRole('button', { name: 'New link' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill('For reviewers')
  await dialog.getByLabel('Plays at most').fill('10')
  await dialog.getByLabel('Listeners a day').fill('3')
  await dialog.getByLabel('Listeners at once').fill('2')
  await dialog.getByLabel('Password').fill('Open sesame')
  await dialog.getByText('Listeners may save the file').click()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-link-limits', view)
  }
  await setView(page, { colors: 'light', width: 1440 })
  await dialog.getByRole('button', { name: 'New link' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row').filter({ hasText: 'For reviewers' })
  await row
    .getByText('0 of 10 plays · at most 3 listeners a day · at most 2 at once · with password · with download')
    .waitFor()
  const find = () => service.services.db.apiKey.findFirstOrThrow({ where: { title: { contains: 'reviewers' } } })
  const created = await find()

  await row.getByRole('button', { name: 'Edit…' }).click()
  await dialog.getByLabel('Title').fill('For two reviewers')
  await dialog.getByLabel('Plays at most').fill('')
  await dialog.getByLabel('Sites that may play it').fill('Example.com, *.example.org')
  await dialog.getByText('Remove the password').click()
  await dialog.getByLabel('Listeners at once').fill('0')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('must be at least 1').first().waitFor()
  await dialog.getByLabel('Listeners at once').fill('5')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('at most 3 listeners a day · at most 5 at once · on example.com, *.example.org only').waitFor()
  const { maxPlays, passwordHash, isDownloadable, hash } = await find()
  expect([maxPlays, passwordHash, isDownloadable, hash]).toEqual([null, null, true, created.hash])
})
