import type { Context } from '../../platform/context.ts'
import type { Batch, Variant } from '../../platform/db/generated/client/client.ts'
import { parse } from '../../platform/schema/input.ts'
import { administratorScope } from '../access/viewer.ts'
import { exactProps } from '../variant/manage.ts'
import { createVariantInput } from '../variant/record.ts'
import { insertVariant } from '../variant/service.ts'
import { startBatch } from './batch/service.ts'

/**
 * Adds an organization-wide variant, of any kind: every upload from now on gets its file.
 * @param raw variantTypeId, index, the kind's parameters; applyToExisting begins a batch for the tracks that are there
 * @throws AppError `invalid_input`, `index_taken`
 */
export async function createVariant(ctx: Context, raw: object): Promise<{ variant: Variant; batch: Batch | null }> {
  const scope = administratorScope(ctx)
  const { variantTypeId: type, index, applyToExisting } = parse(createVariantInput, raw)
  const { variantTypeId: _, index: __, applyToExisting: ___, ...parameters } = raw as Record<string, unknown>
  const props = exactProps(type, parameters)
  return ctx.db.$transaction(async (tx) => {
    const { organizationId } = scope
    const variant = await insertVariant(tx, { organizationId, trackId: null, type, index, props })
    return { variant, batch: applyToExisting ? await startBatch(tx, scope, variant.id, {}) : null }
  })
}
