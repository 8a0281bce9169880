/** Size of the drawing of `wavePath`. */
export const WAVE = { width: 320, height: 100 }
/** Part of a bar's place that the bar covers. */
const COVERED = 0.7
const MIN_HEIGHT = 2
/** Avoids a division by zero for silence. */
const MIN_LEVEL = 0.01

/**
 * Returns the bars of a recording as an SVG path. The loudest is as high as the drawing.
 * @param bars their maximum number. Each is as high as the loudest of its levels. Defaults to one for each level
 */
export function wavePath(levels: readonly number[], bars = levels.length): string {
  const perBar = Math.max(1, Math.ceil(levels.length / bars))
  const step = (WAVE.width * perBar) / levels.length
  const loudest = levels.reduce((most, level) => Math.max(most, level), MIN_LEVEL)
  let path = ''
  for (let at = 0; at * perBar < levels.length; at++) {
    const level = Math.max(...levels.slice(at * perBar, (at + 1) * perBar))
    const height = Math.max(MIN_HEIGHT, (WAVE.height * level) / loudest)
    path += `M${round(at * step)} ${round((WAVE.height - height) / 2)}h${round(COVERED * step)}v${round(height)}h-${round(COVERED * step)}z`
  }
  return path
}

const round = (value: number) => Math.round(value * 100) / 100
