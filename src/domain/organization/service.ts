import { randomBytes } from 'node:crypto'
import type { Context, Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Query } from '../../platform/db/query/reader.ts'
import { notFound } from '../../platform/errors.ts'
import { parse } from '../../platform/schema/parse.ts'
import { administratorScope, organizationScope, readScope, type Scope } from '../access/viewer.ts'
import { sealSecret } from '../delivery/secret.ts'
import { checkOrigin, checkPublic } from './domain.ts'
import { createOrganizationInput, type UpdateOrganization } from './record.ts'

/**
 * Returns the viewer's organization.
 * @throws AppError `not_found` for any other one, and for a key with a narrower scope
 */
export async function getOrganization(ctx: Context, id: string, query: Query<'Organization'> = {}) {
  const scope = readScope(ctx)
  checkOwn(scope, id)
  if (scope.collectionId || scope.creatorId) throw notFound('organizationId')
  const organization = await ctx.reader.readFirst('Organization', { ...query, where: { id } }, ctx.signal)
  if (!organization) throw notFound('organizationId')
  return organization
}

/** @throws AppError `not_found`, `forbidden` */
export async function updateOrganization(ctx: Context, id: string, data: UpdateOrganization) {
  checkOwn(organizationScope(ctx), id)
  return ctx.db.organization.update({ where: { id }, data })
}

/**
 * Changes the host of the delivery addresses that are created from now on. Owners and admins.
 * @param domain host, and port if it is not the default one
 * @throws AppError `not_found`, `forbidden`; `invalid_input` for the host of the API, and for a private one
 */
export async function updateOrganizationDomain(ctx: Context, id: string, domain: string) {
  checkOwn(administratorScope(ctx), id)
  checkOrigin(ctx.config, domain)
  checkPublic(ctx.config, domain)
  return ctx.db.organization.update({ where: { id }, data: { domain, isDomainDefault: false } })
}

/** @throws AppError `not_found` for any organization but the viewer's */
export function checkOwn({ organizationId }: Scope, id: string): void {
  if (id !== organizationId) throw notFound('organizationId')
}

/**
 * Locks an organization until the transaction ends, so that changes of its settings run one after another. New records
 * of the organization take a weaker lock and do not wait.
 */
export async function lockOrganization(tx: Transaction, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM organization WHERE id = ${id}::uuid FOR NO KEY UPDATE`
}

/** Returns the address that receives an organization's events; null without a webhook. */
export async function readWebhookUrl(services: Services, id: string): Promise<string | null> {
  const endpoint = await services.db.webhookEndpoint.findFirst({
    where: { organizationId: id, deletedAt: null },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { url: true },
  })
  return endpoint?.url ?? null
}

/**
 * Creates a tenant. For operators: checks no viewer.
 * @param domain host and port that deliver its files. Defaults to the edge of this service
 * @throws AppError `invalid_input`
 */
export async function createOrganization(services: Services, name: string, domain?: string) {
  const input = parse(createOrganizationInput, { name, domain })
  if (input.domain !== undefined) checkOrigin(services.config, input.domain)
  return services.db.organization.create({
    data: {
      name: input.name,
      domain: input.domain ?? (await defaultDomain(services)),
      isDomainDefault: input.domain === undefined,
      signingSecrets: [sealSecret(services, randomBytes(32).toString('base64url'))],
    },
  })
}

/** An operator's command has its own environment. With an embedded database, the running service's edge applies. */
async function defaultDomain({ db, config }: Services): Promise<string> {
  const other = config.isEmbedded
    ? await db.organization.findFirst({ where: { isDomainDefault: true }, select: { domain: true } })
    : null
  return other?.domain ?? new URL(config.edgeUrl).host
}

/**
 * Sets the domain of all organizations with a default domain to the edge of this service.
 * @returns the number of changed organizations
 */
export async function followEdge({ db, config }: Services): Promise<number> {
  const domain = new URL(config.edgeUrl).host
  const { count } = await db.organization.updateMany({
    where: { isDomainDefault: true, domain: { not: domain } },
    data: { domain },
  })
  return count
}

/**
 * Lists organizations, oldest first. For operators: checks no viewer.
 * @param after ID of the last organization of the previous page
 */
export const listOrganizations = ({ db }: Services, after?: string) =>
  db.organization.findMany({
    where: after === undefined ? {} : { id: { gt: after } },
    orderBy: { id: 'asc' },
    take: MAX_LISTED,
  })

const MAX_LISTED = 10_000
