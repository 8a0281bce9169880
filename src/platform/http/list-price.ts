import { LRUCache } from 'lru-cache'

/** Maximum number of lists whose price is known. */
const MAX_LISTS = 10_000
/** Time for which the first page of a list is waited for, in milliseconds. */
const FIRST_PAGE_MS = 250
/** Share of a higher price that remains after each request: cheap pages must not hide expensive ones. */
const DECAY = 0.9

export type ListPrices = ReturnType<typeof createListPrices>

/**
 * Estimates what a page of a list reads from what the pages before it have read: records of one organization have
 * metadata of similar length. An unknown list costs nothing, and its first page is read alone.
 */
export function createListPrices() {
  const pointsOfRecord = new LRUCache<string, number>({ max: MAX_LISTS })
  /** Ends of the first pages of unknown lists. */
  const firstPages = new Map<string, PromiseWithResolvers<void>>()
  return {
    /** Waits for the first page of an unknown list, for a limited time. Each call is followed by `end`. */
    async begin(list: string): Promise<void> {
      const first = firstPages.get(list)
      if (first) return Promise.race([first.promise, Bun.sleep(FIRST_PAGE_MS)])
      if (!pointsOfRecord.has(list)) firstPages.set(list, Promise.withResolvers())
    },

    /** A page was read, or could not be. */
    end(list: string): void {
      firstPages.get(list)?.resolve()
      firstPages.delete(list)
    },

    /** Returns the points that a page is expected to read. */
    estimate: (list: string, records: number): number => (pointsOfRecord.get(list) ?? 0) * records,

    /** Records what a page has read. @param records that it was asked for, 1 or more */
    record(list: string, records: number, points: number): void {
      const earlier = (pointsOfRecord.get(list) ?? 0) * DECAY
      pointsOfRecord.set(list, Math.max(points / records, earlier))
    },
  }
}
