import type { Transaction } from '../../../platform/db/client.ts'

/** A track and its place in its collection. */
export interface Placed {
  id: string
  order: number
}

/** A place in a locked collection, for a track that is not counted among the others. */
export interface Slot {
  collectionId: string
  /** The track that gets the place. */
  trackId: string
  /** Order of the tracks before and after it. Null without one. */
  before: number | null
  after: number | null
}

/** Sizes of the neighbourhoods that are spaced again when a gap is exhausted. The last is the whole collection. */
const WINDOWS = [64, 1024, 16_384, 2 ** 31]
/** Smallest gap that is halved. Doubles between 0 and 2^31 differ by 2^-22 at most. */
const MIN_GAP = 2 ** -18
/** Smallest distance of tracks that were spaced again. */
const MIN_STEP = 2 ** -8

type Others = Pick<Slot, 'collectionId' | 'trackId'>

/** Lists the other tracks after an order, nearest first. Deleted ones keep their places, so they are included. */
export const tracksAfter = (tx: Transaction, { collectionId, trackId }: Others, order: number, take: number) =>
  tx.$queryRaw<Placed[]>`
    SELECT id, "order" FROM track
    WHERE collection_id = ${collectionId}::uuid AND "order" > ${order}::float8 AND id <> ${trackId}::uuid
      AND replaces_id IS NULL
    ORDER BY "order", id LIMIT ${take}`

/** Lists the other tracks before an order, nearest first. @param order null for the end of the collection */
export const tracksBefore = (tx: Transaction, { collectionId, trackId }: Others, order: number | null, take: number) =>
  tx.$queryRaw<Placed[]>`
    SELECT id, "order" FROM track
    WHERE collection_id = ${collectionId}::uuid AND "order" < coalesce(${order}::float8, 'infinity')
      AND id <> ${trackId}::uuid AND replaces_id IS NULL
    ORDER BY "order" DESC, id DESC LIMIT ${take}`

/** Writes the orders of tracks. Locks them in the order of their ids, as every transaction that locks several tracks. */
export async function writeOrders(tx: Transaction, places: readonly Placed[]): Promise<void> {
  const ids = places.map(({ id }) => id)
  await tx.$executeRaw`
    WITH locked AS (SELECT id FROM track WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR NO KEY UPDATE)
    UPDATE track SET "order" = p.place FROM unnest(${ids}::uuid[], ${places.map(({ order }) => order)}::float8[]) AS p(id, place)
    WHERE track.id = p.id AND track.id IN (SELECT id FROM locked)`
}

/**
 * Returns the order of a slot between two tracks: a whole number if there is one, else the middle of both. An exhausted gap
 * is widened first, by spacing the tracks around it evenly.
 */
export async function orderWithin(tx: Transaction, slot: Slot): Promise<number> {
  const { before, after } = slot
  if (before === null) return Math.ceil(after ?? 1) - 1
  if (after === null) return Math.floor(before) + 1
  if (after - before < MIN_GAP) return spaceAround(tx, slot, before, after)
  const middle = (before + after) / 2
  return Math.floor(middle) > before ? Math.floor(middle) : middle
}

async function spaceAround(tx: Transaction, slot: Slot, before: number, after: number): Promise<number> {
  const middle = (before + after) / 2
  for (const size of WINDOWS) {
    const take = size / 2 + 1
    const lower = await tracksBefore(tx, slot, middle, take)
    const upper = await tracksAfter(tx, slot, middle, take)
    // The farthest track of a side remains where it is, unless it is the first or the last of the collection.
    const start = lower.length === take ? (lower.pop()?.order ?? before) : Math.ceil(lower.at(-1)?.order ?? before) - 1
    const end = upper.length === take ? (upper.pop()?.order ?? after) : Math.floor(upper.at(-1)?.order ?? after) + 1
    const ids = [...lower.map(({ id }) => id).reverse(), slot.trackId, ...upper.map(({ id }) => id)]
    const step = (end - start) / (ids.length + 1)
    if (step < MIN_STEP) continue
    const places = ids.map((id, i) => ({ id, order: start + (i + 1) * step }))
    await writeOrders(tx, places)
    return start + (lower.length + 1) * step
  }
  throw new Error('a collection has no place for a track')
}
