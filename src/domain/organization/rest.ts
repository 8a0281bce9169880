import { z } from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Organization } from '../../platform/db/generated/client/client.ts'
import { route } from '../../platform/http/rest.ts'
import { id } from '../../platform/schema/fields.ts'
import { toRest } from '../../platform/schema/record.ts'
import { organizationScope } from '../access/viewer.ts'
import { coverUploadShape, uploadHandle } from '../upload-address/handle.ts'
import { legibleColors } from './colors.ts'
import { getOrganizationForCover } from './cover/service.ts'
import { organizationFields, organizationId, organizationShape, updateOrganizationInput } from './record.ts'
import { getOrganization, readWebhookUrl, updateOrganization } from './service.ts'

const answer = z.object({
  organizationId: id({ description: 'ID of the organization.' }).restShape,
  organization: organizationShape,
})
const wrapped = async (ctx: Context, organization: Organization) => ({
  organizationId: organization.id,
  organization: toRest(organizationFields, {
    ...organization,
    ...legibleColors(organization.playerColor),
    webhookUrl: await readWebhookUrl(ctx, organization.id),
  }),
})

/** Specification, section 4, Organizations. The cover is an addition, by analogy with that of a collection. */
export const organizationRoutes = [
  route({
    method: 'GET',
    path: '/organization/:organizationId',
    auth: 'key',
    operation: 'getOrganization',
    summary: 'Returns the organization of the key.',
    params: organizationId,
    answer,
    handle: async ({ ctx, params }) => wrapped(ctx, await getOrganization(ctx, params.organizationId)),
  }),
  route({
    method: 'PUT',
    path: '/organization/:organizationId',
    auth: 'key',
    permit: organizationScope,
    operation: 'updateOrganization',
    summary: 'Changes the given fields of the organization.',
    params: organizationId,
    body: updateOrganizationInput,
    answer,
    handle: async ({ ctx, params, body }) => wrapped(ctx, await updateOrganization(ctx, params.organizationId, body)),
  }),
  route({
    method: 'POST',
    path: '/organization/:organizationId/cover',
    auth: 'key',
    permit: organizationScope,
    operation: 'createOrganizationCover',
    summary: "Returns an address to upload the organization's cover to.",
    params: organizationId,
    answer: answer.extend({ organizationCoverUpload: coverUploadShape }),
    handle: async ({ ctx, params }) => {
      const organization = await getOrganizationForCover(ctx, params.organizationId)
      const organizationCoverUpload = uploadHandle(ctx, 'organization-cover', {
        id: organization.id,
        organizationId: organization.id,
      })
      return { ...(await wrapped(ctx, organization)), organizationCoverUpload }
    },
  }),
]
