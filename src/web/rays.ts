/** Size of the drawing of `raysPath`, and the radius of the disc in its middle. */
export const RAYS = { size: 500, disc: 40 }
const COUNT = 120
const INNER = 92
const OUTER = 226
/** Avoids a division by zero for silence. */
const MIN_LEVEL = 0.01

/** Returns the picture of a recording without a cover: its waveform as the rays of a record, as an SVG path. */
export function raysPath(levels: readonly number[]): string {
  const middle = RAYS.size / 2
  const loudest = levels.reduce((most, level) => Math.max(most, level), MIN_LEVEL)
  let path = ''
  for (let at = 0; at < COUNT; at++) {
    const level = levels[Math.floor((at * levels.length) / COUNT)] ?? 0.3 + 0.2 * Math.sin(at * 0.7)
    const angle = (2 * Math.PI * at) / COUNT - Math.PI / 2
    const end = INNER + 8 + (OUTER - INNER - 8) * (level / loudest)
    const toPoint = (radius: number) =>
      `${(middle + radius * Math.cos(angle)).toFixed(1)} ${(middle + radius * Math.sin(angle)).toFixed(1)}`
    path += `M${toPoint(INNER)}L${toPoint(end)}`
  }
  return path
}
