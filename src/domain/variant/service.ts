import { mapKeys, toSnake } from '../../platform/case.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Prisma, Variant } from '../../platform/db/generated/client/client.ts'
import type { VariantType } from '../../platform/db/generated/client/enums.ts'
import { lockClasses } from '../../platform/db/locks.ts'
import type { Query } from '../../platform/db/query/reader.ts'
import { AppError, notFound, violates } from '../../platform/errors.ts'
import { contains, createdWithin, newestFirst } from '../../platform/schema/conditions.ts'
import { parse } from '../../platform/schema/parse.ts'
import type { PageInput } from '../../platform/schema/rules.ts'
import { readScope } from '../access/viewer.ts'
import type { VariantFilter } from './record.ts'
import { variantType } from './types/index.ts'

/** Organization-wide variants. */
export const organizationVariantWhere = (organizationId: string): Prisma.VariantWhereInput => ({
  organizationId,
  trackId: null,
  deletedAt: null,
})

const matchingVariants = (ctx: Context, { type, search, ...filter }: VariantFilter): Prisma.VariantWhereInput => ({
  AND: [
    organizationVariantWhere(readScope(ctx).organizationId),
    createdWithin(filter),
    contains(['index'], search),
    { type: type && { in: type } },
  ],
})

/** Locks variants against change and deletion until the transaction ends, and returns those that still match. */
export async function lockVariants(tx: Transaction, where: Prisma.VariantWhereInput): Promise<Variant[]> {
  const lockedVariants = await tx.variant.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } })
  const ids = lockedVariants.map(({ id }) => id)
  await tx.$queryRaw`SELECT id FROM variant WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR SHARE`
  // Another transaction may have changed them before the lock was granted.
  return tx.variant.findMany({ where: { AND: [where, { id: { in: ids }, deletedAt: null }] } })
}

/** @param query the part of the list, its order and the columns to read */
export const findVariants = (ctx: Context, filter: VariantFilter, query: Query<'Variant'>) =>
  ctx.lists.readMany('Variant', { ...query, where: matchingVariants(ctx, filter) }, ctx.signal)

export const countVariants = (ctx: Context, filter: VariantFilter) =>
  ctx.lists.count('Variant', matchingVariants(ctx, filter), ctx.signal)

/**
 * Lists the organization-wide variants, newest first.
 * @returns a page, and the number of all variants
 */
export async function listVariants(ctx: Context, { limit: take, offset: skip }: PageInput) {
  const [variants, count] = await Promise.all([
    findVariants(ctx, {}, { take, skip, orderBy: newestFirst }),
    countVariants(ctx, {}),
  ])
  return { variants, count }
}

/** @throws AppError `not_found`, also for the variant of a single track */
export async function getVariant(ctx: Context, id: string, query: Query<'Variant'> = {}) {
  const where = { ...organizationVariantWhere(readScope(ctx).organizationId), id }
  const variant = await ctx.reader.readFirst('Variant', { ...query, where }, ctx.signal)
  if (!variant) throw notFound('variantId')
  return variant
}

/**
 * Validates the parameters of a type and fills in the defaults.
 * @param suppliedProps in camelCase or snake_case. Parameters of other types are ignored
 * @returns in snake_case, as the specification shows `props`
 * @throws AppError `invalid_input`
 */
export function resolveProps(type: VariantType, suppliedProps: object): Record<string, unknown> {
  return parse(variantType(type).props, mapKeys(suppliedProps, toSnake)) as Record<string, unknown>
}

/**
 * Validates the parameters of a variant of a single track and fills in the defaults.
 * @throws AppError `invalid_input`
 */
export function resolveTrackProps(type: VariantType, suppliedProps: object): Record<string, unknown> {
  const { trackRules, props } = variantType(type)
  return parse(trackRules?.props ?? props, mapKeys(suppliedProps, toSnake)) as Record<string, unknown>
}

export interface NewVariant {
  organizationId: string
  trackId: string | null
  type: VariantType
  index: string
  props: Record<string, unknown>
}

/**
 * Creates a variant.
 * @throws AppError `index_taken` when an organization-wide variant, or one of the same track, has the index in any case
 */
export async function insertVariant(tx: Transaction, variant: NewVariant) {
  await lockIndex(tx, variant.organizationId, variant.index)
  const data = { ...variant, props: variant.props as Prisma.InputJsonObject }
  const created = await tx.variant.create({ data }).catch(rethrowTakenIndex)
  await refuseReservedIndex(tx, created)
  return created
}

/**
 * Lets one transaction at a time write an index. An exclusion constraint alone lets two of them wait for each other:
 * both rows are in its index before either is checked.
 */
export async function lockIndex(tx: Transaction, organizationId: string, index: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${lockClasses.variantIndex}::int,
    hashtext(${organizationId} || lower(${index} COLLATE "C")))`
}

/** Turns a violation of the constraint over all indexes into `index_taken`. */
export function rethrowTakenIndex(error: unknown): never {
  if (!violates(error, 'variant_index_taken')) throw error
  throw indexTaken('is already the index of another variant of this organization or track', error)
}

const indexTaken = (rule: string, cause?: unknown) =>
  new AppError('index_taken', '', { fields: [{ field: 'index', rule }], cause })

/**
 * Refuses an index that is part of the URLs of files of a renamed variant, so that a URL never serves the file of
 * another variant. Call it after the index was written: a variant that had the index before has then committed.
 * @throws AppError `index_taken`
 */
export async function refuseReservedIndex(
  tx: Transaction,
  { id, organizationId, trackId, index }: Variant,
): Promise<void> {
  const [renamed] = await tx.$queryRaw<{ index: string }[]>`
    SELECT v.index FROM variant v
    JOIN track_file f ON f.variant_id = v.id AND lower(f.index COLLATE "C") = lower(${index} COLLATE "C")
    JOIN track t ON t.id = f.track_id AND t.deleted_at IS NULL AND t.replaces_id IS NULL
    WHERE v.organization_id = ${organizationId}::uuid AND v.track_id IS NULL AND v.deleted_at IS NULL
      AND v.id <> ${id}::uuid AND (${trackId}::uuid IS NULL OR f.track_id = ${trackId}::uuid)
    LIMIT 1`
  if (renamed) throw indexTaken(`is in use by files of the variant ${renamed.index} until that is applied`)
}
