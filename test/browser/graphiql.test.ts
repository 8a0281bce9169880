import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { buildSchema, type GraphQLObjectType } from 'graphql'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { lastingPort } from '../support/ports.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { launchBrowser } from './launch.ts'
import { untilFocused } from './view.ts'

setDefaultTimeout(90_000)

const schema = buildSchema(await Bun.file(new URL('../../src/roles/gateway/schema.graphql', import.meta.url)).text())

/** The beginning of a description, as far as pages show it unformatted. */
function readDescription(typeName: string, field?: string): string {
  const type = schema.getType(typeName) as GraphQLObjectType
  const description = (field ? type.getFields()[field] : type)?.description?.split(/[.;`\n]/)[0]
  if (!description) throw new Error(`${typeName}.${field ?? ''} has no description`)
  return description
}

let service: TestService
let server: Bun.Server<undefined>
let origin: string
let browser: Browser
let context: BrowserContext
let page: Page
/** Addresses of requests, and errors and warnings of the browser. */
let requestUrls: string[]
let complaints: string[]

beforeAll(async () => {
  const port = await lastingPort()
  service = await startTestService({ PORT: String(port) })
  server = Bun.serve({ hostname: '127.0.0.1', port, idleTimeout: 60, fetch: (request) => service.gateway(request) })
  origin = `http://127.0.0.1:${port}`
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop(true)
  await service?.stop()
})

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  page = await context.newPage()
  page.setDefaultTimeout(20_000)
  requestUrls = []
  complaints = []
  page.on('request', (request) => requestUrls.push(request.url()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // The browser logs every refused request.
    const isRefusal = /the server responded with a status of 401/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text())
  })
  // Violations that a policy reports without an error in the console.
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error('policy', JSON.stringify(event)))
  })
  await page.goto(`${origin}/graphql`)
})
afterEach(async () => {
  await context.close()
  expect(complaints).toEqual([])
  // data: is the fonts in the sheet.
  const isForeign = (url: string) =>
    ![`${origin}/graphql`, `${origin}/design/`, 'data:'].some((start) => url.startsWith(start))
  expect(requestUrls.filter(isForeign)).toEqual([])
})

const signOutButton = () => page.getByRole('button', { name: 'Sign out' })
const answer = () => page.getByRole('region', { name: 'Result Window' })

async function signIn(password = service.demo.admin.password) {
  await page.getByLabel('Email address').fill(service.demo.admin.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Opens an example and waits until the editor contains it. */
async function openExample(title: string, holding: string) {
  await page.getByRole('button', { name: title }).click()
  await page.getByRole('region', { name: 'Operation Editor' }).getByText(holding).first().waitFor()
}

/**
 * Clicks into an editor until it has the focus: one that has just been shown may draw its lines before it handles the
 * mouse. Text that is typed too early would be in the other editor, where a credential hides the whole operation.
 */
async function focusEditor(name: string) {
  const region = page.getByRole('region', { name })
  await until(`the focus in ${name}`, 20_000, async () => {
    await region.locator('.graphiql-editor:not(.hidden) .view-lines').click()
    return region.evaluate((element) => element.contains(document.activeElement))
  })
}

const execute = () => page.getByRole('button', { name: /^Execute query/ }).click()

/** Everything that outlives the tab but the session of an administrator, as one text. */
const readStoredText = () =>
  page.evaluate(() => JSON.stringify({ ...localStorage, 'tonearm:session': null }) + document.cookie)
const credential = () =>
  page.evaluate(
    () =>
      JSON.parse(sessionStorage.getItem('tonearm:session') ?? localStorage.getItem('tonearm:session') ?? 'null')
        ?.credential as string | undefined,
  )

test('reports a wrong password, opens the console with the right one, and closes it at sign-out', async () => {
  expect(await page.title()).toBe('Tonearm')
  // The form is where typing begins.
  await untilFocused(page.getByLabel('Email address'))
  await signIn('not the password')
  await page.getByRole('alert').getByText('The email address or the password is wrong.').waitFor()
  await signIn()
  await signOutButton().waitFor()
  const bar = page.getByRole('banner')
  for (const text of [service.demo.admin.email, 'owner', 'Demo']) await bar.getByText(text, { exact: true }).waitFor()
  await signOutButton().click()
  await page.getByLabel('Email address').waitFor()
  expect(await page.getByRole('banner').count()).toBe(0)
  expect(await credential()).toBe(undefined)
  await page.reload()
  await page.getByLabel('Email address').waitFor()
})

test('an example opens with its variables in a tab of its own, and answers', async () => {
  await signIn()
  await openExample('Change the player color', 'SetPlayerColor')
  const variables = page.getByRole('region', { name: 'Variables' })
  await variables.getByText(service.demo.organization_id).waitFor()
  const color = async () =>
    (await service.graphql('query One($id: ID!) { organization(id: $id) { playerColor } }', {
      id: service.demo.organization_id,
    })) as { data: { organization: { playerColor: string } } }
  // It writes with the values of the example, so it asks.
  const before = await color()
  await execute()
  const question = page.getByRole('dialog', { name: 'Run this example?' })
  await question.getByText('changes Demo with the values of the example').waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await answer().getByText('The operation was not run.').waitFor()
  expect(await color()).toEqual(before)
  await execute()
  await question.waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'hidden' })
  expect(await color()).toEqual(before)
  await execute()
  await question.getByRole('button', { name: 'Run', exact: true }).click()
  await answer().getByText('"#e2652a"').first().waitFor()
  // A changed operation is that of the person.
  await focusEditor('Operation Editor')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('# mine')
  await service.v1('PUT', `/organization/${service.demo.organization_id}`, { body: { player_color: '#112233' } })
  await execute()
  await until('the color of the example', 20_000, async () => {
    return (await color()).data.organization.playerColor === '#e2652a'
  })
  // A run before the editor shows the new tab still runs the new tab's operation.
  await openExample("List the organization's", 'variantTypeId')
  await execute()
  await answer().getByText('"totalCount"').waitFor()
  await page
    .getByRole('tab', { name: 'Variants' })
    .or(page.getByRole('button', { name: 'Variants' }))
    .first()
    .waitFor()
})

test('an example has the newest records of the organization, and runs as it is', async () => {
  const body = { collection_id: service.demo.collection_id, file_name: 'a.wav' }
  const { json } = await service.v1('POST', '/track', { body })
  await signIn()
  const variables = page.getByRole('region', { name: 'Variables' })
  await openExample('One with its tracks and files', 'CollectionWithTracks')
  await variables.getByText(service.demo.collection_id).waitFor()
  await execute()
  await answer().getByText('"First collection"').waitFor()
  await openExample('One with all details', 'query')
  await variables.getByText(json.track_id).waitFor()
  await execute()
  await answer().getByText('"a.wav"').first().waitFor()
})

test('the strip shows the active tab, and a panel begins at its top', async () => {
  await signIn()
  const list = page.locator('.examples li button')
  await list.first().waitFor()
  for (let i = 0; i < 10; i++) {
    await list.nth(i).click()
    await page.waitForFunction(
      (count) => document.querySelectorAll('.graphiql-tab').length === count,
      i < 6 ? i + 2 : i + 1,
    )
  }
  const isShown = () =>
    page.evaluate(() => {
      const tab = document.querySelector('.graphiql-tab-active')?.getBoundingClientRect()
      const strip = document.querySelector('.graphiql-tabs')?.getBoundingClientRect()
      return tab !== undefined && strip !== undefined && tab.left >= strip.left - 1 && tab.right <= strip.right + 1
    })
  await until('the active tab to be shown', 20_000, isShown)
  await page.locator('.graphiql-tab button').first().focus()
  const panel = page.locator('.graphiql-plugin')
  await panel.evaluate((element) => element.scrollTo(0, 600))
  expect(await panel.evaluate((element) => element.scrollTop)).toBe(600)
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
  await page.getByRole('link', { name: 'Query', exact: true }).waitFor()
  const isAtTop = () => panel.evaluate((element) => element.scrollTop === 0)
  await until('the top of the documentation', 20_000, isAtTop)
  const type = page.getByRole('link', { name: 'Track', exact: true }).first()
  await type.scrollIntoViewIfNeeded()
  expect(await isAtTop()).toBe(false)
  await type.click()
  await page.getByText(readDescription('Track', 'statusText')).first().waitFor()
  await until('the top of the type', 20_000, isAtTop)
})

test('the docs are readable: a type, its description, its fields', async () => {
  await signIn()
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
  await page.getByRole('link', { name: 'Query', exact: true }).click()
  await page.getByText(readDescription('Query')).waitFor()
  await page.getByRole('link', { name: 'Track', exact: true }).first().click()
  await page.getByText(readDescription('Track')).first().waitFor()
  await page.getByText(readDescription('Track', 'statusText')).first().waitFor()
})

test('the editor completes from the schema, explains and finds mistakes by itself', async () => {
  await signIn()
  await openExample('Who am I', 'WhoAmI')
  const editor = page.getByRole('region', { name: 'Operation Editor' })
  // The editor answers a hover only once its worker has started, as does a person's next one.
  const explanation = page.locator('.monaco-hover').getByText(readDescription('Query', 'viewer')).first()
  await until('the description of the field', 20_000, async () => {
    await page.mouse.move(0, 0)
    // While an example opens, the lines of the former tab are there, too.
    await editor.getByText('viewer', { exact: true }).first().hover()
    return explanation.waitFor({ timeout: 1000 }).then(
      () => true,
      () => false,
    )
  })
  await editor.locator('.view-lines').click()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('{ nowhere }')
  await editor.locator('.squiggly-error').first().waitFor()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('{ collectio', { delay: 30 })
  await page.locator('.suggest-widget').getByText('collections').first().waitFor()
})

test('a reload keeps the session and the tabs; no other tab has it, and nothing of it outlives this one', async () => {
  await signIn()
  await openExample("List the organization's", 'variantTypeId')
  await page.getByRole('button', { name: 'Headers', exact: true }).click()
  await focusEditor('Headers')
  await page.keyboard.type('{"X-Private": "Bearer abcdef"')
  await focusEditor('Operation Editor')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('# noted')
  await page.waitForFunction(() => localStorage.getItem('graphiql:tabState')?.includes('# noted'))
  const sent = page.waitForRequest((request) => request.headers()['x-private'] === 'Bearer abcdef')
  await execute()
  await sent
  await answer().getByText('"totalCount"').waitFor()
  await page.waitForFunction(() => localStorage.getItem('graphiql:queries')?.includes('# noted'))
  const token = await credential()
  expect(token).toBeString()
  await page.reload()
  await signOutButton().waitFor()
  await page.getByRole('region', { name: 'Operation Editor' }).getByText('variantTypeId').waitFor()
  const storedText = await readStoredText()
  expect(storedText).toContain('Variants')
  for (const secret of [token ?? '', service.demo.admin.password, 'abcdef']) expect(storedText).not.toContain(secret)

  // Another tab needs no password, until either signs out.
  const other = await context.newPage()
  await other.goto(`${origin}/graphql`)
  await other.getByRole('button', { name: 'Sign out' }).waitFor()
  await signOutButton().click()
  await other.getByLabel('Email address').waitFor()
})

test('a session that ended leads back to the form, and the tabs stay', async () => {
  await signIn()
  await openExample("List the organization's", 'variantTypeId')
  const before = await credential()
  try {
    // The token has expired, the session has not: it is renewed silently.
    service.clock.now = new Date(Date.now() + 2 * 3_600_000)
    await execute()
    await answer().getByText('"totalCount"').waitFor()
    expect(await credential()).not.toEqual(before)
    service.clock.now = new Date(Date.now() + 31 * 86_400_000)
    await execute()
    await page.getByText('Your session has ended.').waitFor()
    expect(await credential()).toBe(undefined)
    // The page under the form is inert.
    expect(await page.locator('.console').getAttribute('inert')).toBe('')
  } finally {
    service.clock.now = null
  }
  await signIn()
  await signOutButton().waitFor()
  await page.getByRole('region', { name: 'Operation Editor' }).getByText('variantTypeId').waitFor()
  await execute()
  await answer().getByText('"totalCount"').waitFor()
})

test('opens with a key, and shows the kind of the key', async () => {
  await page.getByRole('button', { name: 'Use a key instead' }).click()
  await page.getByLabel('Key', { exact: true }).fill('not a key')
  await page.getByRole('button', { name: 'Use this key' }).click()
  await page.getByRole('alert').getByText('This key is unknown, revoked or expired.').waitFor()
  await page.getByLabel('Key', { exact: true }).fill(service.demo.share_key)
  await page.getByRole('button', { name: 'Use this key' }).click()
  await page.getByRole('alert').getByText('A share key only opens stream links.').waitFor()
  await page.getByLabel('Key', { exact: true }).fill(service.demo.api_key)
  await page.getByRole('button', { name: 'Use this key' }).click()
  await page.getByRole('banner').getByText('api key').waitFor()
  expect(await readStoredText()).not.toContain(service.demo.api_key)
})

test('on a narrow screen everything is within reach', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  await signIn()
  const bar = page.getByRole('banner')
  for (const text of ['owner', 'Demo', 'Studio']) {
    await bar.getByText(text, { exact: true }).waitFor()
  }
  expect((await page.locator('.graphiql-main').boundingBox())?.width).toBe(360)
  const [role, leave] = [await bar.getByText('owner').boundingBox(), await signOutButton().boundingBox()]
  expect((role?.x ?? 0) + (role?.width ?? 0)).toBeLessThanOrEqual(leave?.x ?? 0)
  await openExample('Who am I', 'WhoAmI')
  await execute()
  await answer().getByText('"Administrator"').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})

test('HTML in a description becomes text, never a script', async () => {
  await signIn()
  const html = await page.evaluate(() => {
    const place = document.createElement('div')
    place.innerHTML = '<b>bold</b><a href="javascript:alert(1)">link</a><script>alert(2)</script>'
    return place.innerHTML
  })
  expect(html).toBe('<b>bold</b><a>link</a>')
})
