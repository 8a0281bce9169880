import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Prisma, WebhookEndpoint } from '../../platform/db/generated/client/client.ts'
import type { Query } from '../../platform/db/query/reader.ts'
import { AppError, invalidInput, notFound } from '../../platform/errors.ts'
import { parse } from '../../platform/schema/input.ts'
import { administratorScope, personScope } from '../access/viewer.ts'
import type { EventType } from '../event/record.ts'
import { lockOrganization } from '../organization/service.ts'
import { giveUpPending } from './delivery/give-up.ts'
import { webhookEndpointId, webhookInputs } from './schema.ts'
import { newSecret, rotated } from './secret.ts'

const MAX_ENDPOINTS = 10

/** The first of them is the record's `webhook_url`. */
const oldestFirst = [{ createdAt: 'asc' as const }, { id: 'asc' as const }]

/** An endpoint that was written, and its secret where it is new and shown this once. */
export interface WithSecret {
  id: string
  secret: string
}

const ownEndpoints = (ctx: Context): Prisma.WebhookEndpointWhereInput => ({
  organizationId: personScope(ctx).organizationId,
})
const parseId = (id: string) => parse(webhookEndpointId, { webhookEndpointId: id }).webhookEndpointId

/** The organization's endpoints. `query` says which part of the list, in which order, and what of each. */
export const findWebhookEndpoints = (ctx: Context, query: Query<'WebhookEndpoint'>) =>
  ctx.reader.readMany('WebhookEndpoint', { ...query, where: ownEndpoints(ctx) }, ctx.signal)

export const countWebhookEndpoints = (ctx: Context) =>
  ctx.reader.count('WebhookEndpoint', ownEndpoints(ctx), ctx.signal)

/** The organization's first endpoint, or null. */
export const getFirstWebhookEndpoint = (ctx: Context, query: Query<'WebhookEndpoint'> = {}) =>
  ctx.reader.readFirst('WebhookEndpoint', { ...query, where: ownEndpoints(ctx), orderBy: oldestFirst }, ctx.signal)

/** @throws AppError `not_found` */
export async function getWebhookEndpoint(ctx: Context, id: string, query: Query<'WebhookEndpoint'> = {}) {
  const where = { ...ownEndpoints(ctx), id: parseId(id) }
  const endpoint = await ctx.reader.readFirst('WebhookEndpoint', { ...query, where }, ctx.signal)
  if (!endpoint) throw notFound('webhookEndpointId')
  return endpoint
}

/**
 * The settings of an organization that has one endpoint, or of its first one: makes it where there is none, changes
 * what is present, removes it for a null `url`. Owners and admins.
 * @param raw url, eventTypes (empty for all), isEnabled
 * @returns the endpoint's id, null where there is none now; its secret where it was made
 */
export async function updateWebhook(ctx: Context, raw: unknown): Promise<{ id: string | null; secret: string | null }> {
  const { organizationId } = administratorScope(ctx)
  const { url, ...input } = parse(webhookInputs(ctx.config).first, raw)
  return locked(ctx, organizationId, async (tx) => {
    const first = await tx.webhookEndpoint.findFirst({ where: { organizationId }, orderBy: oldestFirst })
    if (url === null) {
      if (first) await tx.webhookEndpoint.delete({ where: { id: first.id } })
      return { id: null, secret: null }
    }
    if (first) return { id: await change(ctx, tx, first, { url, ...input }), secret: null }
    if (url === undefined) throw invalidInput('url', 'is required')
    return insert(ctx, tx, organizationId, { url, ...input })
  })
}

/**
 * Makes an endpoint, enabled unless told. Owners and admins.
 * @param raw url (required), eventTypes (empty for all), isEnabled
 * @throws AppError `limit_reached` with ten of them
 */
export async function createWebhookEndpoint(ctx: Context, raw: unknown): Promise<WithSecret> {
  const { organizationId } = administratorScope(ctx)
  const input = parse(webhookInputs(ctx.config).create, raw)
  return locked(ctx, organizationId, async (tx) => {
    if ((await tx.webhookEndpoint.count({ where: { organizationId } })) >= MAX_ENDPOINTS) {
      throw new AppError('limit_reached', `An organization has at most ${MAX_ENDPOINTS} webhook endpoints.`)
    }
    return insert(ctx, tx, organizationId, input)
  })
}

/** Changes the fields that are present. Owners and admins. */
export async function updateWebhookEndpoint(ctx: Context, rawId: string, raw: unknown): Promise<{ id: string }> {
  const { organizationId } = administratorScope(ctx)
  const id = parseId(rawId)
  const input = parse(webhookInputs(ctx.config).update, raw)
  return locked(ctx, organizationId, async (tx) => ({
    id: await change(ctx, tx, await find(tx, { organizationId, id }), input),
  }))
}

/**
 * Removes an endpoint with its deliveries. Owners and admins.
 * @returns the endpoint as it was
 */
export async function deleteWebhookEndpoint(ctx: Context, rawId: string, query: Query<'WebhookEndpoint'> = {}) {
  const { organizationId } = administratorScope(ctx)
  const endpoint = await getWebhookEndpoint(ctx, rawId, query)
  const { count } = await ctx.db.webhookEndpoint.deleteMany({ where: { organizationId, id: endpoint.id } })
  if (count === 0) throw notFound('webhookEndpointId')
  return endpoint
}

/**
 * Gives an endpoint a new secret; the one before signs beside it for 24 hours. Owners and admins.
 * @param rawId the first endpoint unless told
 */
export async function rotateWebhookSecret(ctx: Context, rawId?: string): Promise<WithSecret> {
  const { organizationId } = administratorScope(ctx)
  const id = rawId === undefined ? undefined : parseId(rawId)
  const { secret, sealed } = newSecret(ctx)
  return locked(ctx, organizationId, async (tx) => {
    const endpoint = await find(tx, { organizationId, id })
    await tx.webhookEndpoint.update({ where: { id: endpoint.id }, data: rotated(endpoint, sealed, ctx.clock()) })
    return { id: endpoint.id, secret }
  })
}

/** One change of an organization's webhooks after the other. */
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

interface Settings {
  url?: string
  eventTypes?: EventType[]
  isEnabled?: boolean
}

async function insert(ctx: Context, tx: Transaction, organizationId: string, input: Settings & { url: string }) {
  const { isEnabled = true, ...data } = input
  const { secret, sealed } = newSecret(ctx)
  const endpoint = await tx.webhookEndpoint.create({
    data: { ...data, ...(isEnabled ? {} : disabled(ctx)), organizationId, secrets: [sealed], createdAt: ctx.clock() },
  })
  return { id: endpoint.id, secret }
}

async function change(ctx: Context, tx: Transaction, before: WebhookEndpoint, { isEnabled, ...data }: Settings) {
  const wasEnabled = before.disabledAt === null
  const state =
    isEnabled === undefined || isEnabled === wasEnabled
      ? {}
      : isEnabled
        ? { disabledAt: null, disabledReason: null, failingSince: null }
        : disabled(ctx)
  await tx.webhookEndpoint.update({ where: { id: before.id }, data: { ...data, ...state } })
  if (isEnabled === false) await giveUpPending(tx, before.id)
  return before.id
}

const disabled = (ctx: Context) => ({ disabledAt: ctx.clock(), disabledReason: 'administrator' })
