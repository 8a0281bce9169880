import type { Context } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import { AppError, invalidInput, notFound } from '../../../platform/errors.ts'
import { moveKeysOfTrack } from '../../access/key/manage.ts'
import { type Scope, writeScope } from '../../access/viewer.ts'
import { getCollection } from '../../collection/service.ts'
import { oneTrackWhere } from '../service.ts'
import type { MoveTrack } from './record.ts'

/** A track and its place. */
interface Placed {
  id: string
  collectionId: string
  order: number
}

/** The other track of a move. */
interface Neighbour {
  /** Argument that names it. */
  name: 'beforeTrackId' | 'afterTrackId'
  track: Placed
}

/**
 * Moves a track before or after another one, or to the end of a collection. The tracks between its old and its new
 * place are numbered again, deleted ones included, because they may be restored. Keys that are limited to the track
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
    const slot = slotOf(neighbour, nextOrder)
    const order = source === target ? await moveWithin(tx, track, slot) : await moveInto(tx, track, target, slot)
    await tx.track.update({ where: { id }, data: { collectionId: target, order } })
    if (source !== target) await moveKeysOfTrack(tx, id, target)
    return { id }
  })
}

/** @throws AppError `not_found`, `invalid_input` */
async function findPlaces(
  db: Pick<Transaction, 'track'>,
  scope: Scope,
  id: string,
  { beforeTrackId, afterTrackId }: MoveTrack,
): Promise<{ track: Placed; neighbour: Neighbour | null }> {
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
  const found = rows.find(({ id }) => id === target)
  if (!found || found.isDeleted) throw notFound('collectionId')
  return found.nextOrder
}

/** Returns the order that the moved track gets if no track leaves its place. */
function slotOf(neighbour: Neighbour | null, end: number): number {
  if (!neighbour) return end
  return neighbour.name === 'beforeTrackId' ? neighbour.track.order : neighbour.track.order + 1
}

async function moveWithin(tx: Transaction, { id, collectionId, order }: Placed, slot: number): Promise<number> {
  if (order < slot) {
    await shift(tx, { id, collectionId, from: order + 1, to: slot, by: -1 })
    return slot - 1
  }
  await shift(tx, { id, collectionId, from: slot, to: order, by: 1 })
  return slot
}

async function moveInto(tx: Transaction, { id }: Placed, collectionId: string, slot: number): Promise<number> {
  const { nextTrackOrder } = await tx.collection.update({
    where: { id: collectionId },
    data: { nextTrackOrder: { increment: 1 } },
    select: { nextTrackOrder: true },
  })
  await shift(tx, { id, collectionId, from: slot, to: nextTrackOrder, by: 1 })
  return slot
}

interface Shift {
  /** The moved track, which is locked with the others. */
  id: string
  collectionId: string
  /** First order that changes. */
  from: number
  /** First order after it that does not change. */
  to: number
  by: 1 | -1
}

/** Numbers tracks again. Locks them in the order of their ids, as every transaction that locks several tracks. */
async function shift(tx: Transaction, { id, collectionId, from, to, by }: Shift): Promise<void> {
  await tx.$executeRaw`
    WITH locked AS (
      SELECT id FROM track
      WHERE id = ${id}::uuid OR (collection_id = ${collectionId}::uuid AND "order" >= ${from} AND "order" < ${to})
      ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE track SET "order" = "order" + ${by} WHERE id IN (SELECT id FROM locked) AND id <> ${id}::uuid`
}
