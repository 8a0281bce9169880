import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Prisma, Variant } from '../../platform/db/generated/client/client.ts'
import type { VariantType } from '../../platform/db/generated/client/enums.ts'
import type { Query } from '../../platform/db/query/reader.ts'
import { AppError, notFound, violates } from '../../platform/errors.ts'
import { mapKeys, toSnake } from '../../platform/schema/case.ts'
import { contains, createdWithin, newestFirst, parse } from '../../platform/schema/input.ts'
import { readScope } from '../access/viewer.ts'
import { listVariantsInput, variantFilter, variantId } from './schema.ts'
import { variantType } from './types/index.ts'

/** Organization-wide variants; those of single tracks are the track's. */
export const organizationVariantWhere = (organizationId: string): Prisma.VariantWhereInput => ({
  organizationId,
  trackId: null,
  deletedAt: null,
})

/** Organization-wide variants that a client's filter lets through. */
export function matchingVariants(organizationId: string, rawFilter: unknown): Prisma.VariantWhereInput {
  const { type, search, ...filter } = parse(variantFilter, rawFilter, 'filter')
  return {
    AND: [
      organizationVariantWhere(organizationId),
      createdWithin(filter),
      contains(['index'], search),
      { type: type && { in: type } },
    ],
  }
}

/** Variants as they are, kept from being changed or deleted until the transaction ends. */
export async function lockVariants(tx: Transaction, where: Prisma.VariantWhereInput): Promise<Variant[]> {
  const found = await tx.variant.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } })
  const ids = found.map(({ id }) => id)
  await tx.$queryRaw`SELECT id FROM variant WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR SHARE`
  // Read anew: whoever held one of them may have changed it.
  return tx.variant.findMany({ where: { AND: [where, { id: { in: ids }, deletedAt: null }] } })
}

/** The organization-wide variants that match. `query` says which part of the list, in which order, and what of each. */
export const findVariants = (ctx: Context, filter: unknown, query: Query<'Variant'>) =>
  ctx.reader.readMany(
    'Variant',
    { ...query, where: matchingVariants(readScope(ctx).organizationId, filter) },
    ctx.signal,
  )

export const countVariants = (ctx: Context, filter: unknown) =>
  ctx.reader.count('Variant', matchingVariants(readScope(ctx).organizationId, filter), ctx.signal)

/** A page of the organization-wide variants, newest first, and the number of all. */
export async function listVariants(ctx: Context, raw: unknown) {
  const { limit: take, offset: skip } = parse(listVariantsInput, raw)
  const [variants, count] = await Promise.all([
    findVariants(ctx, {}, { take, skip, orderBy: newestFirst }),
    countVariants(ctx, {}),
  ])
  return { variants, count }
}

/** @throws AppError `not_found`, also for the variant of a single track */
export async function getVariant(ctx: Context, id: string, query: Query<'Variant'> = {}) {
  const where = {
    ...organizationVariantWhere(readScope(ctx).organizationId),
    id: parse(variantId, { variantId: id }).variantId,
  }
  const variant = await ctx.reader.readFirst('Variant', { ...query, where }, ctx.signal)
  if (!variant) throw notFound('variantId')
  return variant
}

/**
 * Checks a recipe's parameters and fills in the defaults.
 * @param raw in camelCase or snake_case; fields of other kinds are ignored
 * @returns in snake_case, as the specification's `props` echoes them
 * @throws AppError `invalid_input`
 */
export function resolveProps(type: VariantType, raw: object): Record<string, unknown> {
  return parse(variantType(type).props, mapKeys(raw, toSnake)) as Record<string, unknown>
}

export interface NewVariant {
  organizationId: string
  trackId: string | null
  type: VariantType
  index: string
  props: Record<string, unknown>
}

/**
 * Writes a variant.
 * @throws AppError `index_taken` when an organization-wide variant, or one of the same track, has the index in any case
 */
export async function insertVariant(tx: Transaction, variant: NewVariant) {
  const data = { ...variant, props: variant.props as Prisma.InputJsonObject }
  const made = await tx.variant.create({ data }).catch(refuseTaken)
  await refuseHeldIndex(tx, made)
  return made
}

/** Says in the client's words that the constraint over all names refused one. */
export function refuseTaken(error: unknown): never {
  if (!violates(error, 'variant_index_taken')) throw error
  throw indexTaken('is already the index of another variant of this organization or track', error)
}

const indexTaken = (rule: string, cause?: unknown) =>
  new AppError('index_taken', '', { fields: [{ field: 'index', rule }], cause })

/**
 * Refuses an index that is free, but still names files of a variant that was renamed: an address never leads to
 * another variant's file. To be called when the name is written: whoever had it before has committed by then.
 */
export async function refuseHeldIndex(tx: Transaction, { id, organizationId, trackId, index }: Variant): Promise<void> {
  const held = await tx.$queryRaw<{ index: string }[]>`
    SELECT v.index FROM variant v
    JOIN track_file f ON f.variant_id = v.id AND lower(f.index COLLATE "C") = lower(${index} COLLATE "C")
    JOIN track t ON t.id = f.track_id AND t.deleted_at IS NULL
    WHERE v.organization_id = ${organizationId}::uuid AND v.track_id IS NULL AND v.deleted_at IS NULL
      AND v.id <> ${id}::uuid AND (${trackId}::uuid IS NULL OR f.track_id = ${trackId}::uuid)
    LIMIT 1`
  if (held[0]) throw indexTaken(`still names files of the variant ${held[0].index}, until that is applied`)
}
