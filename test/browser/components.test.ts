// The components of the studio in their states look as they are stored, and have no barrier.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { serveComponents } from '../../.config/components.ts'
import { launchBrowser } from './launch.ts'
import { canCompare, compareWithStored } from './picture.ts'
import { expectAccessible, setView, type View, views } from './view.ts'

setDefaultTimeout(60_000)

let browser: Browser
let page: Page
let site: Awaited<ReturnType<typeof serveComponents>>
beforeAll(async () => {
  site = await serveComponents()
  browser = await launchBrowser()
  page = await browser.newPage()
})
afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

async function open(view: View) {
  await setView(page, view)
  await page.emulateMedia({ colorScheme: view.colors, reducedMotion: 'reduce' })
  await page.goto(site.url)
  await page.getByRole('heading', { name: 'Components' }).waitFor()
}

test.each(views)('all have no barrier, %p', async (view) => {
  await open(view)
  await expectAccessible(page, 'components', view)
})

const testPicture = test.skipIf(!canCompare)
testPicture.each(views)('all look as stored (needs the fonts of the stored pictures), %p', async (view) => {
  await open(view)
  expect(await compareWithStored(page, `components-${view.colors}-${view.width}`)).toBeNull()
})

const layers: [name: string, open: () => Promise<void>][] = [
  ['a question', () => page.getByRole('button', { name: 'Ask' }).click()],
  ['a menu', () => page.getByRole('button', { name: 'More actions' }).click()],
  ['a notice', () => page.getByRole('button', { name: 'Say' }).click()],
]
testPicture.each(layers)('%s above the page looks as stored', async (name, openLayer) => {
  await open({ colors: 'light', width: 1440 })
  await openLayer()
  expect(await compareWithStored(page, name.replace(' ', '-'))).toBeNull()
})
