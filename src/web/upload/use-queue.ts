import { useEffect, useSyncExternalStore } from 'react'
import type { Queue } from './queue.ts'
import { isBusy } from './state.ts'

/**
 * Returns the state of a queue, and renders again on changes. Asks before the page with unfinished uploads is left, and
 * sends what waits when the browser is online again.
 */
export function useQueue(queue: Queue) {
  const state = useSyncExternalStore(queue.subscribe, queue.read)
  const isUnfinished = isBusy(state)
  useEffect(() => {
    if (!isUnfinished) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isUnfinished])
  useEffect(() => {
    addEventListener('online', queue.reconnect)
    return () => removeEventListener('online', queue.reconnect)
  }, [queue])
  return state
}
