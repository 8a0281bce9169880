import { useLayoutEffect } from 'react'

const SERVICE = 'Tonearm'

/** The heading of a page, which is also the title of the document. */
export function PageHeading({ text }: { text: string }) {
  useLayoutEffect(() => {
    document.title = `${text} - ${SERVICE}`
    return () => {
      document.title = SERVICE
    }
  }, [text])
  return <h1>{text}</h1>
}
