// Administrators, whom owners manage.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { insertAdministrator } from '../../../src/domain/access/administrator/service.ts'
import { createSignInLink } from '../../../src/domain/access/sign-in-link/service.ts'
import { trySignIn } from '../../support/administrators.ts'
import { codeNow, enableFactor } from '../../support/second-factor.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, pressLabel, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

const EMAIL = 'editor@example.com'

let studio: Studio
let password = ''
beforeAll(async () => {
  studio = await openStudio()
})
afterAll(() => studio?.stop())

const open = () => studio.open('/administrators')
const row = (page: Page, email: string) => page.getByRole('row', { name: email })
const maySignIn = async () => !(await trySignIn(studio.service, { email: EMAIL, password })).json.errors

async function openDialog(email: string): Promise<Page> {
  const page = await open()
  await row(page, email).click()
  await page.getByRole('dialog', { name: email }).waitFor()
  return page
}

/** Fills in the form of an invitation. @returns the link */
async function invite(page: Page, email: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite administrator' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email address').fill(email)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('dialog', { name: 'The invitation' }).waitFor()
  const link = await page.getByRole('textbox', { name: 'Link', exact: true }).inputValue()
  await page.getByRole('button', { name: 'Done' }).click()
  return link
}

/** Opens a link in a browser in which no person is signed in. */
async function openElsewhere(link: string): Promise<Page> {
  const page = await studio.page.context().browser()?.newPage()
  if (!page) throw new Error('no browser')
  page.setDefaultTimeout(15_000)
  await page.goto(link)
  return page
}

test('an administrator is invited by a link, which takes a name and a password, and works once', async () => {
  const page = await open()
  await page.getByRole('button', { name: 'Invite administrator' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email address').fill(studio.service.demo.admin.email)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const field = dialog.locator('.field').filter({ has: page.getByLabel('Email address') })
  await field.getByText('is already the address of an administrator', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const link = await invite(page, EMAIL)

  const guest = await openElsewhere(link)
  await guest.getByText('You are invited to Demo. Your role: Admin.').waitFor()
  for (const view of views) {
    await setView(guest, view)
    await expectAccessible(guest, 'studio-invitation', view)
  }
  password = 'a password of their own'
  await guest.getByLabel('Name').fill('Eda Editor')
  await guest.getByLabel('Password').fill(password)
  await guest.getByRole('button', { name: 'Join' }).click()
  await guest.getByRole('link', { name: EMAIL }).waitFor()
  expect(new URL(guest.url()).hash).toBe('')
  await guest.goto('about:blank')
  await guest.goto(link)
  await guest.getByText('This invitation was used or revoked, or has expired.').waitFor()
  await guest.close()

  await open()
  await row(page, EMAIL).getByText('Eda Editor').waitFor()
  expect(await maySignIn()).toBe(true)
})

test('a sign-in link opens the studio at once, asks for a code, works once, and asks before it replaces a session', async () => {
  const { service } = studio
  const { administrator, password: word } = await insertAdministrator(service.services, service.demo.organization_id, {
    email: 'linked@example.com',
    role: 'viewer',
  })
  const { email } = administrator
  const createLink = async () => (await createSignInLink(service.services, email)).link
  const link = await createLink()
  const guest = await openElsewhere(link)
  await guest.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(new URL(guest.url()).hash).toBe('')
  await guest.close()
  const late = await openElsewhere(link)
  await late.getByText('This sign-in link was used or replaced, or has expired.').waitFor()
  for (const view of views) {
    await setView(late, view)
    await expectAccessible(late, 'studio-sign-in-link-ended', view)
  }
  await late.close()

  const { secret } = await enableFactor(service, { email, password: word })
  const second = await openElsewhere(await createLink())
  await second.getByRole('textbox', { name: 'Code' }).fill(codeNow(service, secret))
  await second.getByRole('button', { name: 'Sign in' }).click()
  await second.getByRole('heading', { name: 'Overview' }).waitFor()
  await second.goto(await createLink())
  await second.reload()
  await second.getByText(`You are signed in as ${email} in this browser.`).waitFor()
  for (const view of views) {
    await setView(second, view)
    await expectAccessible(second, 'studio-sign-in-link-question', view)
  }
  await second.getByRole('link', { name: `Stay signed in as ${email}` }).click()
  await second.getByRole('heading', { name: 'Overview' }).waitFor()
  await second.close()
})

test('a pending invitation is listed, and revoked after a question', async () => {
  const page = await open()
  const link = await invite(page, 'pending@example.com')
  const pending = page.getByRole('region', { name: 'Invitations' }).getByRole('listitem')
  await pending.getByText('pending@example.com').waitFor()
  for (const view of views) {
    await setView(page, view)
    await pending.scrollIntoViewIfNeeded()
    await expectAccessible(page, 'studio-invitations', view)
  }
  await pending.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await pending.waitFor({ state: 'detached' })
  const guest = await openElsewhere(link)
  await guest.getByText('This invitation was used or revoked, or has expired.').waitFor()
  await guest.close()
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await open()
  await setView(page, view)
  await row(page, EMAIL).waitFor()
  await expectAccessible(page, 'studio-administrators', view)
  await row(page, EMAIL).click()
  await page.getByRole('dialog').waitFor()
  await expectAccessible(page, 'studio-administrator', view)
})

test('the role and the access of an administrator are changed', async () => {
  const page = await openDialog(EMAIL)
  await page.getByRole('button', { name: /Role$/ }).click()
  await page.getByRole('option', { name: 'Viewer' }).click()
  await pressLabel(page.getByRole('checkbox', { name: 'May not sign in' }))
  await page.getByRole('button', { name: 'Save' }).click()
  await row(page, EMAIL)
    .getByText(/ Viewer /)
    .waitFor()
  await row(page, EMAIL).getByText('Disabled', { exact: true }).waitFor()
  expect(await maySignIn()).toBe(false)
  await row(page, EMAIL).click()
  await pressLabel(page.getByRole('checkbox', { name: 'May not sign in' }))
  await page.getByRole('button', { name: 'Save' }).click()
  await row(page, EMAIL).getByText('Disabled', { exact: true }).waitFor({ state: 'detached' })
  expect(await maySignIn()).toBe(true)
})

test('the last owner is neither changed nor deleted', async () => {
  const { email } = studio.service.demo.admin
  const refusal = 'An organization must have at least one owner who may sign in.'
  const page = await openDialog(email)
  await pressLabel(page.getByRole('checkbox', { name: 'May not sign in' }))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').getByText(refusal).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('dialog', { name: `Delete ${email}?` })
    .getByRole('button', { name: 'Delete' })
    .click()
  await page.getByRole('dialog').getByText(refusal).waitFor()
})

test('a second factor is removed, after a question', async () => {
  await enableFactor(studio.service, { email: EMAIL, password })
  const page = await open()
  await row(page, EMAIL).getByText('Second factor', { exact: true }).waitFor()
  await row(page, EMAIL).click()
  await page.getByRole('button', { name: 'Remove second factor' }).click()
  const question = page.getByRole('dialog', { name: 'Remove the second factor?' })
  await question.getByRole('button', { name: 'Remove second factor' }).click()
  await row(page, EMAIL).getByText('Second factor', { exact: true }).waitFor({ state: 'detached' })
  expect(await maySignIn()).toBe(true)
})

test('a password is reset, and an administrator deleted, after a question', async () => {
  const page = await openDialog(EMAIL)
  await page.getByRole('button', { name: 'Reset password' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset password' }).click()
  await page.getByRole('dialog', { name: 'The initial password' }).waitFor()
  expect(await maySignIn()).toBe(false)
  password = await page.getByRole('textbox', { name: 'Password', exact: true }).inputValue()
  expect(await maySignIn()).toBe(true)
  await page.getByRole('button', { name: 'Done' }).click()
  await row(page, EMAIL).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('dialog', { name: `Delete ${EMAIL}?` })
    .getByRole('button', { name: 'Delete' })
    .click()
  await row(page, EMAIL).waitFor({ state: 'detached' })
  expect(await maySignIn()).toBe(false)
})
