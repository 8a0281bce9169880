import { createSvg } from '../design/icon-element.ts'
import { RAYS, raysPath } from '../rays.ts'

/** Draws the cover of a recording without one, in the color of the music. */
export function drawCover(cover: SVGSVGElement, levels: readonly number[]): void {
  const middle = RAYS.size / 2
  cover.replaceChildren(
    createSvg('rect', { class: 'ground', width: RAYS.size, height: RAYS.size }),
    createSvg('path', { class: 'rays', d: raysPath(levels) }),
    createSvg('circle', { class: 'disc', cx: middle, cy: middle, r: RAYS.disc }),
  )
}
