// The frame of the studio: sign-in, menu, addresses.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { testInChromium } from '../launch.ts'
import { expectAccessible, setView, untilFocused, views } from '../view.ts'
import { chooseAction, openStudio, type Studio, signIn } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
beforeAll(async () => {
  studio = await openStudio()
})
afterAll(() => studio?.stop())

test('the first part is the overview, and a reload keeps the session', async () => {
  const page = await studio.open()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

test('the former address of a search for collections still works', async () => {
  const page = await studio.open('/?search=first')
  await page.getByRole('row', { name: 'First collection' }).waitFor()
  expect(page.url()).toBe(`${studio.service.demo.base_url}/studio/collections?search=first`)
})

testInChromium('the overview of a new organization leads to its first upload', async () => {
  const page = await studio.open('/tracks')
  const ids = [studio.service.demo.collection_id]
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('query OverviewTracks')) return route.fallback()
    const none = { edges: [], pageInfo: { hasNextPage: false } }
    const collections = { edges: ids.map((id) => ({ node: { id } })) }
    return route.fulfill({ json: { data: { latest: none, failed: none, collections } } })
  })
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByText('Upload the first recording.').waitFor()
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-overview-empty', view)
  }
  await page.getByRole('button', { name: 'Upload a recording' }).click()
  await page.getByRole('heading', { name: 'First collection' }).waitFor()
  await page.getByText('Drop audio files or folders here').waitFor()

  ids.pop()
  await studio.open()
  await page.getByRole('button', { name: 'Upload a recording' }).click()
  await page.getByRole('dialog', { name: 'New collection' }).waitFor()
  await page.unroute('**/graphql')
})

/** A browser of its own, signed in. */
async function openOther(path: string) {
  const context = await studio.open().then((page) => page.context().browser()?.newContext())
  if (!context) throw new Error('no browser')
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  await page.goto(`${studio.service.demo.base_url}/studio${path}`)
  await signIn(page, studio.service.demo.admin)
  return { context, page }
}

test('a new tab needs no password, and signing out ends the session of both', async () => {
  const { context, page } = await openOther('')
  const newTab = await context.newPage()
  await newTab.goto(`${studio.service.demo.base_url}/studio/tracks`)
  await newTab.getByRole('heading', { name: 'Tracks' }).waitFor()
  await newTab.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Email address').waitFor()
  await context.close()
})

test('the end of a session keeps what a person was writing', async () => {
  const { service } = studio
  const { json } = await service.v1('POST', '/collection', { body: { title: 'A title' } })
  const { context, page } = await openOther(`/collection/${json.collection.id}`)
  await chooseAction(page, 'Edit')
  const title = page.getByLabel('Title', { exact: true })
  await title.fill('Half a titl')
  const { id } = await service.services.db.signInSession.findFirstOrThrow({ orderBy: { id: 'desc' } })
  await service.services.db.signInSession.update({ where: { id }, data: { revokedAt: new Date() } })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your session has ended.').waitFor()
  expect(await title.inputValue()).toBe('Half a titl')
  await page.getByLabel('Email address').fill(service.demo.admin.email)
  expect(await page.getByLabel('Email address').inputValue()).toBe(service.demo.admin.email)
  await page.getByLabel('Password').fill(service.demo.admin.password)
  await page.getByLabel('Password').press('Enter')
  await page.getByText('Your session has ended.').waitFor({ state: 'detached' })
  expect(await title.inputValue()).toBe('Half a titl')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Half a titl' }).waitFor()
  await context.close()
})

test('each page has its heading as the title', async () => {
  const page = await studio.open()
  const heading = page.getByRole('heading', { level: 1 })
  const addresses = await page.locator('.menu li a').evaluateAll((all) => all.map((a) => a.getAttribute('href')))
  const { collection_id: collectionId } = studio.service.demo
  const body = { collection_id: collectionId, file_name: 'late.wav' }
  const { track_id: trackId } = (await studio.service.v1('POST', '/track', { body })).json
  const records = [`/collection/${collectionId}`, `/track/${trackId}`, '/search?search=late', '/nowhere']
  const titles: string[] = []
  for (const address of [...addresses, ...records.map((path) => `/studio${path}`)]) {
    await page.goto(studio.service.demo.base_url + address)
    titles.push(`${await heading.textContent()} - Tonearm`)
    expect(await page.title()).toBe(String(titles.at(-1)))
  }
  expect(new Set(titles).size).toBe(addresses.length + records.length)
  expect(titles).toContain('late - Tonearm')
  await page.getByRole('link', { name: 'Tonearm' }).click()
  await page.waitForFunction(() => document.title === 'Overview - Tonearm')
})

test('an unknown address says so', async () => {
  const page = await studio.open('/nowhere')
  await page.getByRole('heading', { name: 'There is no page at this address.' }).waitFor()
})

test.each([
  ['track', '/studio/tracks'],
  ['collection', '/studio/collections'],
])('an unknown %s has links to its list and to deleted records', async (kind, list) => {
  const page = await studio.open(`/${kind}/${crypto.randomUUID()}`)
  await page.getByRole('heading', { level: 1, name: 'This record does not exist or was deleted.' }).waitFor()
  const links = page.locator('#content').getByRole('link')
  const hrefs = await links.evaluateAll((all) => all.map((a) => a.getAttribute('href')?.replace(/\/$/, '')))
  expect(hrefs).toEqual([list, '/studio/deleted'])
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
})

testInChromium('a part that cannot be loaded says so, and the others go on', async () => {
  const page = await studio.open()
  await page.route('**/studio/assets/*.js', (route) => route.fulfill({ status: 404 }))
  await page.getByRole('link', { name: 'Usage' }).click()
  await page.getByText('This part cannot be shown.').waitFor()
  await page.unroute('**/studio/assets/*.js')
  await page.getByRole('link', { name: 'Collections' }).click()
  await page.getByRole('row', { name: 'First collection' }).waitFor()
})

test('is in the language of the browser', async () => {
  const page = await studio.open()
  const context = await page.context().browser()?.newContext({ locale: 'de-DE' })
  const other = await context?.newPage()
  await other?.goto(`${studio.service.demo.base_url}/studio`)
  await other?.getByLabel('E-Mail-Adresse').fill(studio.service.demo.admin.email)
  await other?.getByLabel('Passwort').fill('wrong')
  await other?.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await other?.getByText('Die E-Mail-Adresse oder das Passwort ist falsch.').waitFor()
  await context?.close()
})

test('the menu of a phone closes on Escape and at another address', async () => {
  const page = await studio.open('/collections')
  await setView(page, { colors: 'light', width: 360 })
  const menu = (expanded: boolean) => page.getByRole('button', { name: 'Menu', expanded })
  await menu(false).click()
  await menu(true).waitFor()
  await page.getByRole('link', { name: 'Tracks' }).focus()
  await page.keyboard.press('Escape')
  await menu(false).waitFor()
  await untilFocused(menu(false))

  await menu(false).click()
  await menu(true).waitFor()
  await page.getByRole('row', { name: 'First collection' }).click()
  await page.getByRole('heading', { level: 1, name: 'First collection' }).waitFor()
  await menu(false).waitFor()
  await page.goBack()
  await page.getByRole('row', { name: 'First collection' }).waitFor()
  await menu(false).waitFor()
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await studio.open('/collections')
  await setView(page, view)
  await page.getByRole('row', { name: 'First collection' }).waitFor()
  await expectAccessible(page, 'studio-collections', view)
})

test('signing out shows the form, and the next sign-in the same part', async () => {
  const page = await studio.open('/collections')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Email address').waitFor()
  await expectAccessible(page, 'studio-sign-in', { colors: 'dark', width: 1440 })
  const button = await page.getByRole('button', { name: 'Sign in', exact: true }).boundingBox()
  const links = await page.getByRole('navigation', { name: 'Pages' }).boundingBox()
  expect((links?.y ?? 0) - (button?.y ?? 0) - (button?.height ?? 0)).toBeGreaterThanOrEqual(16)
  await signIn(page, studio.service.demo.admin)
  await page.getByRole('row', { name: 'First collection' }).waitFor()
})

test('the palette finds pages, records and actions by the keyboard, and is loaded when it is opened', async () => {
  const { service } = studio
  const { json } = await service.v1('POST', '/collection', { body: { title: 'Palette of colors' } })
  const page = await studio.open('/tracks')
  await setView(page, { colors: 'light', width: 1440 })
  const scripts: string[] = []
  page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()))
  const palette = page.getByRole('dialog', { name: 'Go to' })
  const field = palette.getByRole('combobox')
  const open = async (text: string) => {
    await page.keyboard.press('Control+k')
    await field.waitFor()
    await page.keyboard.type(text)
    await palette.getByRole('option', { name: text }).waitFor()
  }
  await open('Usage')
  expect(scripts.length).toBeGreaterThan(0)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
  await palette.waitFor({ state: 'detached' })

  await open('Palette of colors')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Palette of colors' }).waitFor()
  expect(page.url()).toEndWith(`/collection/${json.collection_id}`)

  await page.keyboard.press('Control+k')
  const recent = palette.getByRole('group', { name: 'Recent' })
  expect(await recent.getByRole('option').allTextContents()).toEqual(['Palette of colors', 'Usage'])
  const findActive = () => palette.getByRole('option', { selected: true }).textContent()
  expect(await findActive()).toBe('Palette of colors')
  await page.keyboard.press('ArrowDown')
  expect(await findActive()).toBe('Usage')
  const active = await field.getAttribute('aria-activedescendant')
  expect(await page.evaluate((id) => document.getElementById(id)?.textContent, active ?? '')).toBe('Usage')
  for (const view of views) {
    await setView(page, view)
    await expectAccessible(page, 'studio-palette', view)
  }
  await page.keyboard.type('nothing has this name')
  await palette.getByText('Nothing here yet.').waitFor()
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })

  await open('New collection')
  await page.keyboard.press('Enter')
  const form = page.getByRole('dialog', { name: 'New collection' })
  await form.waitFor()
  await page.keyboard.press('Control+k')
  expect(await palette.count()).toBe(0)
})
