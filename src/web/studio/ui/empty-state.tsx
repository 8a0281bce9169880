import type { ReactNode } from 'react'

interface Props {
  text: string
  /** The action that fills the list. */
  children?: ReactNode
}

/** A list without rows: a drawn record and sleeve, a sentence, and one action. */
export const EmptyState = ({ text, children }: Props) => (
  <div className="empty-state">
    <svg viewBox="0 0 160 112" aria-hidden="true">
      <circle className="disc" cx="102" cy="56" r="48" />
      <circle className="groove" cx="102" cy="56" r="38" />
      <circle className="groove" cx="102" cy="56" r="28" />
      <circle className="label" cx="102" cy="56" r="14" />
      <rect className="sleeve" x="8" y="6" width="100" height="100" rx="8" />
      <path className="bars" d="M34 48v16M46 38v36M58 28v56M70 42v28M82 50v12" />
    </svg>
    <p>{text}</p>
    {children}
  </div>
)
