import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../platform/context.ts'
import type { Prisma, Variant } from '../../platform/db/generated/client/client.ts'
import type { VariantType } from '../../platform/db/generated/client/enums.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { enqueue } from '../../platform/jobs/task.ts'
import { mapKeys, toCamel, toSnake } from '../../platform/schema/case.ts'
import { parse } from '../../platform/schema/input.ts'
import { administratorScope } from '../access/viewer.ts'
import { clearVariant, updateVariantInput, variantId } from './schema.ts'
import { organizationVariantWhere, refuseHeldIndex, refuseTaken, resolveProps } from './service.ts'

/**
 * Checks the parameters of an organization-wide variant and fills in the defaults. What the kind has no use for is
 * refused: a person who sets it expects that it does something.
 * @param given in camelCase
 * @throws AppError `invalid_input` with every field that is wrong
 */
export function exactProps(type: VariantType, given: object): Record<string, unknown> {
  const props = resolveProps(type, given)
  const unknown = Object.keys(given).filter((name) => !(toSnake(name) in props))
  if (unknown.length > 0) {
    const rule = `is no parameter of a variant of type ${type} like this one`
    throw new AppError('invalid_input', '', { fields: unknown.map((field) => ({ field, rule })) })
  }
  return props
}

/**
 * Changes an organization-wide variant. Files that exist stay as they are and where they are until it is applied.
 * @param raw only what is present changes; null puts a parameter back to its default
 * @throws AppError `not_found`, `invalid_input`, `index_taken`
 */
export async function updateVariant(ctx: Context, id: string, raw: object): Promise<Variant> {
  const { organizationId } = administratorScope(ctx)
  const where = { ...organizationVariantWhere(organizationId), id: parse(variantId, { variantId: id }).variantId }
  const { index: given, ...parameters } = raw as Record<string, unknown>
  const { index } = parse(updateVariantInput, { index: given ?? undefined })
  return ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM variant WHERE id = ${where.id}::uuid FOR NO KEY UPDATE`
    const variant = await tx.variant.findFirst({ where })
    if (!variant) throw notFound('variantId')
    const props = changedProps(variant, parameters)
    const isSame = isDeepStrictEqual(props, variant.props) && (index ?? variant.index) === variant.index
    if (isSame) return variant
    const data = { index, props: props as Prisma.InputJsonObject }
    const changed = await tx.variant.update({ where: { id: where.id }, data }).catch(refuseTaken)
    if (changed.index !== variant.index) await refuseHeldIndex(tx, changed)
    return changed
  })
}

/** Bounds of the length of a preview; which of them apply depends on how the length is measured. */
const lengthFields = ['Seconds', 'MinSeconds', 'MaxSeconds', 'Percent', 'MinPercent', 'MaxPercent']

function changedProps({ type, props }: Variant, parameters: Record<string, unknown>) {
  const before = mapKeys(props, toCamel) as Record<string, unknown>
  const isMeasuredAnew = (parameters.previewType ?? before.previewType) !== before.previewType
  const kept = Object.entries(before).filter(
    ([name]) => !(isMeasuredAnew && lengthFields.some((field) => name === `preview${field}`)),
  )
  const changed = Object.entries({ ...Object.fromEntries(kept), ...parameters })
  return exactProps(type, Object.fromEntries(changed.filter(([, value]) => value !== null && value !== undefined)))
}

/**
 * Soft-deletes an organization-wide variant: from now on its files are neither shown nor delivered, its share keys open
 * nothing, and its index is free. A job removes the files, and their bytes after the grace period.
 * @throws AppError `not_found`
 */
export async function deleteVariant(ctx: Context, id: string): Promise<Variant> {
  const { organizationId } = administratorScope(ctx)
  const where = { ...organizationVariantWhere(organizationId), id: parse(variantId, { variantId: id }).variantId }
  return ctx.db.$transaction(async (tx) => {
    const { count } = await tx.variant.updateMany({ where, data: { deletedAt: ctx.clock() } })
    if (count === 0) throw notFound('variantId')
    await enqueue(tx, clearVariant, { variantId: where.id }, { jobKey: `clear_variant:${where.id}` })
    return tx.variant.findUniqueOrThrow({ where: { id: where.id } })
  })
}
