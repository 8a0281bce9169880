import type { WebhookEndpoint } from '../../platform/db/generated/client/client.ts'
import {
  builder,
  connectionOf,
  listOrder,
  omitNulls,
  parseCreation,
  reloaded,
  typeOf,
} from '../../platform/graphql/builder.ts'
import { type PageArgs, rootPage } from '../../platform/graphql/page.ts'
import { needsColumns, planOf } from '../../platform/graphql/plan.ts'
import { expose, inputFields } from '../../platform/graphql/record.ts'
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

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'Fields to change. Fields that are left out keep their value.',
  fields: (t) => ({
    ...inputFields(t, webhookSettings, 'update'),
    url: t.string({ description: `${webhookFields.url.description} Null deletes the endpoint.` }),
  }),
})
const CreateWebhookEndpointInput = builder.inputType('CreateWebhookEndpointInput', {
  description: 'A new endpoint.',
  fields: (t) => ({
    ...inputFields(t, webhookSettings, 'create'),
    isEnabled: t.boolean({ description: 'Whether events are sent to it. Defaults to true.' }),
  }),
})
const UpdateWebhookEndpointInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'Fields to change. Fields that are left out keep their value.',
  fields: (t) => inputFields(t, webhookSettings, 'update'),
})

const endpointField = {
  description: 'The endpoint after the change.',
  ...reloaded('WebhookEndpoint', ({ id }: { id: string }) => id),
}
const SECRET = 'Secret that signs deliveries: `whsec_` and base64 (Standard Webhooks 1.0). Shown only once.'
const withSecret = (name: string) =>
  builder.objectRef<WithSecret>(name).implement({
    description: 'The endpoint and its new secret.',
    fields: (t) => ({
      webhookEndpoint: t.field(endpointField),
      secret: t.exposeString('secret', { description: SECRET }),
    }),
  })
const CreateWebhookEndpointPayload = withSecret('CreateWebhookEndpointPayload')
const RotateWebhookSecretPayload = withSecret('RotateWebhookSecretPayload')
const UpdateWebhookPayload = builder
  .objectRef<{ id: string | null; secret: string | null }>('UpdateWebhookPayload')
  .implement({
    description: 'The endpoint that was changed.',
    fields: (t) => ({
      webhookEndpoint: t.field({
        type: typeOf('WebhookEndpoint'),
        nullable: true,
        description: 'The endpoint after the change. Null after a deletion.',
        resolve: ({ id }, _, ctx, info) =>
          id === null ? null : getWebhookEndpoint(ctx, id, { plan: planOf(info, ctx) }),
      }),
      secret: t.exposeString('secret', {
        nullable: true,
        description: `${SECRET} Null unless the endpoint was created.`,
      }),
    }),
  })
const UpdateWebhookEndpointPayload = builder.objectRef<{ id: string }>('UpdateWebhookEndpointPayload').implement({
  description: 'The endpoint that was changed.',
  fields: (t) => ({ webhookEndpoint: t.field(endpointField) }),
})
const DeleteWebhookEndpointPayload = builder
  .objectRef<{ deletedWebhookEndpoint: WebhookEndpoint }>('DeleteWebhookEndpointPayload')
  .implement({
    description: 'The endpoint that was deleted.',
    fields: (t) => ({
      deletedWebhookEndpoint: t.field({
        type: typeOf('WebhookEndpoint'),
        description: 'The endpoint before the deletion.',
        resolve: ({ deletedWebhookEndpoint }) => deletedWebhookEndpoint,
      }),
    }),
  })

const idArgument = { required: true, description: webhookFields.id.description } as const
const idOf = (id: unknown) => parseId('webhookEndpointId', id)

builder.queryFields((t) => ({
  webhook: t.field({
    type: typeOf('WebhookEndpoint'),
    nullable: true,
    description: 'Returns the first endpoint of the organization; null without one. For administrators.',
    resolve: (_, __, ctx, info) => getFirstWebhookEndpoint(ctx, { plan: planOf(info, ctx) }),
  }),
  webhookEndpoints: t.connection(
    {
      type: typeOf('WebhookEndpoint'),
      description: 'Lists the endpoints of the organization, oldest first. For administrators.',
      resolve: permitted(personScope, (_, args: PageArgs, ctx, info) =>
        rootPage({
          info,
          ctx,
          args,
          order: listOrder({ field: 'createdAt', direction: 'asc' }),
          list: (query) => findWebhookEndpoints(ctx, query),
          count: () => countWebhookEndpoints(ctx),
        }),
      ),
    },
    ...connectionOf('WebhookEndpoint'),
  ),
  webhookEndpoint: t.field({
    type: typeOf('WebhookEndpoint'),
    nullable: true,
    description: 'Returns an endpoint. For administrators.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(personScope, (_, { id }, ctx, info) =>
      getWebhookEndpoint(ctx, idOf(id), { plan: planOf(info, ctx) }),
    ),
  }),
}))

builder.mutationFields((t) => ({
  updateWebhook: t.field({
    type: UpdateWebhookPayload,
    description: 'Creates, changes or deletes the first endpoint of the organization. Owners and admins only.',
    args: { input: t.arg({ type: UpdateWebhookInput, required: true, description: 'The fields to change.' }) },
    resolve: permitted(administratorScope, (_, { input }, ctx) =>
      updateWebhook(ctx, parse(webhookInputs(ctx.config).first, { ...omitNulls(input), url: input.url })),
    ),
  }),
  createWebhookEndpoint: t.field({
    type: CreateWebhookEndpointPayload,
    description: 'Creates an endpoint. An organization has at most 10. Owners and admins only.',
    args: { input: t.arg({ type: CreateWebhookEndpointInput, required: true, description: 'The new endpoint.' }) },
    resolve: permitted(administratorScope, (_, { input }, ctx) =>
      createWebhookEndpoint(ctx, parseCreation(webhookInputs(ctx.config).create, input)),
    ),
  }),
  updateWebhookEndpoint: t.field({
    type: UpdateWebhookEndpointPayload,
    description: 'Changes the given fields of an endpoint. Owners and admins only.',
    args: {
      id: t.arg.id(idArgument),
      input: t.arg({ type: UpdateWebhookEndpointInput, required: true, description: 'The fields to change.' }),
    },
    resolve: permitted(administratorScope, (_, { id, input }, ctx) =>
      updateWebhookEndpoint(ctx, idOf(id), parse(webhookInputs(ctx.config).update, omitNulls(input))),
    ),
  }),
  deleteWebhookEndpoint: t.field({
    type: DeleteWebhookEndpointPayload,
    description: 'Deletes an endpoint and its deliveries. Pending deliveries are not sent. Owners and admins only.',
    args: { id: t.arg.id(idArgument) },
    resolve: permitted(administratorScope, async (_, { id }, ctx, info) => ({
      deletedWebhookEndpoint: await deleteWebhookEndpoint(ctx, idOf(id), {
        plan: planOf(info, ctx, [['deletedWebhookEndpoint']]),
      }),
    })),
  }),
  rotateWebhookSecret: t.field({
    type: RotateWebhookSecretPayload,
    description:
      'Gives an endpoint a new secret. The previous secret signs as well for 24 hours. Owners and admins only.',
    args: { id: t.arg.id({ description: 'ID of the endpoint. Defaults to the first endpoint.' }) },
    resolve: permitted(administratorScope, (_, { id }, ctx) =>
      rotateWebhookSecret(ctx, typeof id === 'string' ? idOf(id) : undefined),
    ),
  }),
}))
