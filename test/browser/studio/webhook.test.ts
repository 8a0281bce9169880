// Webhooks: endpoints, their secrets and deliveries.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { deliverDue, type Receiver, startReceiver } from '../../support/receiver.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, pressLabel, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
let receiver: Receiver
let isBroken = true
beforeAll(async () => {
  studio = await openStudio()
  receiver = startReceiver(() =>
    isBroken ? new Response('The queue is full', { status: 500 }) : new Response(null, { status: 204 }),
  )
})
afterAll(async () => {
  await studio?.stop()
  await receiver?.stop()
})

const row = (page: Page, name: string) => page.getByRole('row', { name })

async function openEndpoint(): Promise<Page> {
  const page = await studio.open('/webhooks')
  await row(page, receiver.at()).click()
  await page.getByRole('heading', { name: receiver.at() }).waitFor()
  return page
}

test('an endpoint is created, and its secret, which is shown once, verifies a test', async () => {
  const page = await studio.open('/webhooks')
  await page.getByRole('button', { name: 'Create endpoint' }).click()
  const dialog = page.getByRole('dialog')
  await page.getByRole('textbox', { name: 'Address' }).fill('ftp://example.com')
  await dialog.getByRole('button', { name: 'Create endpoint' }).click()
  const field = page.locator('.field').filter({ has: page.getByLabel('Address') })
  await field.getByText('must be an https address', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Address' }).fill(receiver.at())
  await pressLabel(page.getByRole('checkbox', { name: 'A collection was created' }))
  await dialog.getByRole('button', { name: 'Create endpoint' }).click()
  await page.getByRole('dialog', { name: 'The secret of the endpoint' }).waitFor()
  const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue()
  await page.getByRole('button', { name: 'Done' }).click()
  await row(page, receiver.at()).getByText('collection.created', { exact: true }).waitFor()

  await row(page, receiver.at()).click()
  await page.getByRole('button', { name: 'Send test' }).click()
  await row(page, 'webhook.test').waitFor()
  await deliverDue(studio.service)
  const [message] = receiver.all
  expect(new Webhook(secret).verify(message?.body ?? '', message?.headers ?? {})).toMatchObject({
    type: 'webhook.test',
  })
})

test('a failed delivery shows its attempt, and is sent again', async () => {
  const page = await openEndpoint()
  await page.getByRole('button', { name: /State$/ }).click()
  await page.getByRole('option', { name: 'Delivered', exact: true }).click()
  await page.getByText('No delivery matches.').waitFor()
  await page.getByRole('button', { name: /State$/ }).click()
  await page.getByRole('option', { name: 'Failed', exact: true }).click()
  await row(page, 'webhook.test').click()
  const dialog = page.getByRole('dialog', { name: 'Delivery' })
  await dialog.getByText('HTTP 500').waitFor()
  await dialog.getByText('The queue is full').waitFor()
  await expectAccessible(page, 'studio-webhook-delivery', { colors: 'light', width: 1440 })
  isBroken = false
  await dialog.getByRole('button', { name: 'Redeliver' }).click()
  await dialog.getByText('Pending').waitFor()
  await deliverDue(studio.service)
  await dialog.getByRole('button', { name: 'Refresh' }).click()
  await dialog.getByText('HTTP 204').waitFor()
  await dialog.getByText('Delivered').waitFor()
})

test('events that a disabled endpoint missed are sent since a time', async () => {
  const { graphql, demo } = studio.service
  const page = await openEndpoint()
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByText(/^Disabled by an administrator/).waitFor()
  await graphql('mutation { createCollection(input: { title: "Missed" }) { collection { id } } }', {}, demo.api_key)
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('Enabled', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Redeliver failed…' }).click()
  await page.getByLabel('Since').fill('2020-01-01T00:00')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Redeliver', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await row(page, 'collection.created').waitFor()
  const before = receiver.all.length
  await deliverDue(studio.service)
  expect(receiver.all.slice(before).map(({ body }) => JSON.parse(body).type)).toEqual(['collection.created'])
})

test('the secret is rotated after a question, and types of events are changed', async () => {
  const page = await openEndpoint()
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  expect(await page.getByRole('textbox', { name: 'Secret' }).inputValue()).toStartWith('whsec_')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText(/^The previous secret signs as well until/).waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await pressLabel(page.getByRole('checkbox', { name: 'A collection was created' }))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('All event types').waitFor()
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await openEndpoint()
  await setView(page, view)
  await row(page, 'webhook.test').waitFor()
  await expectAccessible(page, 'studio-webhook', view)
})

test('an endpoint is deleted after a question', async () => {
  const page = await openEndpoint()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.locator('.empty-state', { hasText: 'No endpoint yet.' }).locator('svg').waitFor()
})
