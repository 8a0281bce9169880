import { useSyncExternalStore } from 'react'

const narrowWindow = matchMedia('(width < 760px)')

function followWidth(onChange: () => void) {
  narrowWindow.addEventListener('change', onChange)
  return () => narrowWindow.removeEventListener('change', onChange)
}

/** Whether the window is as narrow as that of a phone. */
export const useIsNarrow = (): boolean => useSyncExternalStore(followWidth, () => narrowWindow.matches)
