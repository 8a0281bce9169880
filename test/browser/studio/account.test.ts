// The account of the signed-in administrator: name, sessions, second factor, passkeys and password.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { post, trySignIn } from '../../support/administrators.ts'
import { codeNow } from '../../support/second-factor.ts'
import { testInChromium } from '../launch.ts'
import { compareWithStored } from '../picture.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, type Studio, signIn } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
beforeAll(async () => {
  studio = await openStudio()
})
afterAll(() => studio?.stop())

async function openAccount(): Promise<Page> {
  const page = await studio.open('/account')
  await page.getByRole('region', { name: 'Sessions' }).waitFor()
  return page
}

test('the menu leads to the account, whose name other administrators see', async () => {
  const { email } = studio.service.demo.admin
  const page = await studio.open()
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: email }).click()
  await page.getByLabel('Name').fill('Ada Example')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await studio.open('/administrators')
  await page.getByRole('row', { name: email }).getByText('Ada Example').waitFor()
})

test('another session is ended, and not the one of the page', async () => {
  const userAgent =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15'
  const { json } = await trySignIn(studio.service, {}, { headers: { 'user-agent': userAgent } })
  const page = await openAccount()
  const session = page.getByRole('listitem').filter({ hasText: 'Safari, macOS' })
  await session.getByRole('button', { name: 'End' }).click()
  await session.waitFor({ state: 'detached' })
  const answer = await post(studio.service, '{ account { administrator { id } } }', {}, { key: json.data.signIn.token })
  expect(answer.status).toBe(401)
  await page.getByRole('listitem').filter({ hasText: 'This one' }).waitFor()
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await openAccount()
  await setView(page, view)
  await expectAccessible(page, 'studio-account', view)
})

/** Of the page of the demo owner. */
let recoveryCode = ''

testInChromium('a second factor is set up with the code of an app, and signs in with a recovery code', async () => {
  const { admin } = studio.service.demo
  const page = await openAccount()
  await setView(page, { colors: 'light', width: 1440 })
  await page.getByRole('button', { name: 'Set up second factor' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set up second factor' })
  const secret = await dialog.getByRole('textbox', { name: 'Or type this secret into the app' }).inputValue()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-second-factor', view)
  }
  await dialog.getByLabel('Code', { exact: true }).fill('000000')
  await dialog.getByLabel('Current password').fill(admin.password)
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await dialog.locator('.field').filter({ hasText: 'is wrong, too old or was used before' }).waitFor()
  await dialog.getByLabel('Code', { exact: true }).fill(codeNow(studio.service, secret, -1))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
  await codes.waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-recovery-codes', view)
  }
  const texts = await codes.getByRole('listitem').allTextContents()
  expect(texts).toHaveLength(10)
  const download = page.waitForEvent('download')
  await codes.getByRole('link', { name: 'Download' }).click()
  expect(await Bun.file(await (await download).path()).text()).toBe(`${texts.join('\n')}\n`)
  recoveryCode = texts[1] ?? ''
  await codes.getByRole('button', { name: 'Done' }).click()
  await page.getByText('10 of 10 recovery codes are left.').waitFor()

  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByLabel('Email address').fill(admin.email)
  await page.getByLabel('Password').fill(admin.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('form', { name: 'Code' }).waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-sign-in-code', view)
  }
  const enter = async (code: string) => {
    await page.getByRole('textbox', { name: 'Code' }).fill(code)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  await enter('123456')
  await page.getByRole('alert').getByText('This code is wrong, too old or was used before.').waitFor()
  await enter(texts[0] ?? '')
  await page.getByText('9 of 10 recovery codes are left.').waitFor()
  await setView(page, { colors: 'light', width: 1440 })
})

testInChromium('the second factor is turned off with the password and a code', async () => {
  const page = await openAccount()
  await page.getByRole('button', { name: 'Turn off' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Current password').fill(studio.service.demo.admin.password)
  await dialog.getByLabel('Code', { exact: true }).fill(recoveryCode)
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('The second factor is off.').waitFor()
  await page.getByRole('button', { name: 'Set up second factor' }).waitFor()
})

testInChromium('a passkey is added with the password, signs in without it, and is removed', async () => {
  const { admin } = studio.service.demo
  const page = await openAccount()
  const browser = await page.context().newCDPSession(page)
  await browser.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', { options })
  await page.getByRole('button', { name: 'Add passkey' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add passkey' })
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByLabel('Current password').fill('not the password')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('is not your password', { exact: true }).waitFor()
  const { credentials } = await browser.send('WebAuthn.getCredentials', { authenticatorId })
  expect(credentials).toEqual([])
  await dialog.getByLabel('Current password').fill(admin.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  const passkey = page.getByRole('region', { name: 'Passkeys' }).getByRole('listitem')
  await passkey.getByText('Laptop').waitFor()
  for (const view of views) {
    await setView(page, view)
    await passkey.scrollIntoViewIfNeeded()
    await expectAccessible(page, 'studio-passkeys', view)
  }
  await page.setViewportSize({ width: 1440, height: 800 })
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-sign-in', view)
    expect(await compareWithStored(page, `sign-in-${view.colors}-${view.width}`)).toBeNull()
  }
  await setView(page, { colors: 'light', width: 1440 })
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await passkey.getByText(/^last used/).waitFor()
  await passkey.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await passkey.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('alert').getByText('This passkey is not one of an administrator here').waitFor()
  await browser.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
  await signIn(page, admin)
})

test('the password is changed with the current one, and all own sessions are ended', async () => {
  const { admin } = studio.service.demo
  const page = await openAccount()
  const change = async (current: string, next: string) => {
    await page.getByLabel('Current password').fill(current)
    await page.getByLabel('New password').fill(next)
    await page.getByRole('button', { name: 'Change password' }).click()
  }
  const field = (label: string) => page.locator('.field').filter({ has: page.getByLabel(label) })
  await change('not the password', 'a much better password')
  await field('Current password').getByText('is not the current password').waitFor()
  await change(admin.password, 'short')
  await field('New password')
    .getByText(/^must be at least 12/)
    .waitFor()
  await change(admin.password, 'a much better password')
  await page.getByText('The password is changed. Your other sessions have ended.').waitFor()
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  await signIn(page, { ...admin, password: 'a much better password' })
  await page.getByRole('heading', { name: 'Account' }).waitFor()
})
