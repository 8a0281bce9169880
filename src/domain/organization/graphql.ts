import type { z } from 'zod'
import { builder } from '../../platform/builder.ts'
import type { Organization } from '../../platform/db/generated/client/client.ts'
import { legibleColors } from './colors.ts'
import type { theme } from './schema.ts'
import { getOrganization, updateOrganization, webhookUrlOf } from './service.ts'

type ThemeColorShape = z.infer<typeof theme>[number]

const ThemeColor = builder.objectRef<ThemeColorShape>('ThemeColor').implement({
  description: 'A colour of a cover image.',
  fields: (t) => ({
    hex: t.exposeString('hex', { description: 'As `#rrggbb`.' }),
    area: t.exposeFloat('area', { description: 'Share of the image that it covers, 0 to 1.' }),
    lightness: t.exposeFloat('lightness', { description: '0 to 1.' }),
    saturation: t.exposeFloat('saturation', { description: '0 to 1.' }),
  }),
})

/** A `theme` field, for every entity that has one. */
export const themeField = {
  type: [ThemeColor] as [typeof ThemeColor],
  description: 'Colours of the cover, largest area first.',
}
export const themeOf = (record: { theme: unknown }) => record.theme as ThemeColorShape[]

export const ThemeColorInput = builder.inputType('ThemeColorInput', {
  description: 'A colour of a cover image.',
  fields: (t) => ({
    hex: t.string({ required: true }),
    area: t.float({ required: true }),
    lightness: t.float({ required: true }),
    saturation: t.float({ required: true }),
  }),
})

const OrganizationType = builder.prismaObject('Organization', {
  description: 'The tenant: holds creators, collections and tracks.',
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    theme: t.field({ ...themeField, resolve: themeOf }),
    isThemeOverridable: t.exposeBoolean('isThemeOverridable', {
      description: 'Whether collections and tracks may bring colours of their own.',
    }),
    isCoverOverridable: t.exposeBoolean('isCoverOverridable', {
      description: 'Whether collections and tracks may bring covers of their own.',
    }),
    playerColor: t.exposeString('playerColor', { description: 'As `#rrggbb`.' }),
    playerColorLight: t.string({
      nullable: true,
      description: 'Derived from playerColor, legible on light backgrounds.',
      resolve: ({ playerColor }) => legibleColors(playerColor).playerColorLight,
    }),
    playerColorDark: t.string({
      nullable: true,
      description: 'Derived from playerColor, legible on dark backgrounds.',
      resolve: ({ playerColor }) => legibleColors(playerColor).playerColorDark,
    }),
    playerSubtitle: t.exposeString('playerSubtitle'),
    webhookUrl: t.string({
      nullable: true,
      description: 'Where events are sent; read-only here.',
      resolve: ({ id }, _, ctx) => webhookUrlOf(ctx, id),
    }),
  }),
})

const UpdateOrganizationInput = builder.inputType('UpdateOrganizationInput', {
  description: 'Only the fields that are present are changed.',
  fields: (t) => ({
    name: t.string(),
    theme: t.field({ type: [ThemeColorInput] }),
    isThemeOverridable: t.boolean(),
    isCoverOverridable: t.boolean(),
    playerColor: t.string({ description: 'Hex color.' }),
    playerSubtitle: t.string(),
  }),
})

const UpdateOrganizationPayload = builder
  .objectRef<{ organization: Organization }>('UpdateOrganizationPayload')
  .implement({
    description: 'Result of updateOrganization.',
    fields: (t) => ({ organization: t.field({ type: OrganizationType, resolve: (result) => result.organization }) }),
  })

builder.queryField('organization', (t) =>
  t.prismaField({
    type: 'Organization',
    description: "The viewer's own organization.",
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _, { id }, ctx) => getOrganization(ctx, id, query),
  }),
)
builder.mutationField('updateOrganization', (t) =>
  t.field({
    type: UpdateOrganizationPayload,
    description: 'Changes the settings of the organization.',
    args: { id: t.arg.id({ required: true }), input: t.arg({ type: UpdateOrganizationInput, required: true }) },
    resolve: async (_, { id, input }, ctx) => ({ organization: await updateOrganization(ctx, id, input) }),
  }),
)
