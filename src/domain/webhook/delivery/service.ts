import type { Context } from '../../../platform/context.ts'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { notFound } from '../../../platform/errors.ts'
import { createdWithin } from '../../../platform/schema/conditions.ts'
import { personScope } from '../../access/viewer.ts'
import type { DeliveryFilter } from './record.ts'

/** Deliveries of the organization that match a filter. For administrators of any role. */
export function matchingDeliveries(
  ctx: Context,
  { type, state, endpointId, eventId, ...filter }: DeliveryFilter,
): Prisma.WebhookDeliveryWhereInput {
  const { organizationId } = personScope(ctx)
  return {
    AND: [
      { organizationId, state, endpointId, eventId, endpoint: { deletedAt: null } },
      createdWithin(filter),
      type ? { event: { type: { in: type } } } : {},
    ],
  }
}

/** @param query the part of the list, its order and the columns to read */
export const findDeliveries = (ctx: Context, filter: DeliveryFilter, query: Query<'WebhookDelivery'>) =>
  ctx.reader.readMany('WebhookDelivery', { ...query, where: matchingDeliveries(ctx, filter) }, ctx.signal)

export const countDeliveries = (ctx: Context, filter: DeliveryFilter) =>
  ctx.reader.count('WebhookDelivery', matchingDeliveries(ctx, filter), ctx.signal)

/** @throws AppError `not_found` */
export async function getDelivery(ctx: Context, id: string, query: Query<'WebhookDelivery'> = {}) {
  const { organizationId } = personScope(ctx)
  const where = { organizationId, id, endpoint: { deletedAt: null } }
  const delivery = await ctx.reader.readFirst('WebhookDelivery', { ...query, where }, ctx.signal)
  if (!delivery) throw notFound('webhookDeliveryId')
  return delivery
}
