import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Prisma, WebhookEndpoint } from '../../platform/db/generated/client/client.ts'
import type { Query } from '../../platform/db/query/reader.ts'
import { AppError, invalidInput, notFound } from '../../platform/errors.ts'
import { administratorScope, personScope } from '../access/viewer.ts'
import { lockOrganization } from '../organization/service.ts'
import { MIN_CONCURRENCY } from './delivery/concurrency.ts'
import { deleteEndpoint, giveUpPending } from './delivery/give-up.ts'
import type { CreateWebhookEndpoint, UpdateWebhook, UpdateWebhookEndpoint } from './record.ts'
import { newSecret, rotated } from './secret.ts'

const MAX_ENDPOINTS = 10

/** `webhook_url` of the organization is the URL of the first. */
const oldestFirst = [{ createdAt: 'asc' as const }, { id: 'asc' as const }]

/** An endpoint with its new secret, which is shown once. */
export interface WithSecret {
  id: string
  secret: string
}

const undeleted = (organizationId: string) => ({ organizationId, deletedAt: null })
const endpointWhere = (ctx: Context): Prisma.WebhookEndpointWhereInput => undeleted(personScope(ctx).organizationId)

/** @param query the part of the list, its order and the columns to read */
export const findWebhookEndpoints = (ctx: Context, query: Query<'WebhookEndpoint'>) =>
  ctx.reader.readMany('WebhookEndpoint', { ...query, where: endpointWhere(ctx) }, ctx.signal)

export const countWebhookEndpoints = (ctx: Context) =>
  ctx.reader.count('WebhookEndpoint', endpointWhere(ctx), ctx.signal)

/** Returns the first endpoint of the organization, or null. */
export const getFirstWebhookEndpoint = (ctx: Context, query: Query<'WebhookEndpoint'> = {}) =>
  ctx.reader.readFirst('WebhookEndpoint', { ...query, where: endpointWhere(ctx), orderBy: oldestFirst }, ctx.signal)

/** @throws AppError `not_found` */
export async function getWebhookEndpoint(ctx: Context, id: string, query: Query<'WebhookEndpoint'> = {}) {
  const where = { ...endpointWhere(ctx), id }
  const endpoint = await ctx.reader.readFirst('WebhookEndpoint', { ...query, where }, ctx.signal)
  if (!endpoint) throw notFound('webhookEndpointId')
  return endpoint
}

/**
 * Creates or changes the first endpoint of the organization. A null `url` deletes it. Owners and admins only.
 * @returns the ID, null after a deletion; the secret of a new endpoint, else null
 * @throws AppError `invalid_input` without a `url` for a new endpoint
 */
export async function updateWebhook(
  ctx: Context,
  { url, ...input }: UpdateWebhook,
): Promise<{ id: string | null; secret: string | null }> {
  const { organizationId } = administratorScope(ctx)
  return locked(ctx, organizationId, async (tx) => {
    const first = await tx.webhookEndpoint.findFirst({ where: undeleted(organizationId), orderBy: oldestFirst })
    if (url === null) {
      if (first) await deleteEndpoint(tx, { organizationId, id: first.id }, ctx.clock())
      return { id: null, secret: null }
    }
    if (first) return { id: await change(ctx, tx, first, { url, ...input }), secret: null }
    if (url === undefined) throw invalidInput('url', 'is required')
    return insert(ctx, tx, organizationId, { url, ...input })
  })
}

/**
 * Creates an endpoint, enabled by default. Owners and admins only.
 * @throws AppError `limit_reached` if the organization has 10 endpoints
 */
export async function createWebhookEndpoint(ctx: Context, input: CreateWebhookEndpoint): Promise<WithSecret> {
  const { organizationId } = administratorScope(ctx)
  return locked(ctx, organizationId, async (tx) => {
    if ((await tx.webhookEndpoint.count({ where: undeleted(organizationId) })) >= MAX_ENDPOINTS) {
      throw new AppError('limit_reached', `An organization has at most ${MAX_ENDPOINTS} webhook endpoints.`)
    }
    return insert(ctx, tx, organizationId, input)
  })
}

/**
 * Changes the given fields of an endpoint. Owners and admins only.
 * @throws AppError `not_found`
 */
export async function updateWebhookEndpoint(
  ctx: Context,
  id: string,
  input: UpdateWebhookEndpoint,
): Promise<{ id: string }> {
  const { organizationId } = administratorScope(ctx)
  return locked(ctx, organizationId, async (tx) => ({
    id: await change(ctx, tx, await find(tx, { ...undeleted(organizationId), id }), input),
  }))
}

/**
 * Deletes an endpoint and its deliveries, which no client reads from then on. Owners and admins only.
 * @returns the endpoint before the deletion
 * @throws AppError `not_found`
 */
export async function deleteWebhookEndpoint(ctx: Context, id: string, query: Query<'WebhookEndpoint'> = {}) {
  const { organizationId } = administratorScope(ctx)
  const endpoint = await getWebhookEndpoint(ctx, id, query)
  const isDeleted = await locked(ctx, organizationId, (tx) => deleteEndpoint(tx, { organizationId, id }, ctx.clock()))
  if (!isDeleted) throw notFound('webhookEndpointId')
  return endpoint
}

/**
 * Gives an endpoint a new secret. The previous secret signs as well for 24 hours. Owners and admins only.
 * @param id defaults to the first endpoint
 * @throws AppError `not_found`
 */
export async function rotateWebhookSecret(ctx: Context, id?: string): Promise<WithSecret> {
  const { organizationId } = administratorScope(ctx)
  const { secret, sealed } = newSecret(ctx)
  return locked(ctx, organizationId, async (tx) => {
    const endpoint = await find(tx, { ...undeleted(organizationId), id })
    await tx.webhookEndpoint.update({ where: { id: endpoint.id }, data: rotated(endpoint, sealed, ctx.clock()) })
    return { id: endpoint.id, secret }
  })
}

/** Runs changes of an organization's webhooks one at a time. */
const locked = <T>(ctx: Context, organizationId: string, act: (tx: Transaction) => Promise<T>): Promise<T> =>
  ctx.db.$transaction(async (tx) => {
    await lockOrganization(tx, organizationId)
    return act(tx)
  })

async function find(tx: Transaction, where: Prisma.WebhookEndpointWhereInput): Promise<WebhookEndpoint> {
  const endpoint = await tx.webhookEndpoint.findFirst({ where, orderBy: oldestFirst })
  if (!endpoint) throw notFound('webhookEndpointId')
  return endpoint
}

async function insert(
  ctx: Context,
  tx: Transaction,
  organizationId: string,
  { isEnabled = true, ...data }: CreateWebhookEndpoint,
) {
  const { secret, sealed } = newSecret(ctx)
  const endpoint = await tx.webhookEndpoint.create({
    data: { ...data, ...(isEnabled ? {} : disabled(ctx)), organizationId, secrets: [sealed], createdAt: ctx.clock() },
  })
  return { id: endpoint.id, secret }
}

async function change(
  ctx: Context,
  tx: Transaction,
  before: WebhookEndpoint,
  { isEnabled, ...data }: UpdateWebhookEndpoint,
) {
  const wasEnabled = before.disabledAt === null
  const state =
    isEnabled === undefined || isEnabled === wasEnabled
      ? {}
      : isEnabled
        ? { disabledAt: null, disabledReason: null, failingSince: null }
        : disabled(ctx)
  const isMoved = data.url !== undefined && data.url !== before.url
  const concurrency = isMoved ? MIN_CONCURRENCY : undefined
  await tx.webhookEndpoint.update({ where: { id: before.id }, data: { ...data, ...state, concurrency } })
  if (isEnabled === false) await giveUpPending(tx, before.id, ctx.clock())
  return before.id
}

const disabled = (ctx: Context) => ({ disabledAt: ctx.clock(), disabledReason: 'administrator' })
