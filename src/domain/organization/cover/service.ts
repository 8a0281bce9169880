import type { Context } from '../../../platform/context.ts'
import { organizationScope } from '../../access/viewer.ts'
import { getOrganization, ownOrganizationId } from '../service.ts'

/**
 * An organization whose cover the viewer may replace.
 * @throws AppError `not_found`, `forbidden`
 */
export async function getOrganizationForCover(ctx: Context, id: string) {
  return getOrganization(ctx, ownOrganizationId(organizationScope(ctx), id))
}
