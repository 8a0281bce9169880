import { measureContrast, mixColors } from '../../../domain/organization/colors.ts'
import type { ThemeColor } from '../../../domain/organization/record.ts'

/** Colors of a page in one scheme, as `#rrggbb`. */
export interface PageColors {
  /** Behind the cover, at the top of the page. It fades to the color of the page. */
  glow: string
  /** Solid controls, and the played part of the waveform. */
  music: string
  /** On `music`. */
  onMusic: string
  /** Edges of fields, and the rest of the waveform. */
  edge: string
}

/** Colors of a page in both schemes. */
export type PagePalette = Record<Scheme, PageColors>
type Scheme = 'light' | 'dark'

/** Tokens of all pages (src/web/design/tokens.css). */
export const pageTokens: Record<Scheme, { desk: string; ink: string; quiet: string; edge: string }> = {
  light: { desk: '#f6f5f3', ink: '#1d1a17', quiet: '#635c55', edge: '#88817a' },
  dark: { desk: '#121212', ink: '#edebe8', quiet: '#aaa49d', edge: '#7a746e' },
}

/** WCAG 2.2. */
const TEXT_CONTRAST = 4.5
const CONTROL_CONTRAST = 3
const STEPS = 50
/** A color below this saturation is a gray. */
const GRAY = 0.12
/** Part of the color of the page in the glow, at least. */
const LEAST_DESK: Record<Scheme, number> = { light: 0.5, dark: 0.3 }

/**
 * Returns the colors of a page that belongs to its music. Texts have a contrast of at least 4.5 on every part of the page,
 * controls of 3.
 * @param theme colors of the cover, largest first. Empty without a cover
 * @param color the color that plays, if a person has chosen one
 * @param fallback the color that plays without a cover
 */
export function createPalette(theme: readonly ThemeColor[], color: string | null, fallback: string): PagePalette {
  const base = color ?? findBase(theme)?.hex ?? fallback
  const createScheme = (scheme: Scheme) => {
    const vivid = findVivid(theme, pageTokens[scheme].desk)
    // A gray button looks as if it were disabled.
    const played = vivid && vivid.saturation < GRAY ? pageTokens[scheme].ink : vivid?.hex
    return createColors(scheme, base, color ?? played ?? fallback)
  }
  return { light: createScheme('light'), dark: createScheme('dark') }
}

/** The variables of a style sheet: `--light-music` and the like. */
export const writePalette = (palette: PagePalette): string =>
  (['light', 'dark'] as const)
    .flatMap((scheme) => Object.entries(palette[scheme]).map(([name, color]) => `--${scheme}-${name}: ${color}`))
    .join('; ')

/**
 * The color that a person remembers of a cover: saturated, neither black nor white, and not a speck. One that is visible as
 * it is comes first, because it is not changed.
 */
const findVivid = (theme: readonly ThemeColor[], desk: string) =>
  findBest(theme, (color) => {
    const isVisible = measureContrast(color.hex, desk) >= CONTROL_CONTRAST
    return rateColor(color) * color.area ** 0.25 * (isVisible ? 2 : 1)
  })

/** The color of the background: large, but not a gray where there is another one. */
const findBase = (theme: readonly ThemeColor[]) => findBest(theme, (color) => color.area ** 0.5 * rateColor(color))

const rateColor = ({ saturation, lightness }: ThemeColor) => saturation * (1 - Math.abs(2 * lightness - 1)) + 0.01

function findBest(theme: readonly ThemeColor[], rate: (color: ThemeColor) => number): ThemeColor | undefined {
  return theme.toSorted((a, b) => rate(b) - rate(a))[0]
}

function createColors(scheme: Scheme, base: string, vivid: string): PageColors {
  const { desk, ink, quiet, edge } = pageTokens[scheme]
  const glow = mixUntil(base, desk, LEAST_DESK[scheme], (mixed) => measureContrast(quiet, mixed) >= TEXT_CONTRAST)
  const isVisible = (mixed: string) =>
    [glow, desk].every((background) => measureContrast(mixed, background) >= CONTROL_CONTRAST)
  const music = mixUntil(vivid, scheme === 'light' ? '#000000' : '#ffffff', 0, isVisible)
  const onMusic = measureContrast('#ffffff', music) >= TEXT_CONTRAST ? '#ffffff' : '#000000'
  return { glow, music, onMusic, edge: mixUntil(edge, ink, 0, isVisible) }
}

/** Mixes a color with another, beginning with a part of it, in steps until the mixture is accepted. */
function mixUntil(color: string, other: string, from: number, isAccepted: (mixed: string) => boolean): string {
  for (let step = Math.ceil(from * STEPS); step < STEPS; step++) {
    const mixed = mixColors(color, other, step / STEPS)
    if (isAccepted(mixed)) return mixed
  }
  return other
}
