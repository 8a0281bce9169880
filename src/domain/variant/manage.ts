import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { mapKeys, toCamel, toSnake } from '../../platform/case.ts'
import type { Context } from '../../platform/context.ts'
import type { Prisma, Variant } from '../../platform/db/generated/client/client.ts'
import type { VariantType } from '../../platform/db/generated/client/enums.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { enqueue, type TaskDefinition } from '../../platform/jobs/task.ts'
import { administratorScope } from '../access/viewer.ts'
import { endOfDeliveries } from '../delivery/known-files.ts'
import { type UpdateVariant, variantId } from './record.ts'
import { lockIndex, organizationVariantWhere, refuseReservedIndex, resolveProps, rethrowTakenIndex } from './service.ts'

/** Deletes the files of a deleted variant. */
export const clearVariant: TaskDefinition<z.infer<typeof variantId>> = {
  name: 'clear_variant',
  payload: variantId,
  maxAttempts: 25,
}

/**
 * Validates the parameters of an organization-wide variant and fills in the defaults. Parameters of other types are
 * refused, because they would have no effect.
 * @param suppliedProps in camelCase
 * @throws AppError `invalid_input` with every invalid field
 */
export function exactProps(type: VariantType, suppliedProps: object): Record<string, unknown> {
  const props = resolveProps(type, suppliedProps)
  const unknown = Object.keys(suppliedProps).filter((name) => !(toSnake(name) in props))
  if (unknown.length > 0) {
    const rule = `is not a parameter of a variant of type ${type} with these parameters`
    throw new AppError('invalid_input', '', { fields: unknown.map((field) => ({ field, rule })) })
  }
  return props
}

/**
 * Changes an organization-wide variant. Existing files stay as they are, at their URLs, until the variant is applied.
 * @throws AppError `not_found`, `invalid_input`, `index_taken`
 */
export async function updateVariant(ctx: Context, id: string, { index, parameters }: UpdateVariant): Promise<Variant> {
  const { organizationId } = administratorScope(ctx)
  return ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM variant WHERE id = ${id}::uuid FOR NO KEY UPDATE`
    const variant = await tx.variant.findFirst({ where: { ...organizationVariantWhere(organizationId), id } })
    if (!variant) throw notFound('variantId')
    const props = changedProps(variant, parameters)
    const isSame = isDeepStrictEqual(props, variant.props) && (index ?? variant.index) === variant.index
    if (isSame) return variant
    if (index !== undefined) await lockIndex(tx, organizationId, index)
    const data = { index, props: props as Prisma.InputJsonObject }
    const changed = await tx.variant.update({ where: { id }, data }).catch(rethrowTakenIndex)
    if (changed.index !== variant.index) await refuseReservedIndex(tx, changed)
    return changed
  })
}

/** The parameters after a change. Earlier parameters that do not apply to the new ones are dropped. */
function changedProps({ type, props }: Variant, parameters: Record<string, unknown>) {
  const suppliedParameters = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const merged = Object.entries({ ...(mapKeys(props, toCamel) as object), ...Object.fromEntries(suppliedParameters) })
  const values = Object.fromEntries(merged.filter(([, value]) => value !== null))
  const applicable = resolveProps(type, values)
  const isGiven = (name: string) => parameters[name] !== undefined
  return exactProps(
    type,
    Object.fromEntries(Object.entries(values).filter(([name]) => isGiven(name) || toSnake(name) in applicable)),
  )
}

/**
 * Soft-deletes an organization-wide variant. Its files are no longer shown or delivered, its share keys stop working
 * and its index becomes free. A job deletes the files, and their bytes after the grace period.
 * @throws AppError `not_found`
 */
export async function deleteVariant(ctx: Context, id: string): Promise<Variant> {
  const { organizationId } = administratorScope(ctx)
  const where = { ...organizationVariantWhere(organizationId), id }
  const deleted = await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.variant.updateMany({ where, data: { deletedAt: ctx.clock() } })
    if (count === 0) throw notFound('variantId')
    await enqueue(tx, clearVariant, { variantId: id }, { jobKey: `clear_variant:${id}` })
    return tx.variant.findUniqueOrThrow({ where: { id } })
  })
  await endOfDeliveries()
  return deleted
}
