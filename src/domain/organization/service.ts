import { randomBytes } from 'node:crypto'
import type { Context, Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Query } from '../../platform/db/query/reader.ts'
import { notFound } from '../../platform/errors.ts'
import { parse } from '../../platform/schema/input.ts'
import { administratorScope, organizationScope, readScope, type Scope } from '../access/viewer.ts'
import { createOrganizationInput, organizationId, updateDomainInput, updateOrganizationInput } from './schema.ts'

/**
 * The viewer's own organization; any other is not found, and so is it for a key with a narrower scope.
 * @throws AppError `not_found`
 */
export async function getOrganization(ctx: Context, id: string, query: Query<'Organization'> = {}) {
  const scope = readScope(ctx)
  const parsedId = parse(organizationId, { organizationId: id }).organizationId
  if (parsedId !== scope.organizationId || scope.collectionId || scope.creatorId) throw notFound('organizationId')
  const organization = await ctx.reader.readFirst('Organization', { ...query, where: { id: parsedId } }, ctx.signal)
  if (!organization) throw notFound('organizationId')
  return organization
}

/** Changes the fields that are present; derived and read-only ones are ignored. */
export async function updateOrganization(ctx: Context, id: string, raw: unknown) {
  const parsedId = ownOrganizationId(organizationScope(ctx), id)
  const data = parse(updateOrganizationInput, raw)
  return ctx.db.organization.update({ where: { id: parsedId }, data })
}

/**
 * Changes the host that delivers the organization's files: addresses made from now on name it. Owners and admins.
 * @param domain host, and port where it has one
 */
export async function updateOrganizationDomain(ctx: Context, id: string, domain: string) {
  const parsedId = ownOrganizationId(administratorScope(ctx), id)
  const data = { ...parse(updateDomainInput, { domain }), isDomainDefault: false }
  return ctx.db.organization.update({ where: { id: parsedId }, data })
}

/** The id of the viewer's own organization, where it was given as such. */
export function ownOrganizationId(scope: Scope, id: string): string {
  const parsed = parse(organizationId, { organizationId: id }).organizationId
  if (parsed !== scope.organizationId) throw notFound('organizationId')
  return parsed
}

/**
 * One change of an organization's settings after the other, until the transaction ends. New records of the
 * organization, which hold a weaker lock, do not have to wait.
 */
export async function lockOrganization(tx: Transaction, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM organization WHERE id = ${id}::uuid FOR NO KEY UPDATE`
}

/** Address that an organization's events go to, or null; set in the dashboard only. */
export async function webhookUrlOf(services: Services, id: string): Promise<string | null> {
  const endpoint = await services.db.webhookEndpoint.findFirst({
    where: { organizationId: id },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { url: true },
  })
  return endpoint?.url ?? null
}

/**
 * Creates a tenant. For operators: no viewer is checked.
 * @param domain host and port that deliver its files. Defaults to the edge of this service
 * @throws AppError `invalid_input`
 */
export async function createOrganization(services: Services, name: string, domain?: string) {
  const input = parse(createOrganizationInput, { name, domain })
  return services.db.organization.create({
    data: {
      name: input.name,
      domain: input.domain ?? (await defaultDomain(services)),
      isDomainDefault: input.domain === undefined,
      signingSecrets: [randomBytes(32).toString('base64url')],
    },
  })
}

/** An operator's command has its own environment: the edge of a running service with an embedded database counts. */
async function defaultDomain({ db, config }: Services): Promise<string> {
  const other = config.isEmbedded
    ? await db.organization.findFirst({ where: { isDomainDefault: true }, select: { domain: true } })
    : null
  return other?.domain ?? new URL(config.edgeUrl).host
}

/**
 * Gives the organizations whose domain nobody has set the edge of this service as their domain.
 * @returns how many have changed
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
 * Organizations, oldest first. For operators: no viewer is checked.
 * @param after id of the last organization of the page before
 */
export const listOrganizations = ({ db }: Services, after?: string) =>
  db.organization.findMany({
    where: after === undefined ? {} : { id: { gt: parse(organizationId, { organizationId: after }).organizationId } },
    orderBy: { id: 'asc' },
    take: MAX_LISTED,
  })

const MAX_LISTED = 10_000
