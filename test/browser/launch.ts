// The browser of these tests: Chromium, or Firefox where TEST_BROWSER=firefox.
import { test } from 'bun:test'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, firefox } from 'playwright-core'

const browserName = process.env.TEST_BROWSER ?? 'chromium'
if (!['chromium', 'firefox'].includes(browserName))
  throw new Error(`TEST_BROWSER must be chromium or firefox, got ${browserName}`)
/**
 * Playwright drives the Firefox of a distribution by WebDriver BiDi. It does not press in frames of other sites, drag, download,
 * read the clipboard, answer requests for sound or single operations, switch scripts off, or set the colors. It waits for ever for
 * an option of a list that is read again, and the process of a page with a dialog or a table may end while its texts are read.
 */
export const isFirefox = browserName === 'firefox'

/** A test of what Playwright cannot do in Firefox. Programs that are no tests import this file too: they must not call `test`. */
export const testInChromium: typeof test = isFirefox ? test.skip : test

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--mute-audio'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

/** The shell has the engine without the windows around it: the suite takes two thirds of the time. */
const installed = ['chromium-headless-shell', 'chromium', 'google-chrome']

/** Starts the browser with a new profile, which its end removes. @param flags of Chromium */
export async function launchBrowser(flags: readonly string[] = []): Promise<Browser> {
  if (isFirefox) return launchFirefox()
  const executablePath = process.env.CHROMIUM ?? installed.map((name) => Bun.which(name)).find(Boolean)
  if (!executablePath)
    throw new Error('test:browser needs a Chromium (Debian: apt-get install chromium-headless-shell, or chromium)')
  return chromium.launch({ executablePath, headless: true, args: [...FLAGS, ...flags] })
}

async function launchFirefox(): Promise<Browser> {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-firefox-'))
  const executablePath = join(folder, 'firefox')
  const program = join(import.meta.dir, 'firefox.ts')
  await Bun.write(executablePath, `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`)
  await chmod(executablePath, 0o755)
  // Sound may begin without a press, as with the flags of Chromium's headless mode.
  const firefoxUserPrefs = { 'media.autoplay.default': 0, 'media.volume_scale': '0.0' }
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath, headless: true, firefoxUserPrefs })
  browser.once('disconnected', () => void rm(folder, { recursive: true, force: true }))
  return browser
}
