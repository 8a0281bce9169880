import type { Context } from '../../../platform/context.ts'
import type { Prisma } from '../../../platform/db/generated/client/client.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { notFound } from '../../../platform/errors.ts'
import { createdWithin, parse } from '../../../platform/schema/input.ts'
import { personScope } from '../../access/viewer.ts'
import { deliveryFilter, deliveryId } from './schema.ts'

/** The organization's deliveries that a client's filter lets through. For administrators of any role. */
export function matchingDeliveries(ctx: Context, rawFilter: unknown): Prisma.WebhookDeliveryWhereInput {
  const { organizationId } = personScope(ctx)
  const { type, state, endpointId, eventId, ...filter } = parse(deliveryFilter, rawFilter, 'filter')
  return {
    AND: [
      { organizationId, state, endpointId, eventId },
      createdWithin(filter),
      type ? { event: { type: { in: type } } } : {},
    ],
  }
}

/** The deliveries that match. `query` says which part of the list, in which order, and what of each. */
export const findDeliveries = (ctx: Context, filter: unknown, query: Query<'WebhookDelivery'>) =>
  ctx.reader.readMany('WebhookDelivery', { ...query, where: matchingDeliveries(ctx, filter) }, ctx.signal)

export const countDeliveries = (ctx: Context, filter: unknown) =>
  ctx.reader.count('WebhookDelivery', matchingDeliveries(ctx, filter), ctx.signal)

/** @throws AppError `not_found` */
export async function getDelivery(ctx: Context, id: string, query: Query<'WebhookDelivery'> = {}) {
  const { organizationId } = personScope(ctx)
  const where = { organizationId, id: parse(deliveryId, { webhookDeliveryId: id }).webhookDeliveryId }
  const delivery = await ctx.reader.readFirst('WebhookDelivery', { ...query, where }, ctx.signal)
  if (!delivery) throw notFound('webhookDeliveryId')
  return delivery
}
