import type { z } from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Batch, Variant } from '../../platform/db/generated/client/client.ts'
import { administratorScope } from '../access/viewer.ts'
import { exactProps } from '../variant/manage.ts'
import type { createVariantInput } from '../variant/record.ts'
import { insertVariant } from '../variant/service.ts'
import { startBatch } from './batch/service.ts'

/**
 * Adds an organization-wide variant. Every later upload gets its file.
 * @param parameters of the type, in camelCase
 * @throws AppError `invalid_input`, `index_taken`
 */
export async function createVariant(
  ctx: Context,
  { variantTypeId: type, index, applyToExisting }: z.output<typeof createVariantInput>,
  parameters: object,
): Promise<{ variant: Variant; batch: Batch | null }> {
  const scope = administratorScope(ctx)
  const props = exactProps(type, parameters)
  return ctx.db.$transaction(async (tx) => {
    const { organizationId } = scope
    const variant = await insertVariant(tx, { organizationId, trackId: null, type, index, props })
    return { variant, batch: applyToExisting ? await startBatch(tx, scope, variant.id, {}) : null }
  })
}
