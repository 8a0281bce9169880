import { randomBytes } from 'node:crypto'
import type { Context, Services } from '../../platform/context.ts'
import type { Query } from '../../platform/db/read/reader.ts'
import { notFound } from '../../platform/errors.ts'
import { parse } from '../../platform/input.ts'
import { organizationScope, readScope } from '../access/viewer.ts'
import { organizationId, updateOrganizationInput } from './schema.ts'

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
  const scope = organizationScope(ctx)
  const parsedId = parse(organizationId, { organizationId: id }).organizationId
  if (parsedId !== scope.organizationId) throw notFound('organizationId')
  const data = parse(updateOrganizationInput, raw)
  return ctx.db.organization.update({ where: { id: parsedId }, data })
}

/** Address that an organization's events go to, or null; set in the dashboard only. */
export async function webhookUrlOf(services: Services, id: string): Promise<string | null> {
  const endpoint = await services.db.webhookEndpoint.findFirst({
    where: { organizationId: id },
    orderBy: { createdAt: 'asc' },
    select: { url: true },
  })
  return endpoint?.url ?? null
}

/**
 * Makes a new tenant. For operators: no viewer is asked.
 * @param domain host and port that delivers its files; this service's own edge where none is given
 */
export async function createOrganization(services: Services, name: string, domain?: string) {
  return services.db.organization.create({
    data: {
      name,
      domain: domain ?? new URL(services.config.edgeUrl).host,
      signingSecrets: [randomBytes(32).toString('base64url')],
    },
  })
}
