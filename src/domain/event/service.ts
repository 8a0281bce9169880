import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Event, Prisma } from '../../platform/db/generated/client/client.ts'
import { insertion } from '../../platform/db/query/insert.ts'
import type { Place } from '../../platform/db/query/plan.ts'
import type { Query } from '../../platform/db/query/reader.ts'
import type { Values } from '../../platform/db/query/statement.ts'
import { notFound } from '../../platform/errors.ts'
import { storedOrigin } from '../../platform/origin.ts'
import { createdWithin } from '../../platform/schema/conditions.ts'
import { listCursors } from '../../platform/schema/cursor.ts'
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
 * webhooks of the organization. Addresses in `data` are replaced whenever it is sent or read.
 */
export async function recordEvent(
  tx: Transaction,
  organizationId: string,
  type: EventType,
  data: EventData,
): Promise<{ id: string }> {
  return tx.event.create({ data: newEvent(organizationId, type, data), select: { id: true } })
}

/** SQL that writes an event if the statement that it is a part of has `written` a row. */
export function eventOfWritten(organizationId: string, type: EventType, data: EventData, values: Values): string {
  const { columns, source } = insertion('Event', newEvent(organizationId, type, data), values)
  return `INSERT INTO event (${columns}) SELECT ${columns} FROM ${source} WHERE EXISTS (SELECT 1 FROM written)`
}

function newEvent(organizationId: string, type: EventType, data: EventData) {
  const { creator_id: creatorId, collection_id: collectionId, track_id: trackId } = data
  const subject = { organizationId, creatorId, collectionId, trackId }
  const origin = (storedOrigin() ?? undefined) as Prisma.InputJsonObject | undefined
  return { id: Bun.randomUUIDv7(), ...subject, type, data, origin, createdAt: new Date() }
}

/** Events within a scope, including those of deleted records. */
function eventWhere(scope: Scope): Prisma.EventWhereInput {
  return {
    organizationId: scope.organizationId,
    ...(scope.collectionId && { collectionId: scope.collectionId }),
    ...(scope.creatorId && { creatorId: scope.creatorId }),
  }
}

function matchingEvents(scope: Scope, { type, ...filter }: EventFilter, to?: bigint): Prisma.EventWhereInput {
  const filterWhere = { type: type && { in: type }, seq: to && { lte: to }, isNumbered: true }
  return { AND: [eventWhere(scope), createdWithin(filter), filterWhere] }
}

/** Events that one statement numbers. */
const MAX_NUMBERED = 5000

/**
 * Gives the committed events of an organization their final numbers. Before every read of a list of events, so that a
 * client that continues after the greatest number that it has seen misses no event.
 */
export async function numberEvents({ reader, signal }: Pick<Context, 'reader' | 'signal'>, organizationId: string) {
  const statement = { text: 'SELECT event_number($1::uuid, $2::int)', values: [organizationId, MAX_NUMBERED] }
  let row: unknown[] | undefined
  do [row] = await reader.query(statement, signal)
  while (row?.[0] === MAX_NUMBERED)
}

/** Cursors of the events, the same in REST and GraphQL. */
export function eventCursors(ctx: Context, direction: 'asc' | 'desc') {
  const { organizationId } = readScope(ctx)
  return listCursors(ctx.signing, { organizationId, name: 'Query.events', orderBy: [{ seq: direction }] })
}

/** Most events that one request examines, so that a filter that matches few does not read a month of events. */
const MAX_EXAMINED = 50_000

interface Examined {
  /** The last event that is examined, whether it matches or not. */
  seq: bigint
  /** Whether it was the last of all. */
  isLast: boolean
}

/**
 * Returns how far a request for events after a place examines them. Null for a viewer and a filter that leave out none,
 * and without an event after the place.
 */
export async function examinedAfter(
  ctx: Context,
  after: Place | undefined,
  filter: EventFilter,
): Promise<Examined | null> {
  const { organizationId, collectionId, creatorId } = readScope(ctx)
  if (!collectionId && !creatorId && Object.values(filter).every((value) => value === undefined)) return null
  const [examined] = await ctx.db.$queryRaw<{ seq: bigint | null; isLast: boolean }[]>`
    SELECT max(seq) AS seq, count(*) < ${MAX_EXAMINED} AS "isLast" FROM (
      SELECT seq FROM event
      WHERE organization_id = ${organizationId}::uuid AND seq > ${after?.[0] ?? '0'}::bigint AND is_numbered
      ORDER BY seq LIMIT ${MAX_EXAMINED}) examined`
  return examined?.seq ? { seq: examined.seq, isLast: examined.isLast } : null
}

/**
 * Numbered events that match a filter (`numberEvents`), in the order of their numbers.
 * @param to the last event that may be returned. Defaults to any
 */
export const findEvents = (ctx: Context, filter: EventFilter, query: Query<'Event'>, to?: bigint) =>
  ctx.reader.readMany('Event', { ...query, where: matchingEvents(readScope(ctx), filter, to) }, ctx.signal)

export const countEvents = (ctx: Context, filter: EventFilter) =>
  ctx.reader.count('Event', matchingEvents(readScope(ctx), filter), ctx.signal)

/**
 * Events after a cursor, oldest first.
 * @returns `next`: the `after` of the next request, also past events that the filter leaves out; null before the first
 * event
 */
export async function followEvents(ctx: Context, { after, type, limit: take }: FollowEvents) {
  const cursors = eventCursors(ctx, 'asc')
  const cursor = after === undefined ? undefined : cursors.read(after, 'after')
  await numberEvents(ctx, readScope(ctx).organizationId)
  const examined = await examinedAfter(ctx, cursor, { type })
  const events = await findEvents(ctx, { type }, { take, cursor, orderBy: [{ seq: 'asc' }] }, examined?.seq)
  const last = events.length < take && examined ? examined.seq : events.at(-1)?.seq
  return { events, next: last ? cursors.mint([String(last)]) : (after ?? null) }
}

/** @throws AppError `not_found` */
export async function getEvent(ctx: Context, id: string, query: Query<'Event'> = {}): Promise<Event> {
  const where = { AND: [eventWhere(readScope(ctx)), { id }] }
  const event = await ctx.reader.readFirst('Event', { ...query, where }, ctx.signal)
  if (!event) throw notFound('eventId')
  return event
}
