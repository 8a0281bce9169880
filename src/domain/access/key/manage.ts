import type { Context, Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { ApiKey, Prisma } from '../../../platform/db/generated/client/client.ts'
import type { Query } from '../../../platform/db/query/reader.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { contains } from '../../../platform/schema/conditions.ts'
import { parse } from '../../../platform/schema/parse.ts'
import { mayCreateKeys, organizationScope, personScope } from '../viewer.ts'
import { type KeyFilter, keyId } from './record.ts'

/** @param query the part of the list, its order and the columns to read */
export const findKeys = (ctx: Context, filter: KeyFilter, query: Query<'ApiKey'>) =>
  ctx.reader.readMany('ApiKey', { ...query, where: matchingKeys(ctx, filter) }, ctx.signal)

export const countKeys = (ctx: Context, filter: KeyFilter) =>
  ctx.reader.count('ApiKey', matchingKeys(ctx, filter), ctx.signal)

function matchingKeys(ctx: Context, { kinds, isRevoked, search, ...columns }: KeyFilter): Prisma.ApiKeyWhereInput {
  const scope = readableKeys(ctx)
  if (columns.kind === 'api' || kinds?.includes('api')) refuseApiKeys(ctx)
  const revoked = isRevoked === undefined ? {} : { revokedAt: isRevoked ? { not: null } : null }
  return { AND: [scope, { ...columns, ...revoked }, kinds ? { kind: { in: kinds } } : {}, contains(['title'], search)] }
}

/** @throws AppError `not_found`; `forbidden` if an api key reads another api key */
export async function getKey(ctx: Context, id: string, query: Query<'ApiKey'> = {}): Promise<ApiKey> {
  const { organizationId } = readableKeys(ctx)
  const where = { id, organizationId }
  const revokedKey = await ctx.db.apiKey.findFirst({ where, select: { kind: true } })
  if (revokedKey?.kind === 'api') refuseApiKeys(ctx)
  const key = revokedKey && (await ctx.reader.readFirst('ApiKey', { ...query, where }, ctx.signal))
  if (!key) throw notFound('keyId')
  return key
}

/**
 * Returns a share key itself, for viewers who may create one. Null for any other kind, and for a key that cannot be
 * decrypted: it was created by an earlier release, or restored without the root secret that it was encrypted with.
 * @see contract, section 2
 */
export function readShareKey(ctx: Context, { kind, sealedKey }: Pick<ApiKey, 'kind' | 'sealedKey'>): string | null {
  if (kind !== 'share' || sealedKey === null || !mayCreateKeys(ctx)) return null
  try {
    return ctx.signing.unseal(sealedKey)
  } catch {
    // A list is shown without it.
    return null
  }
}

type ListenerKey = Pick<ApiKey, 'kind' | 'sealedKey' | 'trackId' | 'collectionId'>

/** Returns the address of the page that a share key opens. Null for a key without a track or a collection. */
export function readPageUrl(ctx: Context, { trackId, collectionId, ...key }: ListenerKey): string | null {
  const shareKey = readShareKey(ctx, key)
  const id = trackId ?? collectionId
  if (!shareKey || !id) return null
  return `${ctx.config.publicUrl}/s/${sharePath(trackId ? 'track' : 'collection', id, shareKey)}`
}

/** Part of the paths of share links. */
export const sharePath = (kind: 'track' | 'collection', id: string, shareKey: string) =>
  `${kind === 'track' ? '' : 'collection/'}${id}/${shareKey}`

/**
 * Revokes a key with effect from the next request. Revoking it again changes nothing.
 * @throws AppError `not_found`; `forbidden` if an api key revokes another api key
 */
export async function revokeKey(ctx: Context, id: string): Promise<ApiKey> {
  organizationScope(ctx)
  const key = await getKey(ctx, id)
  return setRevoked(ctx, key.id)
}

/**
 * Revokes any key. For operators: no viewer is checked.
 * @param rawId as the operator typed it
 * @throws AppError `not_found`, `invalid_input`
 */
export async function revokeAnyKey(services: Services, rawId: string): Promise<ApiKey> {
  const { keyId: id } = parse(keyId, { keyId: rawId })
  if (!(await services.db.apiKey.findUnique({ where: { id }, select: { id: true } }))) throw notFound('keyId')
  return setRevoked(services, id)
}

/** Lets the keys that are limited to a track open it in another collection. */
export async function moveKeysOfTrack(tx: Transaction, trackId: string, collectionId: string): Promise<void> {
  await tx.apiKey.updateMany({ where: { trackId, collectionId: { not: null } }, data: { collectionId } })
}

async function setRevoked({ db, clock }: Pick<Services, 'db' | 'clock'>, id: string): Promise<ApiKey> {
  await db.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: clock() } })
  return db.apiKey.findUniqueOrThrow({ where: { id } })
}

/**
 * The keys that a viewer may see (contract, section 2). An administrator sees all keys of the organization; an api key
 * without a scope sees the kinds that it may create.
 */
export function readableKeys(ctx: Context): { organizationId: string; kind?: Prisma.EnumKeyKindFilter } {
  if (ctx.viewer?.type === 'key') {
    const { organizationId } = organizationScope(ctx)
    return { organizationId, kind: { not: 'api' } }
  }
  return { organizationId: personScope(ctx).organizationId }
}

function refuseApiKeys(ctx: Context): void {
  if (ctx.viewer?.type === 'key') throw new AppError('forbidden', 'Only an administrator may see or revoke api keys.')
}
