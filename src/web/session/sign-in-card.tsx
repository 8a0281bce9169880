import { type ReactNode, useId } from 'react'
import { Mark } from './mark.tsx'

/** The frame of each page on which a person signs in. */
export function SignInCard({ children }: { children: ReactNode }) {
  const title = useId()
  return (
    <main className="sign-in" aria-labelledby={title}>
      <div className="card">
        <h1 id={title}>
          <Mark /> Tonearm
        </h1>
        {children}
      </div>
    </main>
  )
}
