// Settings of the organization: name, player, domain and signing secrets.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { deliverySecrets } from '../../support/signing-secret.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, pressLabel, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
beforeAll(async () => {
  studio = await openStudio()
  const theme = [
    { hex: '#204060', area: 0.7, lightness: 0.25, saturation: 0.5 },
    { hex: '#e0a040', area: 0.3, lightness: 0.56, saturation: 0.72 },
  ]
  await studio.service.services.db.organization.updateMany({ data: { theme } })
})
afterAll(() => studio?.stop())

const open = () => studio.open('/organization')
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const field = (within: Locator, label: string) =>
  within.locator('.field').filter({ has: within.page().getByLabel(label, { exact: true }) })
const organization = () => studio.service.services.db.organization.findFirstOrThrow()

test('the name is changed, and an empty one is refused at its field', async () => {
  const page = await open()
  const general = section(page, 'General')
  await general.getByLabel('Name').fill('')
  await general.getByRole('button', { name: 'Save' }).click()
  await field(general, 'Name')
    .getByText(/^must be at least 1/)
    .waitFor()
  await general.getByLabel('Name').fill('Blue Label')
  await general.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  expect((await organization()).name).toBe('Blue Label')
})

test('the preview follows the form, and shows the legible colors of a saved one', async () => {
  const page = await open()
  const player = section(page, 'Player')
  const stroke = (theme: string) => player.locator(`.preview.${theme} circle`).getAttribute('stroke')
  const color = player.getByRole('textbox', { name: 'Player color' })
  await color.fill('#ffff00')
  await player.getByLabel('Player subtitle').fill('Yellow talks')
  expect([await stroke('light'), await stroke('dark')]).toEqual(['#ffff00', '#ffff00'])
  expect(await player.locator('.preview').getByText('Yellow talks').count()).toBe(2)
  await player.getByRole('button', { name: 'Save' }).click()
  await player.locator('.preview.light circle[stroke="#8f8f00"]').waitFor()
  expect(await stroke('dark')).toBe('#ffff00')
  await color.fill('#zz')
  await player.getByRole('button', { name: 'Save' }).click()
  await field(player, 'Player color')
    .getByText(/^must be/)
    .waitFor()
  expect((await organization()).playerColor).toBe('#ffff00')
})

test('whether collections may have their own cover is changed', async () => {
  const page = await open()
  const cover = section(page, 'Cover')
  const { isCoverOverridable, isThemeOverridable } = await organization()
  await pressLabel(cover.getByRole('checkbox', { name: /own cover$/ }))
  await cover.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  const after = await organization()
  expect([after.isCoverOverridable, after.isThemeOverridable]).toEqual([!isCoverOverridable, isThemeOverridable])
})

test('search engines are allowed to list pages', async () => {
  const page = await open()
  const pages = section(page, 'Pages of share links')
  await pressLabel(pages.getByRole('checkbox'))
  await pages.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  expect((await organization()).isIndexable).toBe(true)
})

test('a domain that is not a host is refused at its field', async () => {
  const page = await open()
  const domain = section(page, 'Domain')
  await domain.getByLabel('Host').fill('https://cdn.example.com')
  await domain.getByRole('button', { name: 'Save' }).click()
  await field(domain, 'Host')
    .getByText(/^must be a host/)
    .waitFor()
  await domain.getByLabel('Host').fill('cdn.example.com')
  await domain.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  expect((await organization()).domain).toBe('cdn.example.com')
})

test('a signing secret is added, activated, and the old one removed by force within its hour', async () => {
  const page = await open()
  const secrets = section(page, 'Signing secrets')
  await secrets.getByRole('button', { name: 'Add secret' }).click()
  await page.getByRole('dialog', { name: 'The new secret' }).waitFor()
  const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue()
  await page.getByRole('button', { name: 'Done' }).click()
  const [old, added] = await deliverySecrets(studio.service)
  expect(added).toBe(secret)
  await secrets.getByRole('button', { name: 'Activate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click()
  await secrets.getByText(/signed until/).waitFor()
  expect(await deliverySecrets(studio.service)).toEqual([secret, old ?? ''])
  await secrets.getByRole('button', { name: 'Remove' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByText(/may still be in use/).waitFor()
  await pressLabel(dialog.getByRole('checkbox'))
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await deliverySecrets(studio.service)).toEqual([secret])
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await open()
  await setView(page, view)
  await section(page, 'Signing secrets').waitFor()
  await expectAccessible(page, 'studio-organization', view)
})
