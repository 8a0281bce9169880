// The view of a page: barriers that axe finds, the width of a phone, and with SCREENSHOTS=on pictures in test/.tmp/screens.
import { expect } from 'bun:test'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Locator, Page, PageScreenshotOptions } from 'playwright-core'
import { until } from '../support/until.ts'
import { isFirefox } from './launch.ts'

const screens = join(import.meta.dir, '../.tmp/screens')

/** Colors, and width in pixels. */
export interface View {
  colors: 'light' | 'dark'
  width: number
}

const allViews: View[] = [
  { colors: 'light', width: 360 },
  { colors: 'light', width: 1440 },
  { colors: 'dark', width: 360 },
  { colors: 'dark', width: 1440 },
]
/** Views in which each page must work. */
export const views = isFirefox ? allViews.filter(({ colors }) => colors === 'light') : allViews

export async function setView(page: Page, { colors, width }: View): Promise<void> {
  await page.emulateMedia({ colorScheme: colors })
  await page.setViewportSize({ width, height: 800 })
}

/** Pages move the focus in the frame after a change; what is typed before it goes elsewhere. */
export const untilFocused = (locator: Locator) =>
  until('the focus', 10_000, () => locator.evaluate((element) => element === document.activeElement))

/** Takes a picture. Chromium refuses one now and then, and takes it at the next attempt. */
export async function takePicture(page: Page, options: PageScreenshotOptions): Promise<Buffer> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await page.screenshot(options)
    } catch (error) {
      if (attempts === 3 || !String(error).includes('Unable to capture screenshot')) throw error
    }
  }
}

/** Expects no barrier and no horizontal scrolling. */
export async function expectAccessible(page: Page, name: string, { colors, width }: View) {
  const path = join(screens, `${name}-${colors}-${width}.png`)
  if (process.env.SCREENSHOTS === 'on') await takePicture(page, { path, caret: 'initial' })
  // A page is laid out a moment after its size was set.
  await until('the page to fit its width', 10_000, () =>
    page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
  )
  // axe makes the process of the page crash in Firefox 153 where a dialog is open. What it finds is the same in every browser.
  if (isFirefox) return
  // Trusted types keep the page from running text as a script; the protocol of the browser may.
  await page.evaluate(axe.source)
  // A part of the studio is loaded after its frame. axe requires the heading on every page.
  await page.locator('h1').first().waitFor({ state: 'attached' })
  const { violations } = await page.evaluate(() => {
    // Announcements of react-aria stay for seconds after the button that they name.
    const exclude = ['[data-live-announcer]']
    return (window as unknown as { axe: typeof axe }).axe.run({ exclude })
  })
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
}
