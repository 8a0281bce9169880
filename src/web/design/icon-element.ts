import type { IconNode } from 'lucide'

const SVG = 'http://www.w3.org/2000/svg'

/** Creates an element of SVG with attributes. */
export function createSvg(name: string, attributes: Record<string, string | number | undefined>): SVGElement {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) element.setAttribute(key, String(value))
  return element
}

/** Creates an icon, for pages without React. It is decoration: the text next to it names it. */
export function createIcon(icon: IconNode): SVGElement {
  const element = createSvg('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' })
  element.append(...icon.map(([name, attributes]) => createSvg(name, attributes)))
  return element
}
