import type { Context } from '../../../platform/context.ts'
import { organizationScope } from '../../access/viewer.ts'
import { checkOwn, getOrganization } from '../service.ts'

/**
 * Returns the organization if the viewer may replace its cover.
 * @throws AppError `not_found`, `forbidden`
 */
export async function getOrganizationForCover(ctx: Context, id: string) {
  checkOwn(organizationScope(ctx), id)
  return getOrganization(ctx, id)
}
