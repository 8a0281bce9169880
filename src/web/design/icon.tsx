import type { IconNode } from 'lucide'
import { createElement } from 'react'

/** An icon of lucide, as in `<Icon of={Play} />`. It is decoration: the text or label of its control names it. */
export const Icon = ({ of: shapes }: { of: IconNode }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    {shapes.map(([name, attributes], at) => createElement(name, { key: at, ...attributes }))}
  </svg>
)
