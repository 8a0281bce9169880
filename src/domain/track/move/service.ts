import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import { AppError, invalidInput, notFound } from '../../../platform/errors.ts'
import { moveKeysOfTrack } from '../../access/key/manage.ts'
import { type Scope, writeScope } from '../../access/viewer.ts'
import { getCollection } from '../../collection/service.ts'
import { oneTrackWhere } from '../service.ts'
import { orderWithin, type Placed, type Slot, tracksAfter, tracksBefore, writeOrders } from './place.ts'
import type { MoveTrack } from './record.ts'

/** Tracks that change their places when another is moved past them. Farther moves change the moved track only. */
const MAX_SHIFTED = 200

/** The other track of a move. */
interface Neighbour {
  /** Argument that names it. */
  name: 'beforeTrackId' | 'afterTrackId'
  track: TrackPlace
}

interface TrackPlace extends Placed {
  collectionId: string
}

/**
 * Moves a track before or after another one, or to the end of a collection. Up to 200 tracks between its old and its new
 * place exchange their orders, deleted ones included, because they may be restored; a track that moves farther gets an
 * order between those of its new neighbours (decision 0061). Keys that are limited to the track
 * follow it to another collection; those of its collection do not. Its addresses stay the same.
 * @throws AppError `not_found`; `invalid_input` if the other track is the same, or of another collection than the given
 * one; `unavailable` if one of both was moved to another collection at the same moment
 */
export async function moveTrack(ctx: Context, id: string, input: MoveTrack): Promise<{ id: string }> {
  const scope = writeScope(ctx)
  const before = await findPlaces(ctx.db, scope, id, input)
  const target = input.collectionId ?? before.neighbour?.track.collectionId ?? before.track.collectionId
  await getCollection(ctx, target, { select: { id: true } })
  if (before.neighbour && before.neighbour.track.collectionId !== target) {
    throw invalidInput('collectionId', `must be the collection of ${before.neighbour.name}`)
  }
  return ctx.db.$transaction(async (tx) => {
    const { collectionId: source } = before.track
    const nextOrder = await lockPlaces(tx, [source, target], target)
    const { track, neighbour } = await findPlaces(tx, scope, id, input)
    const isChanged = track.collectionId !== source || (neighbour && neighbour.track.collectionId !== target)
    if (isChanged) {
      throw new AppError('unavailable', 'Another change was made at the same moment. Try again shortly.', {
        retryAfterSeconds: 1,
      })
    }
    const place = { collectionId: target, trackId: id, nextOrder }
    const order =
      source === target ? await moveWithin(tx, track, neighbour, place) : await moveInto(tx, neighbour, place)
    await tx.track.update({ where: { id }, data: { collectionId: target, order } })
    await keepEnd(tx, place, order)
    if (source !== target) {
      await tx.track.updateMany({ where: { replacesId: id }, data: { collectionId: target } })
      await moveKeysOfTrack(tx, id, target)
    }
    return { id }
  })
}

/** @throws AppError `not_found`, `invalid_input` */
async function findPlaces(
  db: Pick<Transaction, 'track'>,
  scope: Scope,
  id: string,
  { beforeTrackId, afterTrackId }: MoveTrack,
): Promise<{ track: TrackPlace; neighbour: Neighbour | null }> {
  const find = async (trackId: string, name: string) => {
    const select = { id: true, collectionId: true, order: true }
    const track = await db.track.findFirst({ where: oneTrackWhere(scope, trackId), select })
    if (!track) throw notFound(name)
    return track
  }
  const track = await find(id, 'trackId')
  const name = beforeTrackId ? 'beforeTrackId' : 'afterTrackId'
  const other = beforeTrackId ?? afterTrackId
  if (!other) return { track, neighbour: null }
  if (other === id) throw invalidInput(name, 'must be another track')
  return { track, neighbour: { name, track: await find(other, name) } }
}

/**
 * Locks the collections, as every transaction that numbers their tracks.
 * @returns the order of the next track of the target
 */
async function lockPlaces(tx: Transaction, ids: string[], target: string): Promise<number> {
  const rows = await tx.$queryRaw<{ id: string; nextOrder: number; isDeleted: boolean }[]>`
    SELECT id, next_track_order AS "nextOrder", deleted_at IS NOT NULL AS "isDeleted" FROM collection
    WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR NO KEY UPDATE`
  const targetRow = rows.find(({ id }) => id === target)
  if (!targetRow || targetRow.isDeleted) throw notFound('collectionId')
  return targetRow.nextOrder
}

/** The collection that a track moves to. */
interface Target extends Pick<Slot, 'collectionId' | 'trackId'> {
  /** Order of the next track that is added. */
  nextOrder: number
}

/** Finds the orders around the new place, of tracks other than the moved one. */
async function findSlot(tx: Transaction, neighbour: Neighbour | null, { nextOrder, ...target }: Target): Promise<Slot> {
  const slot: Slot = { ...target, before: null, after: null }
  const nearest = async (tracks: PromiseLike<Placed[]>) => (await tracks)[0]?.order ?? null
  if (!neighbour) {
    return { ...slot, before: (await nearest(tracksBefore(tx, slot, null, 1))) ?? nextOrder - 1 }
  }
  const { order } = neighbour.track
  return neighbour.name === 'beforeTrackId'
    ? { ...slot, before: await nearest(tracksBefore(tx, slot, order, 1)), after: order }
    : { ...slot, before: order, after: await nearest(tracksAfter(tx, slot, order, 1)) }
}

/** @returns the order of the moved track */
async function moveWithin(
  tx: Transaction,
  track: Placed,
  neighbour: Neighbour | null,
  target: Target,
): Promise<number> {
  const slot = await findSlot(tx, neighbour, target)
  const { before, after } = slot
  const take = MAX_SHIFTED + 1
  const passed =
    before !== null && before > track.order
      ? (await tracksAfter(tx, slot, track.order, take)).filter(({ order }) => order <= before)
      : (await tracksBefore(tx, slot, track.order, take)).filter(({ order }) => after !== null && order >= after)
  return passed.length > MAX_SHIFTED ? orderWithin(tx, slot) : exchange(tx, [track, ...passed])
}

/** @returns the order of the moved track */
async function moveInto(tx: Transaction, neighbour: Neighbour | null, target: Target): Promise<number> {
  const slot = await findSlot(tx, neighbour, target)
  const { after } = slot
  const last = await findSlot(tx, null, target)
  const end = Math.max(target.nextOrder, Math.floor(last.before ?? -1) + 1)
  if (after === null) return end
  const passed = (await tracksBefore(tx, slot, end, MAX_SHIFTED + 1)).filter(({ order }) => order >= after)
  if (passed.length > MAX_SHIFTED) return orderWithin(tx, slot)
  await keepEnd(tx, target, end)
  return exchange(tx, [{ id: slot.trackId, order: end }, ...passed])
}

/**
 * Gives each of several tracks the order of the one before it in the list.
 * @returns the order of the last, which is for the first
 */
async function exchange(tx: Transaction, tracks: readonly Placed[]): Promise<number> {
  const orders = tracks.map(({ order }) => order)
  const shifted = tracks.slice(1).map(({ id }, i) => ({ id, order: orders[i] as number }))
  if (shifted.length > 0) await writeOrders(tx, shifted)
  return orders.at(-1) as number
}

/** Adds later tracks after a track with an order. */
async function keepEnd(tx: Transaction, { collectionId, nextOrder }: Target, order: number): Promise<void> {
  const next = Math.floor(order) + 1
  if (next <= nextOrder) return
  const where = { id: collectionId, nextTrackOrder: { lt: next } }
  await tx.collection.updateMany({ where, data: { nextTrackOrder: next } })
}
