// Signing in at another service, with the pages of the npm package `oidc-provider`.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Server } from 'node:http'
import Provider from 'oidc-provider'
import type { Page } from 'playwright-core'
import { lastingPort } from '../../support/ports.ts'
import { openSite, type Site } from '../site.ts'
import { expectAccessible, setView, views } from '../view.ts'

setDefaultTimeout(60_000)

let site: Site
let issuer: Server
beforeAll(async () => {
  const [port, issuerPort] = [await lastingPort(), await lastingPort()]
  const url = `http://127.0.0.1:${issuerPort}`
  const client = { OIDC_CLIENT_ID: 'studio', OIDC_CLIENT_SECRET: 'a secret of the studio' }
  const provider = new Provider(url, {
    clients: [
      {
        client_id: client.OIDC_CLIENT_ID,
        client_secret: client.OIDC_CLIENT_SECRET,
        redirect_uris: [`http://localhost:${port}/sign-in/callback`],
      },
    ],
    claims: { email: ['email', 'email_verified'] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, email: id, email_verified: true }) }),
  })
  issuer = provider.listen(issuerPort, '127.0.0.1')
  const settings = { OIDC_ISSUER: url, OIDC_AUDIENCE: 'the api', OIDC_NAME: 'Example', ...client }
  site = await openSite(() => new Response('Another site'), { PORT: String(port), ...settings })
  site.page.setDefaultTimeout(15_000)
})
afterAll(async () => {
  await site?.stop()
  issuer?.close()
})

/** A browser without cookies, at a page of the service. */
async function openPage(path: string): Promise<Page> {
  const context = await site.page.context().browser()?.newContext()
  if (!context) throw new Error('no browser')
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  await page.goto(`${site.service.demo.base_url}${path}`)
  return page
}

/** Signs in with the form of the issuer, which takes any password. */
async function signInAtIssuer(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with Example' }).click()
  await page.getByPlaceholder('Enter any login').fill(email)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('an administrator comes back to the page that they wanted, signed in', async () => {
  const { demo } = site.service
  const page = await openPage('/studio/usage')
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'sign-in-issuer', view)
  }
  await signInAtIssuer(page, demo.admin.email)
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  expect(page.url()).toBe(`${demo.base_url}/studio/usage`)
  expect(await page.context().cookies(`${demo.base_url}/sign-in`)).toEqual([])
  await page.reload()
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with Example' }).waitFor()
  await page.context().close()
})

test('the console signs in the same way', async () => {
  const page = await openPage('/graphql')
  await signInAtIssuer(page, site.service.demo.admin.email)
  await page.getByText(site.service.demo.admin.email).waitFor()
  await page.context().close()
})

test('a person without an account here reads why', async () => {
  const page = await openPage('/studio')
  await signInAtIssuer(page, 'stranger@example.com')
  await page.getByText('No administrator has the email address of that account.').waitFor()
  await page.context().close()
})

test('a person who cancels reads it', async () => {
  const page = await openPage('/studio')
  await page.getByRole('button', { name: 'Sign in with Example' }).click()
  await page.getByRole('link', { name: '[ Cancel ]' }).click()
  await page.getByText('You were not signed in').waitFor()
  await page.context().close()
})
