import { LRUCache } from 'lru-cache'

/** Maximum number of lists whose price is known. */
const MAX_LISTS = 10_000
/** Share of a higher price that remains after each request: cheap pages must not hide expensive ones. */
const DECAY = 0.9

export type ListPrices = ReturnType<typeof createListPrices>

/**
 * Estimates what a page of a list reads from what the pages before it have read: records of one organization have
 * metadata of similar length. Unknown lists cost nothing until their first page was read.
 */
export function createListPrices() {
  const pointsOfRecord = new LRUCache<string, number>({ max: MAX_LISTS })
  return {
    /** Returns the points that a page is expected to read. */
    estimate: (list: string, records: number): number => (pointsOfRecord.get(list) ?? 0) * records,

    /** Records what a page has read. @param records that it was asked for, 1 or more */
    record(list: string, records: number, points: number): void {
      const earlier = (pointsOfRecord.get(list) ?? 0) * DECAY
      pointsOfRecord.set(list, Math.max(points / records, earlier))
    },
  }
}
