import type { Context } from '../../platform/context.ts'
import type { Organization } from '../../platform/db/generated/client/client.ts'
import { routes } from '../../platform/rest.ts'
import { uploadHandle } from '../access/upload-handle.ts'
import { legibleColors } from './colors.ts'
import { getOrganizationForCover } from './cover/service.ts'
import { getOrganization, updateOrganization, webhookUrlOf } from './service.ts'

async function wrapped(ctx: Context, organization: Organization) {
  const { id, name, theme, isThemeOverridable, isCoverOverridable, playerColor, playerSubtitle } = organization
  return {
    organizationId: id,
    organization: {
      id,
      name,
      theme,
      isThemeOverridable,
      isCoverOverridable,
      playerColor,
      ...legibleColors(playerColor),
      playerSubtitle,
      webhookUrl: await webhookUrlOf(ctx, id),
    },
  }
}

/** Specification, section 4, Organizations; the cover is ours, the twin of a collection's. */
export const organizationRoutes = routes(
  {
    method: 'GET',
    path: '/organization/:organizationId',
    auth: 'key',
    handle: async ({ ctx, params }) => wrapped(ctx, await getOrganization(ctx, params.organizationId ?? '')),
  },
  {
    method: 'PUT',
    path: '/organization/:organizationId',
    auth: 'key',
    handle: async ({ ctx, params, body }) =>
      wrapped(ctx, await updateOrganization(ctx, params.organizationId ?? '', body)),
  },
  {
    method: 'POST',
    path: '/organization/:organizationId/cover',
    auth: 'key',
    handle: async ({ ctx, params }) => {
      const organization = await getOrganizationForCover(ctx, params.organizationId ?? '')
      const organizationCoverUpload = uploadHandle(ctx, 'organization-cover', organization.id)
      return { ...(await wrapped(ctx, organization)), organizationCoverUpload }
    },
  },
)
