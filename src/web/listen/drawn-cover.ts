import { createSvg } from '../design/icon-element.ts'

const SIZE = 500
const RAYS = 120
const INNER = 92
const OUTER = 226
const LABEL = 40

/** Draws the cover of a recording without one: its waveform as the rays of a record, in the color of the music. */
export function drawCover(cover: SVGSVGElement, levels: readonly number[]): void {
  const middle = SIZE / 2
  const loudest = Math.max(...levels, 0.01)
  let rays = ''
  for (let at = 0; at < RAYS; at++) {
    const level = levels[Math.floor((at * levels.length) / RAYS)] ?? 0.3 + 0.2 * Math.sin(at * 0.7)
    const angle = (2 * Math.PI * at) / RAYS - Math.PI / 2
    const end = INNER + 8 + (OUTER - INNER - 8) * (level / loudest)
    const toPoint = (radius: number) =>
      `${(middle + radius * Math.cos(angle)).toFixed(1)} ${(middle + radius * Math.sin(angle)).toFixed(1)}`
    rays += `M${toPoint(INNER)}L${toPoint(end)}`
  }
  cover.replaceChildren(
    createSvg('rect', { class: 'ground', width: SIZE, height: SIZE }),
    createSvg('path', { class: 'rays', d: rays }),
    createSvg('circle', { class: 'disc', cx: middle, cy: middle, r: LABEL }),
  )
}
