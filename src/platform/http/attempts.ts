import { LRUCache } from 'lru-cache'

/** Maximum number of clients whose attempts are counted. */
const MAX_CLIENTS = 10_000

/** Attempts of a client, in a window that ends at `resetsAt` (Unix milliseconds). */
interface Counted {
  used: number
  resetsAt: number
}

export type Attempts = ReturnType<typeof createAttempts>

/**
 * Counts attempts of clients in the memory of a process, in windows.
 * @param max attempts of a client in one window
 */
export function createAttempts(max: number, windowSeconds: number) {
  const clients = new LRUCache<string, Counted>({ max: MAX_CLIENTS })
  const current = (id: string) => {
    const counted = clients.get(id)
    return counted && counted.resetsAt > Date.now() ? counted : null
  }
  return {
    /** Returns the milliseconds until the client may try again. 0 if it may try now. */
    waitMs(id: string): number {
      const counted = current(id)
      return counted && counted.used >= max ? counted.resetsAt - Date.now() : 0
    },

    /** Counts an attempt. @returns removes it from the count */
    count(id: string): () => void {
      const counted = current(id) ?? { used: 0, resetsAt: Date.now() + windowSeconds * 1000 }
      clients.set(id, counted)
      counted.used += 1
      return () => {
        counted.used -= 1
      }
    },

    /** Refuses all attempts of a client for a time. */
    block(id: string, ms: number): void {
      clients.set(id, { used: max, resetsAt: Date.now() + ms })
    },
  }
}
