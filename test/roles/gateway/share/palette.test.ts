// The colors of a page from any cover: texts and controls are legible on every part of it.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { createPalette, pageTokens } from '../../../../src/roles/gateway/share/palette.ts'
import { readContrast } from '../../../support/contrast.ts'

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
const part = fc.double({ min: 0, max: 1, noNaN: true })
const theme = fc.array(fc.record({ hex, area: part, lightness: part, saturation: part }), { maxLength: 12 })

test('texts have a contrast of at least 4.5, controls of 3, for any cover and color', () => {
  fc.assert(
    fc.property(theme, fc.option(hex), hex, (colors, chosen, fallback) => {
      const palette = createPalette(colors, chosen, fallback)
      for (const scheme of ['light', 'dark'] as const) {
        const { glow, music, onMusic, edge } = palette[scheme]
        const { desk, ink, quiet } = pageTokens[scheme]
        // Between both ends of a gradient, luminance is between theirs.
        for (const background of [glow, desk]) {
          for (const text of [ink, quiet]) expect(readContrast(text, background)).toBeGreaterThanOrEqual(4.5)
          for (const control of [music, edge]) expect(readContrast(control, background)).toBeGreaterThanOrEqual(3)
        }
        expect(readContrast(onMusic, music)).toBeGreaterThanOrEqual(4.5)
      }
    }),
    { numRuns: 1000 },
  )
})

test('the music has the most vivid color of the cover, unless a person has chosen one', () => {
  const colors = [
    { hex: '#808080', area: 0.7, lightness: 0.5, saturation: 0 },
    { hex: '#c2410c', area: 0.2, lightness: 0.4, saturation: 0.9 },
    { hex: '#101010', area: 0.1, lightness: 0.06, saturation: 0 },
  ]
  expect(createPalette(colors, null, '#5b5bd6').light.music).toBe('#c2410c')
  expect(createPalette(colors, '#1d4e89', '#5b5bd6').light.music).toBe('#1d4e89')
  expect(createPalette([], null, '#5b5bd6').light.music).toBe('#5b5bd6')
  const grays = colors.filter(({ saturation }) => saturation === 0)
  expect(createPalette(grays, null, '#5b5bd6').light.music).toBe(pageTokens.light.ink)
})

test('the backgrounds are those of the style sheet', () => {
  const tokens = readFileSync(join(import.meta.dir, '../../../../src/web/design/tokens.css'), 'utf8')
  for (const name of ['desk', 'ink', 'quiet', 'edge'] as const)
    expect(tokens).toContain(`--${name}: light-dark(${pageTokens.light[name]}, ${pageTokens.dark[name]});`)
})
