import { mapKeys, toSnake } from '../../platform/case.ts'
import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Prisma } from '../../platform/db/generated/client/client.ts'
import type { VariantType } from '../../platform/db/generated/client/enums.ts'
import { AppError, notFound, violates } from '../../platform/errors.ts'
import { newestFirst, parse } from '../../platform/input.ts'
import { readScope } from '../access/viewer.ts'
import { listVariantsInput, variantId } from './schema.ts'
import { variantType } from './types/index.ts'

type VariantQuery = Pick<Prisma.VariantFindManyArgs, 'include' | 'select'>

/** Organization-wide variants; those of single tracks are the track's. */
export const organizationVariantWhere = (organizationId: string): Prisma.VariantWhereInput => ({
  organizationId,
  trackId: null,
  deletedAt: null,
})

const matching = (ctx: Context) => organizationVariantWhere(readScope(ctx).organizationId)

/** The organization-wide variants, newest first. `query` says which part of the list, and what of each. */
export const findVariants = (ctx: Context, query: Prisma.VariantFindManyArgs) =>
  ctx.db.variant.findMany({ ...query, where: matching(ctx), orderBy: newestFirst })

export const countVariants = (ctx: Context) => ctx.db.variant.count({ where: matching(ctx) })

/** A page of the organization-wide variants, newest first, and the number of all. */
export async function listVariants(ctx: Context, raw: unknown) {
  const { limit: take, offset: skip } = parse(listVariantsInput, raw)
  const [variants, count] = await Promise.all([findVariants(ctx, { take, skip }), countVariants(ctx)])
  return { variants, count }
}

/** @throws AppError `not_found`, also for the variant of a single track */
export async function getVariant(ctx: Context, id: string, query: VariantQuery = {}) {
  const where = {
    ...matching(ctx),
    id: parse(variantId, { variantId: id }).variantId,
  }
  const variant = await ctx.db.variant.findFirst({ ...query, where })
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
 * @throws AppError `index_taken` when an organization-wide variant, or one of the same track, has the index
 */
export async function insertVariant(tx: Transaction, variant: NewVariant) {
  try {
    return await tx.variant.create({ data: { ...variant, props: variant.props as Prisma.InputJsonObject } })
  } catch (error) {
    if (!violates(error, 'variant_index_taken')) throw error
    const rule = 'is already the index of another variant of this organization or track'
    throw new AppError('index_taken', '', { fields: [{ field: 'index', rule }], cause: error })
  }
}
