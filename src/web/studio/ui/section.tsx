import { type ReactNode, useId } from 'react'

/** A group of settings. */
export function Section({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {lead && <p className="lead">{lead}</p>}
      {children}
    </section>
  )
}
