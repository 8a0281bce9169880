import type { z } from 'zod'
import type { Context, Services } from '../../../platform/context.ts'
import type { ApiKey, Prisma } from '../../../platform/db/generated/client/client.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { contains, parse } from '../../../platform/schema/input.ts'
import { administratorScope, organizationScope, personScope } from '../viewer.ts'
import { keyFilter, keyId } from './schema.ts'

/** What narrows a list of keys. */
export type KeyFilter = z.input<typeof keyFilter>

/** The keys that match. `query` says which part of the list, in which order, and what of each. */
export const findKeys = (ctx: Context, filter: KeyFilter, query: Query<'ApiKey'>) =>
  ctx.reader.readMany('ApiKey', { ...query, where: matching(ctx, filter) }, ctx.signal)

export const countKeys = (ctx: Context, filter: KeyFilter) =>
  ctx.reader.count('ApiKey', matching(ctx, filter), ctx.signal)

function matching(ctx: Context, raw: KeyFilter): Prisma.ApiKeyWhereInput {
  const scope = readableKeys(ctx)
  const { kind, isRevoked, search } = parse(keyFilter, raw, 'filter')
  if (kind === 'api') refuseApiKeys(ctx)
  return {
    AND: [
      scope,
      {
        kind,
        ...(isRevoked !== undefined && { revokedAt: isRevoked ? { not: null } : null }),
        ...contains(['title'], search),
      },
    ],
  }
}

/** @throws AppError `not_found`, `forbidden` for an api key that another api key asks for */
export async function getKey(ctx: Context, id: string, query: Query<'ApiKey'> = {}): Promise<ApiKey> {
  const { organizationId } = readableKeys(ctx)
  const parsed = parse(keyId, { keyId: id }).keyId
  const where = { id: parsed, organizationId }
  const known = await ctx.db.apiKey.findFirst({ where, select: { kind: true } })
  if (known?.kind === 'api') refuseApiKeys(ctx)
  const key = known && (await ctx.reader.readFirst('ApiKey', { ...query, where }, ctx.signal))
  if (!key) throw notFound('keyId')
  return key
}

/**
 * Ends a key: nothing of it is cached, so it is refused from now on. Ending it again changes nothing.
 * @throws AppError `not_found`, `forbidden` for an api key that another api key would end
 */
export async function revokeKey(ctx: Context, id: string): Promise<ApiKey> {
  if (ctx.viewer?.type === 'administrator') administratorScope(ctx)
  const { id: known } = await getKey(ctx, id)
  return revokeKnown(ctx, known)
}

/**
 * Ends any key. For operators: no viewer is checked.
 * @throws AppError `not_found`, `invalid_input`
 */
export async function revokeAnyKey(services: Services, rawId: string): Promise<ApiKey> {
  const { keyId: id } = parse(keyId, { keyId: rawId })
  if (!(await services.db.apiKey.findUnique({ where: { id }, select: { id: true } }))) throw notFound('keyId')
  return revokeKnown(services, id)
}

async function revokeKnown({ db, clock }: Pick<Services, 'db' | 'clock'>, id: string): Promise<ApiKey> {
  await db.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: clock() } })
  return db.apiKey.findUniqueOrThrow({ where: { id } })
}

/**
 * Keys that a viewer may see: an administrator all of the organization; an api key without a scope those that it
 * could make (contract, section 2): none of its own kind.
 */
function readableKeys(ctx: Context): { organizationId: string; kind?: Prisma.EnumKeyKindFilter } {
  if (ctx.viewer?.type === 'key') {
    const { organizationId } = organizationScope(ctx)
    return { organizationId, kind: { not: 'api' } }
  }
  return { organizationId: personScope(ctx).organizationId }
}

function refuseApiKeys(ctx: Context): void {
  if (ctx.viewer?.type === 'key') throw new AppError('forbidden', 'Only an administrator may see or revoke api keys.')
}
