import type { Context, Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { ApiKey, Prisma } from '../../../platform/db/generated/client/client.ts'
import type { KeyKind } from '../../../platform/db/generated/client/enums.ts'
import { AppError, invalidInput, notFound } from '../../../platform/errors.ts'
import { parse } from '../../../platform/schema/input.ts'
import { administratorScope, organizationScope } from '../viewer.ts'
import { createKeyString } from './key.ts'
import { createApiKeyInput, createKeyInput, keyTypeInput } from './schema.ts'
import { findNamedVariants } from './variants.ts'

/** A new key: the string itself is known only now. */
export interface NewKey {
  key: string
  record: ApiKey
}

type KeyData = Omit<Prisma.ApiKeyUncheckedCreateInput, 'hash' | 'organizationId' | 'kind'>

async function insertKey(tx: Transaction, organizationId: string, kind: KeyKind, data: KeyData): Promise<NewKey> {
  const { key, hash } = createKeyString(organizationId, kind)
  return { key, record: await tx.apiKey.create({ data: { ...data, organizationId, kind, hash } }) }
}

/** Makes a key that speaks for the organization, whole or within a collection or creator. Administrators only. */
export async function createApiKey(ctx: Context, raw: unknown): Promise<NewKey> {
  const { organizationId } = administratorScope(ctx)
  const input = parse(createApiKeyInput, raw)
  checkFuture(ctx, input.expiresAt)
  return ctx.db.$transaction(async (tx) => {
    await checkReferences(tx, organizationId, input)
    return insertKey(tx, organizationId, 'api', input)
  })
}

/**
 * Makes a key for uploading, playing or sharing.
 * @param raw title, apiKeyTypeId, collectionId, trackId, creatorId, variants (indexes or ids), isDownloadable, expiresAt
 * @throws AppError `forbidden` for any other kind; `not_found`, `invalid_input`
 * @see contract, section 2
 */
export async function createKey(ctx: Context, raw: unknown): Promise<NewKey> {
  const { organizationId } = organizationScope(ctx)
  if (!['uploader', 'player', 'share'].includes(parse(keyTypeInput, raw).apiKeyTypeId)) {
    const rule = 'must be one of player, uploader, share; others are made by an administrator'
    throw new AppError('forbidden', '', { fields: [{ field: 'apiKeyTypeId', rule }] })
  }
  const { apiKeyTypeId: kind, variants, ...input } = parse(createKeyInput, raw)
  checkFuture(ctx, input.expiresAt)
  return ctx.db.$transaction(async (tx) => {
    await checkReferences(tx, organizationId, input)
    const found = await findNamedVariants(tx, { organizationId, trackId: input.trackId }, variants)
    const choice = kind === 'share' ? { variantId: found[0]?.id } : { variants: found.map(({ index }) => index) }
    return insertKey(tx, organizationId, kind, { ...input, ...choice })
  })
}

function checkFuture(ctx: Context, expiresAt: Date | null | undefined): void {
  if (expiresAt && expiresAt <= ctx.clock()) throw invalidInput('expiresAt', 'must lie in the future')
}

interface References {
  collectionId?: string | null
  trackId?: string | null
  creatorId?: string | null
}

async function checkReferences(tx: Transaction, organizationId: string, refs: References): Promise<void> {
  const own = { organizationId, deletedAt: null }
  const { collectionId, trackId, creatorId } = refs
  if (collectionId && !(await tx.collection.findFirst({ where: { ...own, id: collectionId } }))) {
    throw notFound('collectionId')
  }
  if (trackId && !(await tx.track.findFirst({ where: { ...own, id: trackId, collectionId: collectionId ?? '' } }))) {
    throw notFound('trackId')
  }
  if (creatorId && !(await tx.creator.findFirst({ where: { ...own, id: creatorId } }))) throw notFound('creatorId')
}

/** For operators and the first start: no viewer is asked. */
export const issueKey = (services: Services, organizationId: string, kind: KeyKind, data: KeyData) =>
  insertKey(services.db, organizationId, kind, data)
