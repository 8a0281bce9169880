import { z } from 'zod'
import { toCamel } from '../../platform/case.ts'
import type { Context } from '../../platform/context.ts'
import type { Activity, Prisma } from '../../platform/db/generated/client/client.ts'
import type { Query } from '../../platform/db/query/reader.ts'
import { notFound } from '../../platform/errors.ts'
import { contains, createdWithin } from '../../platform/schema/conditions.ts'
import { personScope } from '../access/viewer.ts'
import type { ActivityFilter } from './record.ts'

/** @param query the part of the list, its order and the columns to read */
export const findActivities = (ctx: Context, filter: ActivityFilter, query: Query<'Activity'>) =>
  ctx.lists.readMany('Activity', { ...query, where: matchingActivities(ctx, filter) }, ctx.signal)

export const countActivities = (ctx: Context, filter: ActivityFilter) =>
  ctx.lists.count('Activity', matchingActivities(ctx, filter), ctx.signal)

function matchingActivities(
  ctx: Context,
  { search, createdFrom, createdUntil, ...columns }: ActivityFilter,
): Prisma.ActivityWhereInput {
  const { organizationId } = personScope(ctx)
  return {
    AND: [
      { organizationId, ...columns },
      createdWithin({ createdFrom, createdUntil }),
      contains(['recordName', 'actorName'], search),
    ],
  }
}

/** @throws AppError `not_found` */
export async function getActivity(ctx: Context, id: string, query: Query<'Activity'> = {}): Promise<Activity> {
  const where = { id, organizationId: personScope(ctx).organizationId }
  const activity = await ctx.reader.readFirst('Activity', { ...query, where }, ctx.signal)
  if (!activity) throw notFound('activityId')
  return activity
}

/** A field that was changed. Its values are null where it had none, or where they are secret or long. */
export interface FieldChange {
  field: string
  before: string | null
  after: string | null
}

const storedChanges = z.record(z.string(), z.tuple([z.json(), z.json()]).nullable())

/** The changed fields, by their names in GraphQL. */
export const readChanges = ({ changes }: Pick<Activity, 'changes'>): FieldChange[] =>
  Object.entries(storedChanges.parse(changes)).map(([column, values]) => ({
    field: toCamel(column),
    before: toText(values?.[0]),
    after: toText(values?.[1]),
  }))

const toText = (value: unknown): string | null =>
  value == null ? null : typeof value === 'string' ? value : JSON.stringify(value)

/** Address of the client, for viewers who may also change something. */
export const readActorAddress = ({ viewer }: Context, { address }: Pick<Activity, 'address'>): string | null =>
  viewer?.type === 'administrator' && viewer.role !== 'viewer' ? address : null
