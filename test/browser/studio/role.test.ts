// Actions that administrators who are not owners see in keys, webhooks, organization and administrators.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hire, signIn as signInToService } from '../../support/administrators.ts'
import { deliverDue } from '../../support/receiver.ts'
import { expectAccessible } from '../view.ts'
import { openStudio, type Studio, signIn } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
let page: Page
beforeAll(async () => {
  studio = await openStudio()
  page = studio.page
  const { graphql } = studio.service
  const { token } = await signInToService(studio.service)
  // An address without a server: the attempt fails.
  const created = await graphql(
    `mutation { createWebhookEndpoint(input: { url: "http://127.0.0.1:9/hook" }) { webhookEndpoint { id } } }`,
    {},
    token,
  )
  const { id } = created.data.createWebhookEndpoint.webhookEndpoint
  await graphql('mutation ($id: ID!) { sendTestWebhook(endpointId: $id) { webhookDelivery { id } } }', { id }, token)
  await deliverDue(studio.service)
  await graphql('mutation { createUploaderKey(input: { title: "Intake" }) { keyId } }')
  for (const role of ['viewer', 'admin'] as const) people[role] = await hire(studio.service, token, role)
})
afterAll(() => studio?.stop())

const people = {} as Record<'viewer' | 'admin', { email: string; password: string }>

async function signInAs(role: keyof typeof people) {
  await studio.open()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signIn(page, people[role])
}

/** Labels of all controls of the part that is shown, as a person reads them. */
async function controls(): Promise<string[]> {
  const controlElements = page
    .locator('#content')
    .locator('button, input, textarea, select, a')
    .filter({ visible: true })
  const labels = await controlElements.evaluateAll((elements) =>
    // The form elements of a list of choices are hidden from people.
    elements.flatMap((element) => {
      if (element.closest('[aria-hidden="true"], [data-testid="hidden-select-container"]')) return []
      const { labels } = element as HTMLInputElement
      return element.textContent || element.getAttribute('aria-label') || labels?.[0]?.textContent || element.tagName
    }),
  )
  return labels.filter((label) => label !== '×')
}

test('a viewer is offered nothing that changes the organization', async () => {
  await signInAs('viewer')
  await studio.open()
  await page.getByText('Nothing here yet.').waitFor()
  expect(await controls()).toEqual([])
  await studio.open('/keys')
  await page.getByRole('row', { name: 'Intake' }).waitFor()
  expect(await controls()).toEqual(['Search', 'All kinds', 'Not revoked'])
  await studio.open('/links')
  await page.getByRole('row', { name: 'Everything' }).waitFor()
  expect(await controls()).toEqual(['Search', 'Not revoked'])
  await studio.open('/webhooks')
  await page.getByRole('row', { name: /hook$/ }).waitFor()
  expect(await controls()).toEqual([])
  await page.getByRole('row', { name: /hook$/ }).click()
  await page.getByRole('row', { name: 'webhook.test' }).waitFor()
  expect(await controls()).toEqual(['Endpoints', 'All states', 'Refresh'])
  await page.getByRole('row', { name: 'webhook.test' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('No answer').waitFor()
  expect(await dialog.getByRole('button').allTextContents()).toEqual(['Refresh', 'Close'])
  await studio.open('/organization')
  await page.getByRole('region', { name: 'Signing secrets' }).waitFor()
  expect(await controls()).toEqual([])
  await expectAccessible(page, 'studio-organization-viewer', { colors: 'light', width: 1440 })
  await studio.open('/administrators')
  await page.getByRole('row', { name: people.admin.email }).waitFor()
  expect(await controls()).toEqual([])
})

test('a viewer cannot select or edit tracks in a list', async () => {
  const { demo, v1 } = studio.service
  await v1('POST', '/track', { body: { collection_id: demo.collection_id, player_title: 'Read', file_name: 'a.wav' } })
  await signInAs('viewer')
  await studio.open(`/collection/${demo.collection_id}`)
  await page.getByRole('row', { name: 'Read' }).press('F2')
  expect(await controls()).toEqual(['Collections'])
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('an admin is offered everything but the administration of administrators', async () => {
  await signInAs('admin')
  await studio.open('/keys')
  await page.getByRole('row', { name: 'Intake' }).waitFor()
  expect(await controls()).toEqual(expect.arrayContaining(['Create key', 'Revoke']))
  await studio.open('/links')
  await page.getByRole('row', { name: 'Everything' }).waitFor()
  expect(await controls()).toEqual(expect.arrayContaining(['New link', 'Show…', 'Revoke']))
  await studio.open('/administrators')
  await page.getByRole('row', { name: people.viewer.email }).click()
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await controls()).toEqual([])
})
