import type { WebhookEndpoint } from '../../platform/db/generated/client/client.ts'
import { builder, connectionOf, listOrder, omitNulls, reloaded, typeOf } from '../../platform/graphql/builder.ts'
import { rootPage } from '../../platform/graphql/page.ts'
import { needsColumns, planOf } from '../../platform/graphql/plan.ts'
import { EventTypeEnum } from '../event/graphql.ts'
import type { EventType } from '../event/record.ts'
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
  description: "Where the organization's events are sent. Its secret was shown once, when it was made.",
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    organizationId: t.exposeID('organizationId', { description: 'The organization it belongs to.' }),
    url: t.exposeString('url', { description: 'Where events are posted.' }),
    eventTypes: t.field({
      type: [EventTypeEnum],
      description: 'What it is told of; empty for all types.',
      ...needsColumns('eventTypes'),
      resolve: ({ eventTypes }) => eventTypes as EventType[],
    }),
    isEnabled: t.boolean({
      description: 'Whether anything is sent to it.',
      ...needsColumns('disabledAt'),
      resolve: ({ disabledAt }) => disabledAt === null,
    }),
    disabledAt: t.expose('disabledAt', { type: 'DateTime', nullable: true, description: 'When it was switched off.' }),
    disabledReason: t.exposeString('disabledReason', {
      nullable: true,
      description:
        'Why it is off: `administrator`, `gone` (it answered 410) or `failing` (it took nothing for five days).',
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when no delivery has succeeded; null while they do.',
    }),
    oldSecretExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until when an older secret signs too; null unless a rotation is under way.',
      ...needsColumns('secretsExpireAt'),
      resolve: (endpoint, _, { clock }) => rotationEnd(endpoint, clock()),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

const URL_RULES = '2,048 characters at most; https, without user, password or fragment, not a private address.'
const EVENT_TYPES = 'What it is told of; empty for all types.'
const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'Only the fields that are present are changed.',
  fields: (t) => ({
    url: t.string({ description: `${URL_RULES} Null removes the endpoint.` }),
    eventTypes: t.field({ type: [EventTypeEnum], description: EVENT_TYPES }),
    isEnabled: t.boolean({ description: 'Whether anything is sent to it.' }),
  }),
})
const CreateWebhookEndpointInput = builder.inputType('CreateWebhookEndpointInput', {
  description: 'A new endpoint.',
  fields: (t) => ({
    url: t.string({ required: true, description: URL_RULES }),
    eventTypes: t.field({ type: [EventTypeEnum], description: EVENT_TYPES }),
    isEnabled: t.boolean({ description: 'Whether anything is sent to it; true unless told.' }),
  }),
})
const UpdateWebhookEndpointInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'Only the fields that are present are changed.',
  fields: (t) => ({
    url: t.string({ description: URL_RULES }),
    eventTypes: t.field({ type: [EventTypeEnum], description: EVENT_TYPES }),
    isEnabled: t.boolean({
      description:
        'Whether anything is sent to it. Switched off, what is on its way is given up; switched on, it starts afresh, ' +
        'and redeliverFailedWebhooks sends what it missed.',
    }),
  }),
})

const endpointField = {
  description: 'The endpoint as it is now.',
  ...reloaded('WebhookEndpoint', ({ id }: { id: string }) => id),
}
const SECRET = 'Signs what is sent: `whsec_` and base64 (Standard Webhooks). Shown only now.'
const withSecret = (name: string) =>
  builder.objectRef<WithSecret>(name).implement({
    description: 'Holds the endpoint and its new secret.',
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
    description: 'Holds the endpoint.',
    fields: (t) => ({
      webhookEndpoint: t.field({
        type: typeOf('WebhookEndpoint'),
        nullable: true,
        description: 'The endpoint as it is now; null where it was removed.',
        resolve: ({ id }, _, ctx, info) =>
          id === null ? null : getWebhookEndpoint(ctx, id, { plan: planOf(info, ctx) }),
      }),
      secret: t.exposeString('secret', { nullable: true, description: `${SECRET} Null unless the endpoint is new.` }),
    }),
  })
const UpdateWebhookEndpointPayload = builder.objectRef<{ id: string }>('UpdateWebhookEndpointPayload').implement({
  description: 'Holds the endpoint.',
  fields: (t) => ({ webhookEndpoint: t.field(endpointField) }),
})
const DeleteWebhookEndpointPayload = builder
  .objectRef<{ deletedWebhookEndpoint: WebhookEndpoint }>('DeleteWebhookEndpointPayload')
  .implement({
    description: 'Holds the endpoint that was deleted.',
    fields: (t) => ({
      deletedWebhookEndpoint: t.field({
        type: typeOf('WebhookEndpoint'),
        description: 'The endpoint as it was.',
        resolve: ({ deletedWebhookEndpoint }) => deletedWebhookEndpoint,
      }),
    }),
  })

builder.queryFields((t) => ({
  webhook: t.field({
    type: typeOf('WebhookEndpoint'),
    nullable: true,
    description: "The organization's first endpoint, the record's webhookUrl; null without one. For administrators.",
    resolve: (_, __, ctx, info) => getFirstWebhookEndpoint(ctx, { plan: planOf(info, ctx) }),
  }),
  webhookEndpoints: t.connection(
    {
      type: typeOf('WebhookEndpoint'),
      description: 'Every endpoint of the organization, the oldest first. For administrators.',
      resolve: (_, args, ctx, info) =>
        rootPage({
          ...{ info, ctx, args, order: listOrder({ field: 'createdAt', direction: 'asc' }) },
          list: (query) => findWebhookEndpoints(ctx, query),
          count: () => countWebhookEndpoints(ctx),
        }),
    },
    ...connectionOf('WebhookEndpoint'),
  ),
  webhookEndpoint: t.field({
    type: typeOf('WebhookEndpoint'),
    nullable: true,
    description: 'One endpoint. For administrators.',
    args: { id: t.arg.id({ required: true, description: 'UUID of the endpoint.' }) },
    resolve: (_, { id }, ctx, info) => getWebhookEndpoint(ctx, id, { plan: planOf(info, ctx) }),
  }),
}))

const id = { required: true, description: 'UUID of the endpoint.' } as const
builder.mutationFields((t) => ({
  updateWebhook: t.field({
    type: UpdateWebhookPayload,
    description: 'Sets where events are sent: makes the first endpoint, changes or removes it. Owners and admins.',
    args: { input: t.arg({ type: UpdateWebhookInput, required: true, description: 'What is changed.' }) },
    resolve: (_, { input }, ctx) => updateWebhook(ctx, { ...omitNulls(input), url: input.url }),
  }),
  createWebhookEndpoint: t.field({
    type: CreateWebhookEndpointPayload,
    description: 'Makes an endpoint; an organization has ten at most. Owners and admins.',
    args: { input: t.arg({ type: CreateWebhookEndpointInput, required: true, description: 'The new endpoint.' }) },
    resolve: (_, { input }, ctx) => createWebhookEndpoint(ctx, omitNulls(input)),
  }),
  updateWebhookEndpoint: t.field({
    type: UpdateWebhookEndpointPayload,
    description: 'Changes an endpoint. Owners and admins.',
    args: {
      id: t.arg.id(id),
      input: t.arg({ type: UpdateWebhookEndpointInput, required: true, description: 'What is changed.' }),
    },
    resolve: (_, { id, input }, ctx) => updateWebhookEndpoint(ctx, id, omitNulls(input)),
  }),
  deleteWebhookEndpoint: t.field({
    type: DeleteWebhookEndpointPayload,
    description: 'Deletes an endpoint with its deliveries; what was on its way is not sent. Owners and admins.',
    args: { id: t.arg.id(id) },
    resolve: async (_, { id }, ctx, info) => ({
      deletedWebhookEndpoint: await deleteWebhookEndpoint(ctx, id, {
        plan: planOf(info, ctx, [['deletedWebhookEndpoint']]),
      }),
    }),
  }),
  rotateWebhookSecret: t.field({
    type: RotateWebhookSecretPayload,
    description: 'Gives an endpoint a new secret; the one before signs beside it for 24 hours. Owners and admins.',
    args: { id: t.arg.id({ description: 'UUID of the endpoint; the first one unless told.' }) },
    resolve: (_, { id }, ctx) => rotateWebhookSecret(ctx, id ?? undefined),
  }),
}))
