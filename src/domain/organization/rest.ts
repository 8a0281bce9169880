import { z } from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Organization } from '../../platform/db/generated/client/client.ts'
import { route } from '../../platform/http/rest.ts'
import * as shape from '../../platform/schema/shape.ts'
import { coverUploadShape, uploadHandle } from '../access/upload-handle.ts'
import { getOrganizationForCover } from './cover/service.ts'
import { organizationShape, toRestOrganization } from './public.ts'
import { organizationId, updateOrganizationInput } from './schema.ts'
import { getOrganization, updateOrganization } from './service.ts'

const answer = z.object({ organizationId: shape.id('The organization.'), organization: organizationShape })
const wrapped = async (ctx: Context, organization: Organization) => ({
  organizationId: organization.id,
  organization: await toRestOrganization(ctx, organization),
})

/** Specification, section 4, Organizations; the cover is ours, the twin of a collection's. */
export const organizationRoutes = [
  route({
    method: 'GET',
    path: '/organization/:organizationId',
    auth: 'key',
    operation: 'getOrganization',
    summary: 'The organization of the key.',
    params: organizationId,
    answer,
    handle: async ({ ctx, params }) => wrapped(ctx, await getOrganization(ctx, params.organizationId ?? '')),
  }),
  route({
    method: 'PUT',
    path: '/organization/:organizationId',
    auth: 'key',
    operation: 'updateOrganization',
    summary: 'Changes the fields of the organization that are present.',
    params: organizationId,
    body: updateOrganizationInput,
    answer,
    handle: async ({ ctx, params, body }) =>
      wrapped(ctx, await updateOrganization(ctx, params.organizationId ?? '', body)),
  }),
  route({
    method: 'POST',
    path: '/organization/:organizationId/cover',
    auth: 'key',
    operation: 'createOrganizationCover',
    summary: "An address to upload the organization's cover to.",
    params: organizationId,
    answer: answer.extend({ organizationCoverUpload: coverUploadShape }),
    handle: async ({ ctx, params }) => {
      const organization = await getOrganizationForCover(ctx, params.organizationId ?? '')
      const organizationCoverUpload = uploadHandle(ctx, 'organization-cover', organization.id)
      return { ...(await wrapped(ctx, organization)), organizationCoverUpload }
    },
  }),
]
