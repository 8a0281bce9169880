// Keys and share links: create, show once, share, revoke.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { fillLibrary } from '../../support/library.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
beforeAll(async () => {
  studio = await openStudio()
  const { services, demo } = studio.service
  await fillLibrary(services.pool, demo.organization_id, { collections: 1, tracks: 1 })
})
afterAll(() => studio?.stop())

const textIn = (page: Page, label: string) => page.getByRole('textbox', { name: label, exact: true }).inputValue()

async function choose(page: Page, label: string, option: string) {
  await page.getByRole('combobox', { name: label }).fill(option)
  await page.getByRole('option', { name: option, exact: true }).click()
}

async function chooseKind(page: Page, kind: string) {
  const dialog = page.getByRole('dialog', { name: 'Create key' })
  await dialog.getByRole('button', { name: /Kind$/ }).click()
  await page.getByRole('option', { name: kind, exact: true }).click()
}

test('a share key of a collection is shown once, with a link that plays', async () => {
  const page = await studio.open('/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Newsletter')
  await choose(page, 'Collection', 'Collection 1')
  await choose(page, 'Variant', 'hq')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog', { name: 'The key is created' }).waitFor()
  await expectAccessible(page, 'studio-key-created', { colors: 'light', width: 1440 })
  const [key, link, embed] = [
    await textIn(page, 'Key'),
    await textIn(page, 'Link'),
    await textIn(page, 'Code for a web site'),
  ]
  expect(link).toEndWith(key)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy: Link' }).click()
  await page.getByText('Copied', { exact: true }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link)
  expect((await page.request.get(link)).status()).toBe(200)
  expect((await page.request.get(await textIn(page, 'Podcast feed'))).status()).toBe(200)
  const src = /^<iframe src="([^"]+)"/.exec(embed)?.[1] ?? ''
  expect((await page.request.get(src)).status()).toBe(200)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row', { name: 'Newsletter' }).waitFor()
  expect(await page.content()).not.toContain(key)
})

test('a share key is limited to a track, and its link is shown again to a person who kept the key', async () => {
  const { graphql, demo } = studio.service
  const { data } = await graphql('{ tracks(first: 1, filter: { search: "track-" }) { nodes { id collectionId } } }')
  const [track] = data.tracks.nodes
  const created = await graphql(
    'mutation ($input: CreateShareKeyInput!) { createShareKey(input: $input) { key } }',
    { input: { title: 'One track', collectionId: track.collectionId, trackId: track.id, variant: 'hq' } },
    demo.api_key,
  )
  const { key } = created.data.createShareKey
  const page = await studio.open('/keys')
  await page.getByRole('row', { name: 'One track' }).getByRole('button', { name: 'Share…' }).click()
  await expectAccessible(page, 'studio-share', { colors: 'light', width: 1440 })
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('button', { name: 'Done' }).waitFor()
  const [link, newKey] = [await textIn(page, 'Link'), await textIn(page, 'Key')]
  expect(link).toEndWith(`/s/${track.id}/${newKey}`)
  expect((await page.request.get(link)).status()).toBe(200)
  await page.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('row', { name: 'One track' }).getByRole('button', { name: 'Share…' }).click()
  await page.getByRole('button', { name: 'Use a share key that I have' }).click()
  await page.getByRole('textbox', { name: 'Key' }).fill(demo.api_key)
  await page.getByRole('button', { name: 'Show link' }).click()
  await page.getByRole('alert').filter({ hasText: 'This is not a share key.' }).waitFor()
  await page.getByRole('textbox', { name: 'Key' }).fill(key)
  await page.getByRole('button', { name: 'Show link' }).click()
  await page.getByRole('img', { name: /^QR code/ }).waitFor()
  expect((await page.request.get(await textIn(page, 'Link'))).status()).toBe(200)
})

test('a collection is shared from its page', async () => {
  const { services } = studio.service
  const { id } = await services.db.collection.findFirstOrThrow({ where: { title: 'Collection 1' } })
  const page = await studio.open(`/collection/${id}`)
  await page.getByRole('button', { name: 'Share…' }).click()
  await choose(page, 'Variant', 'hq')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('button', { name: 'Done' }).waitFor()
  expect(await textIn(page, 'Link')).toContain(`/s/collection/${id}/`)
  expect((await page.request.get(await textIn(page, 'Link'))).status()).toBe(200)
})

test('Escape closes the share dialog until it shows a new link', async () => {
  const { services } = studio.service
  const { id } = await services.db.collection.findFirstOrThrow({ where: { title: 'Collection 1' } })
  const page = await studio.open(`/collection/${id}`)
  const dialog = page.getByRole('dialog', { name: 'Share link' })
  await page.getByRole('button', { name: 'Share…' }).click()
  await dialog.getByRole('textbox', { name: 'Title' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Share…' }).click()
  await choose(page, 'Variant', 'hq')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByRole('button', { name: 'Done' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
})

test('the share dialog fits a phone in German', async () => {
  const { services, demo } = studio.service
  const { id } = await services.db.collection.findFirstOrThrow({ where: { title: 'Collection 1' } })
  const viewport = { width: 360, height: 800 }
  const context = await studio.page.context().browser()?.newContext({ locale: 'de-DE', viewport })
  const page = (await context?.newPage()) as Page
  await page.goto(`${demo.base_url}/studio/collection/${id}`)
  await page.getByLabel('E-Mail-Adresse').fill(demo.admin.email)
  await page.getByLabel('Passwort').fill(demo.admin.password)
  await page.getByRole('button', { name: 'Anmelden' }).click()
  await page.getByRole('button', { name: 'Teilen …' }).click()
  await page.getByRole('button', { name: 'Einen vorhandenen Freigabe-Schlüssel verwenden' }).waitFor()
  const [width, whole] = await page
    .locator('.modal')
    .evaluate(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])
  expect(whole).toBe(Number(width))
  await context?.close()
})

test('a refusal is shown at its field, for a player key in the past', async () => {
  const page = await studio.open('/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await chooseKind(page, 'Player key')
  await page.getByRole('textbox', { name: 'Title' }).fill('Old')
  await page.getByRole('checkbox', { name: 'hq' }).check({ force: true })
  await page.getByLabel('Expiry').fill('2001-01-01T00:00')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const field = page.locator('.field').filter({ has: page.getByLabel('Expiry') })
  await field.getByText('must be in the future', { exact: true }).waitFor()
  await page.getByLabel('Expiry').fill('2099-01-01T00:00')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await page
    .getByRole('row', { name: 'Old' })
    .getByText(/Player key · hq · never used · expires Jan 1, 2099/)
    .waitFor()
})

test('a revoked key is refused at once and leaves the list', async () => {
  const { graphql } = studio.service
  const { data } = await graphql('mutation { createUploaderKey(input: { title: "Lost" }) { key } }')
  const status = async () => (await studio.service.v1('POST', '/upload_session', { key, body: {} })).status
  const { key } = data.createUploaderKey
  const page = await studio.open('/keys')
  const row = page.getByRole('row', { name: 'Lost' })
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  expect(await status()).not.toBe(401)
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  await page.getByText('“Lost” is revoked.').waitFor()
  expect(await status()).toBe(401)
  await page.getByRole('button', { name: /State$/ }).click()
  await page.getByRole('option', { name: 'Revoked', exact: true }).click()
  await row.getByText('Revoked', { exact: true }).waitFor()
  expect(await row.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await studio.open('/keys')
  await setView(page, view)
  await page.getByRole('row', { name: 'One track' }).first().waitFor()
  await expectAccessible(page, 'studio-keys', view)
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog').getByRole('combobox', { name: 'Variant' }).waitFor()
  await expectAccessible(page, 'studio-key-form', view)
})
