import { encode } from 'uqr'
import { createSvg } from '../design/icon-element.ts'

/** Draws the code of an address. Loaded with the first sheet that shows one. */
export function drawQr(target: SVGSVGElement, address: string): void {
  const { data, size } = encode(address, { border: 2 })
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  target.setAttribute('viewBox', `0 0 ${size} ${size}`)
  target.replaceChildren(createSvg('path', { d: squares.join('') }))
}
