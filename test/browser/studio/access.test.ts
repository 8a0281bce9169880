// Keys for programs: create, show once, revoke.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { fillLibrary } from '../../support/library.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, pressLabel, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
beforeAll(async () => {
  studio = await openStudio()
  const { services, demo } = studio.service
  await fillLibrary(services.pool, demo.organization_id, { collections: 1, tracks: 1 })
})
afterAll(() => studio?.stop())

async function chooseKind(page: Page, kind: string) {
  const dialog = page.getByRole('dialog', { name: 'Create key' })
  await dialog.getByRole('button', { name: /Kind$/ }).click()
  await page.getByRole('option', { name: kind, exact: true }).click()
}

test('share keys are not among the keys for programs', async () => {
  await studio.service.graphql('mutation { createPlayerKey(input: { title: "For a player" }) { key } }')
  const page = await studio.open('/keys')
  await page.getByRole('row', { name: 'For a player' }).waitFor()
  expect(await page.getByRole('row', { name: 'Demo, hq' }).count()).toBe(0)
  await page.getByRole('button', { name: /Kind$/ }).click()
  expect(await page.getByRole('option').allTextContents()).toEqual([
    'All kinds',
    'Player key',
    'Uploader key',
    'API key',
  ])
})

test('a key is shown once', async () => {
  const page = await studio.open('/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await chooseKind(page, 'Uploader key')
  await page.getByRole('textbox', { name: 'Title' }).fill('Intake')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog', { name: 'The key is created' }).waitFor()
  await expectAccessible(page, 'studio-key-created', { colors: 'light', width: 1440 })
  const key = await page.getByRole('textbox', { name: 'Key', exact: true }).inputValue()
  expect(key).toMatch(/^[0-9a-f]{32}_uploader_/)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row', { name: 'Intake' }).waitFor()
  expect(await page.content()).not.toContain(key)
})

test('a refusal is shown at its field, for a player key in the past', async () => {
  const page = await studio.open('/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await chooseKind(page, 'Player key')
  await page.getByRole('textbox', { name: 'Title' }).fill('Old')
  await pressLabel(page.getByRole('checkbox', { name: 'hq' }))
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
  await page.getByRole('row', { name: 'Old' }).first().waitFor()
  await expectAccessible(page, 'studio-keys', view)
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog').getByRole('checkbox', { name: 'hq' }).waitFor()
  await expectAccessible(page, 'studio-key-form', view)
})
