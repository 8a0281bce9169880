import type { IconNode } from 'lucide'

/** Writes an icon as HTML, for pages that are built or answered as text. It is decoration: the text next to it names it. */
export function writeIcon(icon: IconNode): string {
  const shapes = icon.map(([name, attributes]) => {
    const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`)
    return `<${name}${pairs.join('')}/>`
  })
  return `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${shapes.join('')}</svg>`
}
