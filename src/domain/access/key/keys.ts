import type { Context, Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { ApiKey, Prisma } from '../../../platform/db/generated/client/client.ts'
import type { KeyKind } from '../../../platform/db/generated/client/enums.ts'
import { AppError, invalidInput, notFound } from '../../../platform/errors.ts'
import { hashPassword } from '../../../platform/identity/password.ts'
import { administratorScope, organizationScope } from '../viewer.ts'
import { createKeyString } from './key.ts'
import { getKey } from './manage.ts'
import type { CreateApiKey, CreateKey, UpdateShareKey } from './record.ts'
import { findNamedVariants } from './variants.ts'

/** A new key. Its string can be read again only if it is a share key. */
export interface NewKey {
  key: string
  record: ApiKey
}

type KeyData = Omit<Prisma.ApiKeyUncheckedCreateInput, 'hash' | 'sealedKey' | 'organizationId' | 'kind'>
interface KeyOwner {
  organizationId: string
  kind: KeyKind
}

async function insertKey(
  { signing }: Pick<Services, 'signing'>,
  tx: Transaction,
  { organizationId, kind }: KeyOwner,
  data: KeyData,
): Promise<NewKey> {
  const { key, hash } = createKeyString(organizationId, kind)
  const sealedKey = kind === 'share' ? signing.seal(key) : null
  return { key, record: await tx.apiKey.create({ data: { ...data, organizationId, kind, hash, sealedKey } }) }
}

/**
 * Creates a key of kind `api`. Owners and admins only.
 * @throws AppError `not_found`, `invalid_input`
 */
export async function createApiKey(ctx: Context, input: CreateApiKey): Promise<NewKey> {
  const { organizationId } = administratorScope(ctx)
  checkFuture(ctx, input.expiresAt)
  return ctx.db.$transaction(async (tx) => {
    await checkReferences(tx, organizationId, input)
    return insertKey(ctx, tx, { organizationId, kind: 'api' }, input)
  })
}

/**
 * Creates a key for uploading, playing or sharing.
 * @throws AppError `not_found`, `invalid_input`
 * @see contract, section 2
 */
export async function createKey(
  ctx: Context,
  { apiKeyTypeId: kind, variants, password, ...input }: CreateKey,
): Promise<NewKey> {
  const { organizationId } = organizationScope(ctx)
  checkFuture(ctx, input.expiresAt)
  checkCountries(ctx, input.countries)
  const passwordHash = password && (await hashPassword(password))
  return ctx.db.$transaction(async (tx) => {
    await checkReferences(tx, organizationId, input)
    const namedVariants = await findNamedVariants(tx, { organizationId, trackId: input.trackId }, variants)
    const choice =
      kind === 'share' ? { variantId: namedVariants[0]?.id } : { variants: namedVariants.map(({ index }) => index) }
    return insertKey(ctx, tx, { organizationId, kind }, { ...input, ...choice, passwordHash })
  })
}

/**
 * Changes the title and the limits of a share key, with effect from the next request.
 * @throws AppError `not_found`, also for a key of another kind; `expired` for a revoked key; `invalid_input`
 */
export async function updateShareKey(
  ctx: Context,
  id: string,
  { password, ...input }: UpdateShareKey,
): Promise<ApiKey> {
  organizationScope(ctx)
  const { kind } = await getKey(ctx, id)
  if (kind !== 'share') throw notFound('keyId')
  checkFuture(ctx, input.expiresAt)
  checkCountries(ctx, input.countries)
  const passwordHash = password && (await hashPassword(password))
  return ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT FROM api_key WHERE id = ${id}::uuid FOR NO KEY UPDATE`
    const key = await tx.apiKey.findUniqueOrThrow({ where: { id } })
    if (key.revokedAt) throw new AppError('expired', 'The key has been revoked.')
    const { opensAt, expiresAt } = { ...key, ...input }
    if (opensAt && expiresAt && opensAt >= expiresAt) throw invalidInput('opensAt', 'must be before expiresAt')
    if (password && key.isPrivateFeed)
      throw invalidInput('password', 'is not possible for a feed, which podcast apps read')
    return tx.apiKey.update({ where: { id }, data: { ...input, passwordHash } })
  })
}

function checkCountries({ config }: Context, countries: readonly string[] = []): void {
  if (countries.length === 0 || config.countryHeader !== undefined) return
  throw invalidInput('countries', 'is possible only where the operator has set COUNTRY_HEADER')
}

function checkFuture(ctx: Context, expiresAt: Date | null | undefined): void {
  if (expiresAt && expiresAt <= ctx.clock()) throw invalidInput('expiresAt', 'must be in the future')
}

interface References {
  collectionId?: string | null
  trackId?: string | null
  creatorId?: string | null
}

async function checkReferences(tx: Transaction, organizationId: string, refs: References): Promise<void> {
  const undeletedOfOrganization = { organizationId, deletedAt: null }
  const { collectionId, trackId, creatorId } = refs
  if (collectionId) {
    if (!(await tx.collection.findFirst({ where: { ...undeletedOfOrganization, id: collectionId } })))
      throw notFound('collectionId')
    // A track is accepted only together with its collection (record.ts). A track that moves takes the keys along that exist.
    const isFound = !trackId || (await lockTrackIn(tx, { organizationId, collectionId, trackId }))
    if (!isFound) throw notFound('trackId')
  }
  if (creatorId && !(await tx.creator.findFirst({ where: { ...undeletedOfOrganization, id: creatorId } })))
    throw notFound('creatorId')
}

/** Locks a track of a collection until the transaction ends. @returns whether it is there */
async function lockTrackIn(tx: Transaction, of: { organizationId: string; collectionId: string; trackId: string }) {
  const locked = await tx.$queryRaw<unknown[]>`
    SELECT id FROM track WHERE id = ${of.trackId}::uuid AND organization_id = ${of.organizationId}::uuid
      AND collection_id = ${of.collectionId}::uuid AND deleted_at IS NULL AND replaces_id IS NULL FOR SHARE`
  return locked.length > 0
}

/** Creates a key for an operator or at the first start, without a viewer. */
export const issueKey = (services: Services, organizationId: string, kind: KeyKind, data: KeyData) =>
  insertKey(services, services.db, { organizationId, kind }, data)
