import { useSyncExternalStore } from 'react'

const ROW_PX = 80
const NARROW_ROW_PX = 144

const narrow = matchMedia('(width < 760px)')

/** Height of a row with buttons, in pixels. On a phone they are below the texts (link.css). */
export function useRowHeight(): number {
  const isNarrow = useSyncExternalStore(
    (notify) => {
      narrow.addEventListener('change', notify)
      return () => narrow.removeEventListener('change', notify)
    },
    () => narrow.matches,
  )
  return isNarrow ? NARROW_ROW_PX : ROW_PX
}
