// Pictures of pages against stored ones, where a browser draws letters as it did for these: fonts of the system and the
// rendering of letters differ between machines. `SCREENSHOTS=store` stores what the pages look like now: look at them before
// the commit.
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { isFirefox, launchBrowser } from './launch.ts'
import { takePicture } from './view.ts'

/** Stored pictures have a third of the size, so that the edges of letters do not matter. */
const SCALE = 3
/** Edge of the squares that are compared, in pixels of stored pictures: 24 pixels of a page. */
const SQUARE = 8
/** Largest mean difference of a square, of 255. Another radius makes 7, another color of lines 30. */
const TOLERANCE = 5

interface Pixels {
  data: Buffer
  width: number
  height: number
}

async function readPixels(image: Buffer | string, width?: number): Promise<Pixels> {
  const { data, info } = await sharp(image)
    .resize(width === undefined ? {} : { width, kernel: 'mitchell' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** Finds the square that differs most: its mean difference, and its place in pixels of the page. */
export function findDifference(one: Pixels, other: Pixels): { difference: number; x: number; y: number } {
  let most = { difference: 0, x: 0, y: 0 }
  for (let startY = 0; startY < one.height; startY += SQUARE) {
    for (let startX = 0; startX < one.width; startX += SQUARE) {
      const difference = compareSquare(one, other, startX, startY)
      if (difference > most.difference) most = { difference, x: startX * SCALE, y: startY * SCALE }
    }
  }
  return most
}

function compareSquare(one: Pixels, other: Pixels, startX: number, startY: number): number {
  let sum = 0
  let count = 0
  for (let y = startY; y < Math.min(startY + SQUARE, one.height, other.height); y++) {
    for (let at = (y * one.width + startX) * 3; at < (y * one.width + Math.min(startX + SQUARE, one.width)) * 3; at++) {
      sum += Math.abs((one.data[at] ?? 0) - (other.data[at] ?? 0))
      count++
    }
  }
  // The heights may differ by a pixel.
  return count === 0 ? 0 : sum / count
}

const isStoring = process.env.SCREENSHOTS === 'store'

/** Letters, numbers and fields in the fonts of the system, without a style sheet of the project. */
const SPECIMEN = `<!doctype html><body style="margin: 12px; width: 330px; background: white">
  ${['sans-serif', 'system-ui', 'serif', 'monospace']
    .flatMap((family) =>
      [13, 18, 36].map((px) => `<p style="margin: 6px 0; font: ${px}px ${family}">Hamburg 0123 \u2582\u2585\u2587</p>`),
    )
    .join('')}<button>Save</button> <input value="Night train"> <input type="color" value="#b4471f">`

/** Whether this browser draws the specimen as the one did that the pictures are stored of. */
async function findAgreement(): Promise<boolean> {
  // The stored ones are of the shell of Chromium.
  if (isFirefox) return false
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 360, height: 800 } })
    await page.setContent(SPECIMEN)
    return (await compare(page, 'specimen')) === null
  } finally {
    await browser.close()
  }
}

/** Whether pictures can be compared. Tests are skipped by it, so that they are counted. */
export const canCompare = await findAgreement()

/**
 * Compares the whole page with its stored picture.
 * @param name of the picture in `pictures/`
 * @returns null where they look the same, or cannot be compared, else how they differ
 */
export const compareWithStored = async (page: Page, name: string): Promise<string | null> =>
  canCompare ? compare(page, name) : null

async function compare(page: Page, name: string): Promise<string | null> {
  await page.evaluate(() => document.fonts.ready)
  const image = await takePicture(page, { fullPage: true, animations: 'disabled' })
  const path = join(import.meta.dir, 'pictures', `${name}.webp`)
  const width = Math.round((page.viewportSize()?.width ?? 0) / SCALE)
  if (isStoring) {
    await mkdir(dirname(path), { recursive: true })
    await sharp(image).resize({ width, kernel: 'mitchell' }).webp({ nearLossless: true, quality: 60 }).toFile(path)
  }
  const [now, before] = await Promise.all([readPixels(image, width), readPixels(path)])
  if (now.width !== before.width || Math.abs(now.height - before.height) > 1)
    return `${name}: ${now.width} x ${now.height}, stored ${before.width} x ${before.height}`
  const { difference, x, y } = findDifference(now, before)
  return difference <= TOLERANCE ? null : `${name}: differs by ${difference.toFixed(1)} of 255 at ${x}, ${y}`
}
