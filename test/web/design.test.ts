// The tokens of all pages: contrasts in both schemes, and that no page has a color or font of its own.
import { expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { readContrast } from '../support/contrast.ts'

const web = join(import.meta.dir, '../../src/web')
const read = (path: string) => readFileSync(join(web, path), 'utf8')

/** Both colors of a token. */
function readColors(name: string): [light: string, dark: string] {
  const [, light = '', dark = ''] =
    new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(read('design/tokens.css')) ?? []
  expect([name, light, dark].every(Boolean)).toBe(true)
  return [light, dark]
}

/** WCAG 2.2: 4.5 for text, 3 for controls. */
test.each([
  ...['ink', 'quiet', 'accent', 'wrong', 'good'].flatMap((text) => [
    [text, 'desk', 4.5] as const,
    [text, 'paper', 4.5] as const,
  ]),
  ['on-accent', 'accent', 4.5] as const,
  ['edge', 'desk', 3] as const,
  ['edge', 'paper', 3] as const,
])('%s on %s has a contrast of at least %p', (front, back, least) => {
  const [fronts, backs] = [readColors(front), readColors(back)]
  for (const scheme of [0, 1] as const)
    expect(readContrast(fronts[scheme], backs[scheme])).toBeGreaterThanOrEqual(least)
})

/** The mark of the service, and samples of the schemes. */
const ALLOWED_COLORS = /^(session\/session|studio\/organization\/organization|studio\/studio)\.css$/

test('style sheets have no colors, fonts and sizes of their own', () => {
  const sheets = [...new Glob('**/*.css').scanSync(web)].filter((path) => !/^(generated|design)\//.test(path))
  expect(sheets.length).toBeGreaterThan(10)
  const breaks = sheets.flatMap((path) =>
    read(path)
      .split('\n')
      .filter(
        (line) =>
          /font-size: [\d.]+(px|rem)|font-family: (?!var\()|system-ui/.test(line) ||
          (!ALLOWED_COLORS.test(path) && /#[0-9a-f]{3,8}\b|rgb\(/.test(line)),
      )
      .map((line) => `${path}: ${line.trim()}`),
  )
  expect(breaks).toEqual([])
})

test('the font of a page has at most 60 kB', () => {
  const folder = join(web, 'generated/design')
  const fonts = [...new Glob('*.woff2').scanSync(folder)]
  expect(fonts.length).toBe(2)
  expect(fonts.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)).toBeLessThan(60_000)
})
