import type { WebhookEndpoint } from '../../platform/db/generated/client/client.ts'
import { builder, findType } from '../../platform/graphql/builder.ts'
import {
  defineCreateInput,
  defineUpdateInput,
  idArgument,
  inputArgument,
  omitNulls,
  parseCreation,
} from '../../platform/graphql/input.ts'
import { defineRecordQuery, findConnection, listOrder, pagesInOrder } from '../../platform/graphql/list.ts'
import { Node } from '../../platform/graphql/node.ts'
import { definePayload } from '../../platform/graphql/payload.ts'
import { createPlan, needsColumns } from '../../platform/graphql/plan.ts'
import { expose } from '../../platform/graphql/record.ts'
import { parse, parseId } from '../../platform/schema/parse.ts'
import { administratorScope, permitted, personScope } from '../access/viewer.ts'
import { isEnabled, oldSecretExpiresAt, webhookFields, webhookInputs, webhookSettings } from './record.ts'
import { rotationEnd } from './secret.ts'
import {
  countWebhookEndpoints,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  findWebhookEndpoints,
  getFirstWebhookEndpoint,
  getWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhook,
  updateWebhookEndpoint,
  type WithSecret,
} from './service.ts'

builder.prismaObject('WebhookEndpoint', {
  interfaces: [Node],
  description: 'An endpoint that events of the organization are posted to. Its secret is shown only once, on creation.',
  fields: (t) => ({
    ...expose(t, webhookFields),
    isEnabled: t.boolean({
      description: isEnabled.description,
      ...needsColumns('disabledAt'),
      resolve: ({ disabledAt }) => disabledAt === null,
    }),
    oldSecretExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: oldSecretExpiresAt.description,
      ...needsColumns('secretsExpireAt'),
      resolve: (endpoint, _, { clock }) => rotationEnd(endpoint, clock()),
    }),
  }),
})

const UpdateWebhookInput = defineUpdateInput('Webhook', webhookSettings, (t) => ({
  url: t.string({ description: `${webhookFields.url.description} Null deletes the endpoint.` }),
}))
const CreateWebhookEndpointInput = defineCreateInput('WebhookEndpoint', 'A new endpoint.', webhookSettings, (t) => ({
  isEnabled: t.boolean({ description: 'Whether events are sent to it. Defaults to true.' }),
}))
const UpdateWebhookEndpointInput = defineUpdateInput('WebhookEndpoint', webhookSettings)

const SECRET = 'Secret that signs deliveries: `whsec_` and base64 (Standard Webhooks 1.0). Shown only once.'
const secretPayload = (mutation: string) =>
  definePayload<WithSecret>(mutation, 'webhookEndpoint', 'WebhookEndpoint', {
    record: 'endpoint',
    description: 'The endpoint and its new secret.',
    more: (t) => ({ secret: t.exposeString('secret', { description: SECRET }) }),
  })
const UpdateWebhookPayload = builder
  .objectRef<{ id: string | null; secret: string | null }>('UpdateWebhookPayload')
  .implement({
    description: 'The endpoint that was changed.',
    fields: (t) => ({
      webhookEndpoint: t.field({
        type: findType('WebhookEndpoint'),
        nullable: true,
        description: 'The endpoint after the change. Null after a deletion.',
        resolve: ({ id }, _, ctx, info) =>
          id === null ? null : getWebhookEndpoint(ctx, id, { plan: createPlan(info, ctx) }),
      }),
      secret: t.exposeString('secret', {
        nullable: true,
        description: `${SECRET} Null unless the endpoint was created.`,
      }),
    }),
  })
const DeleteWebhookEndpointPayload = builder
  .objectRef<{ deletedWebhookEndpoint: WebhookEndpoint }>('DeleteWebhookEndpointPayload')
  .implement({
    description: 'The endpoint that was deleted.',
    fields: (t) => ({
      deletedWebhookEndpoint: t.field({
        type: findType('WebhookEndpoint'),
        description: 'The endpoint before the deletion.',
        resolve: ({ deletedWebhookEndpoint }) => deletedWebhookEndpoint,
      }),
    }),
  })

defineRecordQuery('webhookEndpoint', 'WebhookEndpoint', {
  description: 'Returns an endpoint. For administrators.',
  idDescription: webhookFields.id.description,
  permit: personScope,
  find: getWebhookEndpoint,
})
builder.queryFields((t) => ({
  webhook: t.field({
    type: findType('WebhookEndpoint'),
    nullable: true,
    description: 'Returns the first endpoint of the organization; null without one. For administrators.',
    resolve: (_, __, ctx, info) => getFirstWebhookEndpoint(ctx, { plan: createPlan(info, ctx) }),
  }),
  webhookEndpoints: t.connection(
    {
      type: findType('WebhookEndpoint'),
      description: 'Lists the endpoints of the organization, oldest first. For administrators.',
      resolve: permitted(
        personScope,
        pagesInOrder(listOrder({ field: 'createdAt', direction: 'asc' }), findWebhookEndpoints, countWebhookEndpoints),
      ),
    },
    ...findConnection('WebhookEndpoint'),
  ),
}))

builder.mutationFields((t) => ({
  updateWebhook: t.field({
    type: UpdateWebhookPayload,
    description: 'Creates, changes or deletes the first endpoint of the organization. Owners and admins only.',
    args: { input: inputArgument(UpdateWebhookInput) },
    resolve: permitted(administratorScope, (_, { input }, ctx) =>
      updateWebhook(ctx, parse(webhookInputs(ctx.config).first, { ...omitNulls(input), url: input.url })),
    ),
  }),
  createWebhookEndpoint: t.field({
    type: secretPayload('CreateWebhookEndpoint'),
    description: 'Creates an endpoint. An organization has at most 10. Owners and admins only.',
    args: { input: inputArgument(CreateWebhookEndpointInput, 'The new endpoint.') },
    resolve: permitted(administratorScope, (_, { input }, ctx) =>
      createWebhookEndpoint(ctx, parseCreation(webhookInputs(ctx.config).create, input)),
    ),
  }),
  updateWebhookEndpoint: t.field({
    type: definePayload('UpdateWebhookEndpoint', 'webhookEndpoint', 'WebhookEndpoint', {
      record: 'endpoint',
      description: 'The endpoint that was changed.',
    }),
    description: 'Changes the given fields of an endpoint. Owners and admins only.',
    args: {
      id: idArgument('endpoint', webhookFields.id.description),
      input: inputArgument(UpdateWebhookEndpointInput),
    },
    resolve: permitted(administratorScope, (_, { id, input }, ctx) =>
      updateWebhookEndpoint(
        ctx,
        parseId('webhookEndpointId', id),
        parse(webhookInputs(ctx.config).update, omitNulls(input)),
      ),
    ),
  }),
  deleteWebhookEndpoint: t.field({
    type: DeleteWebhookEndpointPayload,
    description: 'Deletes an endpoint and its deliveries. Pending deliveries are not sent. Owners and admins only.',
    args: { id: idArgument('endpoint', webhookFields.id.description) },
    resolve: permitted(administratorScope, async (_, { id }, ctx, info) => ({
      deletedWebhookEndpoint: await deleteWebhookEndpoint(ctx, parseId('webhookEndpointId', id), {
        plan: createPlan(info, ctx, [['deletedWebhookEndpoint']]),
      }),
    })),
  }),
  rotateWebhookSecret: t.field({
    type: secretPayload('RotateWebhookSecret'),
    description:
      'Gives an endpoint a new secret. The previous secret signs as well for 24 hours. Owners and admins only.',
    args: { id: t.arg.id({ description: 'ID of the endpoint. Defaults to the first endpoint.' }) },
    resolve: permitted(administratorScope, (_, { id }, ctx) =>
      rotateWebhookSecret(ctx, typeof id === 'string' ? parseId('webhookEndpointId', id) : undefined),
    ),
  }),
}))
