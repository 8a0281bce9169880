import { LRUCache } from 'lru-cache'

/** Maximum number of lists whose price is known. */
const MAX_LISTS = 10_000
/** Points of a record of a list that has not been read: the longest metadata of a record has 64 KiB. */
const UNKNOWN_POINTS = 64
/** Share of a higher price that remains after each request: cheap pages must not hide expensive ones. */
const DECAY = 0.9

export type ListPrices = ReturnType<typeof createListPrices>

/**
 * Estimates what a page of a list reads from what the pages before it have read: records of one organization have
 * metadata of similar length. Until the first page of a list was read, its records count as those with the longest metadata.
 */
export function createListPrices() {
  const pointsOfRecord = new LRUCache<string, number>({ max: MAX_LISTS })
  return {
    /** Returns the points that a page is expected to read. */
    estimate: (list: string, records: number): number => (pointsOfRecord.get(list) ?? UNKNOWN_POINTS) * records,

    /** Records what a page has read. @param records that it was asked for, 1 or more */
    record(list: string, records: number, points: number): void {
      const earlier = (pointsOfRecord.get(list) ?? 0) * DECAY
      pointsOfRecord.set(list, Math.max(points / records, earlier))
    },
  }
}
