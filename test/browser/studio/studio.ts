import type { Locator, Page } from 'playwright-core'
import { openSite, type Site } from '../site.ts'
import { signIn } from './sign-in.ts'

export { signIn }

export interface Studio extends Site {
  /** Opens an address below `/studio`, signed in as the owner of the demo organization. */
  open: (path?: string) => Promise<Page>
}

/** Starts the service with a browser that is signed in to the studio. @param env further settings of the service */
export async function openStudio(env: Record<string, string> = {}): Promise<Studio> {
  const site = await openSite(() => new Response('Another site'), env)
  const { service, page } = site
  page.setDefaultTimeout(15_000)
  const address = (path: string) => `${service.demo.base_url}/studio${path}`
  await page.goto(address(''))
  await signIn(page, service.demo.admin)
  const open = async (path = '') => {
    await page.goto(address(path))
    await page.locator('#content').waitFor()
    return page
  }
  return { ...site, open }
}

/** Chooses an action of the menu of a record. */
export async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

/** Changes a checkbox as a person does: its own box is hidden, and its label is pressed. */
export async function pressLabel(checkbox: Locator): Promise<void> {
  await checkbox.locator('xpath=ancestor::label').click()
}
