/** A record under a tonearm. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="14" cy="18" r="13" className="disc" />
      <circle cx="14" cy="18" r="9" className="groove" />
      <circle cx="14" cy="18" r="4.5" className="label" />
      <path d="M28 3v13l-7 7" className="arm" />
      <circle cx="28" cy="4" r="3" className="label" />
    </svg>
  )
}
