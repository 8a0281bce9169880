import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Event, Prisma } from '../../platform/db/generated/client/client.ts'
import type { Query } from '../../platform/db/query/reader.ts'
import { notFound } from '../../platform/errors.ts'
import { cursorOf, readCursor } from '../../platform/schema/cursor.ts'
import { createdWithin } from '../../platform/schema/input.ts'
import { readScope, type Scope } from '../access/viewer.ts'
import type { EventFilter, EventType, FollowEvents } from './record.ts'

/** Data of an event: the subject, and fields of the type. A webhook event has no collection. */
interface EventData extends Prisma.InputJsonObject {
  organization_id: string
  creator_id?: string | null
  collection_id?: string
  track_id?: string
}

/**
 * Writes an event in the transaction that causes it. Both commit or neither does. A trigger plans the deliveries to the
 * webhooks of the organization.
 */
export async function recordEvent(
  tx: Transaction,
  organizationId: string,
  type: EventType,
  data: EventData,
): Promise<{ id: string }> {
  const { creator_id: creatorId, collection_id: collectionId, track_id: trackId } = data
  const row = { organizationId, creatorId, collectionId, trackId, type, data }
  return tx.event.create({ data: row, select: { id: true } })
}

/** Events within a scope, including those of deleted records. */
function eventWhere(scope: Scope): Prisma.EventWhereInput {
  return {
    organizationId: scope.organizationId,
    ...(scope.collectionId && { collectionId: scope.collectionId }),
    ...(scope.creatorId && { creatorId: scope.creatorId }),
  }
}

function matchingEvents(scope: Scope, { type, ...filter }: EventFilter): Prisma.EventWhereInput {
  return { AND: [eventWhere(scope), createdWithin(filter), type ? { type: { in: type } } : {}] }
}

/**
 * Events that match a filter. `seq` is the order of their commits, so a client that continues after the last event that
 * it received misses no event.
 */
export const findEvents = (ctx: Context, filter: EventFilter, query: Query<'Event'>) =>
  ctx.reader.readMany('Event', { ...query, where: matchingEvents(readScope(ctx), filter) }, ctx.signal)

export const countEvents = (ctx: Context, filter: EventFilter) =>
  ctx.reader.count('Event', matchingEvents(readScope(ctx), filter), ctx.signal)

/**
 * Events after a cursor, oldest first.
 * @returns `next`: the `after` of the next request, also when there are no new events; null before the first event
 */
export async function followEvents(ctx: Context, { after, type, limit: take }: FollowEvents) {
  const cursor = after === undefined ? undefined : { seq: readCursor(after, 'after') }
  const events = await findEvents(ctx, { type }, { take, cursor, orderBy: [{ seq: 'asc' }] })
  const last = events.at(-1)
  return { events, next: last ? cursorOf(last.seq) : (after ?? null) }
}

/** @throws AppError `not_found` */
export async function getEvent(ctx: Context, id: string, query: Query<'Event'> = {}): Promise<Event> {
  const where = { AND: [eventWhere(readScope(ctx)), { id }] }
  const event = await ctx.reader.readFirst('Event', { ...query, where }, ctx.signal)
  if (!event) throw notFound('eventId')
  return event
}

/** Body of a webhook, the same text at every attempt (contract, section 7). */
export const eventBody = ({ type, createdAt, data }: Pick<Event, 'type' | 'createdAt' | 'data'>): string =>
  JSON.stringify({ type, timestamp: createdAt, data })
