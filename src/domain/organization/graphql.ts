import type { z } from 'zod'
import { builder, reloaded, typeOf } from '../../platform/graphql/builder.ts'
import { needsColumns, planOf } from '../../platform/graphql/plan.ts'
import { UploadHandleObject } from '../access/graphql.ts'
import { uploadHandle } from '../access/upload-handle.ts'
import { legibleColors } from './colors.ts'
import { coverImages, toRestCover } from './cover/graphql.ts'
import { getOrganizationForCover } from './cover/service.ts'
import { inheritedTheme, type ThemeLevels } from './inherit.ts'
import type { theme } from './schema.ts'
import { getOrganization, updateOrganization, updateOrganizationDomain, webhookUrlOf } from './service.ts'

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

/** Options of a `theme` field, for every entity that has one. */
export const themeField = {
  type: [ThemeColor] as [typeof ThemeColor],
  description: 'Colours of the cover, largest area first.',
  ...needsColumns('theme'),
  resolve: (record: { theme: unknown }) => record.theme as ThemeColorShape[],
}

/** Options of an `effectiveTheme` field; each entity says where its levels lie on the row. */
export const effectiveThemeField = <R>(levelsOf: (row: R) => ThemeLevels) => ({
  type: [ThemeColor] as [typeof ThemeColor],
  description: 'Colours to draw it in: its own or inherited ones, as `isThemeOverridable` of those above it says.',
  resolve: (row: R) => inheritedTheme(levelsOf(row)) as ThemeColorShape[],
})

const lighter = (record: { playerColor: string | null }) => legibleColors(record.playerColor).playerColorLight
const darker = (record: { playerColor: string | null }) => legibleColors(record.playerColor).playerColorDark

/** Options of the two derived colours (contract, section 8). */
export const playerColorLightField = {
  nullable: true,
  description: 'Derived from playerColor, legible on light backgrounds; null without one.',
  ...needsColumns('playerColor'),
  resolve: lighter,
} as const
export const playerColorDarkField = {
  nullable: true,
  description: 'Derived from playerColor, legible on dark backgrounds; null without one.',
  ...needsColumns('playerColor'),
  resolve: darker,
} as const

export const ThemeColorInput = builder.inputType('ThemeColorInput', {
  description: 'A colour of a cover image.',
  fields: (t) => ({
    hex: t.string({ required: true, description: 'As `#rrggbb` or `#rgb`.' }),
    area: t.float({ required: true, description: 'Share of the image that it covers, 0 to 1.' }),
    lightness: t.float({ required: true, description: '0 to 1.' }),
    saturation: t.float({ required: true, description: '0 to 1.' }),
  }),
})

builder.prismaObject('Organization', {
  description: 'The tenant: holds creators, collections and tracks.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID.' }),
    name: t.exposeString('name', { description: 'Shown in the dashboard.' }),
    domain: t.exposeString('domain', { description: 'Host, and port where it has one, that delivers its files.' }),
    coverImage: t.field({
      type: coverImages,
      nullable: true,
      description: 'Its cover, which collections and tracks without one have too; null without one.',
      ...needsColumns('id', 'cover'),
      resolve: ({ id, cover }) => toRestCover(id, cover),
    }),
    theme: t.field(themeField),
    isThemeOverridable: t.exposeBoolean('isThemeOverridable', {
      description: 'Whether collections and tracks may bring colours of their own.',
    }),
    isCoverOverridable: t.exposeBoolean('isCoverOverridable', {
      description: 'Whether collections and tracks may bring covers of their own.',
    }),
    playerColor: t.exposeString('playerColor', { description: 'As `#rrggbb`.' }),
    playerColorLight: t.string(playerColorLightField),
    playerColorDark: t.string(playerColorDarkField),
    playerSubtitle: t.exposeString('playerSubtitle', { description: 'Shown in players below the title.' }),
    webhookUrl: t.string({
      nullable: true,
      description: 'Where events are sent; null while nowhere.',
      ...needsColumns('id'),
      resolve: ({ id }, _, ctx) => webhookUrlOf(ctx, id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

const UpdateOrganizationInput = builder.inputType('UpdateOrganizationInput', {
  description: 'Only the fields that are present are changed.',
  fields: (t) => ({
    name: t.string({ description: '1-255 characters.' }),
    theme: t.field({ type: [ThemeColorInput], description: 'At most 64 colours, largest area first.' }),
    isThemeOverridable: t.boolean({ description: 'Whether collections and tracks may bring colours of their own.' }),
    isCoverOverridable: t.boolean({ description: 'Whether collections and tracks may bring covers of their own.' }),
    playerColor: t.string({ description: 'Hex color: `#rrggbb` or `#rgb`.' }),
    playerSubtitle: t.string({ description: 'Shown in players below the title.' }),
  }),
})

const organizationField = {
  description: 'The organization as it is now.',
  ...reloaded('Organization', ({ organization }: { organization: { id: string } }) => organization.id),
}
const organizationPayload = (name: string, description: string) =>
  builder.objectRef<{ organization: { id: string } }>(name).implement({
    description,
    fields: (t) => ({ organization: t.field(organizationField) }),
  })
const UpdateOrganizationPayload = organizationPayload('UpdateOrganizationPayload', 'Result of updateOrganization.')
const UpdateOrganizationDomainPayload = organizationPayload(
  'UpdateOrganizationDomainPayload',
  'Result of updateOrganizationDomain.',
)

const CoverUploadPayload = builder
  .objectRef<{ organization: { id: string } }>('CreateOrganizationCoverUploadPayload')
  .implement({
    description: 'Holds the organization, and where to upload its cover.',
    fields: (t) => ({
      organization: t.field(organizationField),
      organizationCoverUpload: t.field({
        type: UploadHandleObject,
        description: 'Takes one cover image.',
        resolve: ({ organization }, _, ctx) => uploadHandle(ctx, 'organization-cover', organization.id),
      }),
    }),
  })

builder.queryField('organization', (t) =>
  t.field({
    type: typeOf('Organization'),
    nullable: true,
    description: "The viewer's own organization; any other is not found.",
    args: { id: t.arg.id({ required: true, description: 'UUID of the organization.' }) },
    resolve: (_, { id }, ctx, info) => getOrganization(ctx, id, { plan: planOf(info, ctx) }),
  }),
)
builder.mutationField('updateOrganization', (t) =>
  t.field({
    type: UpdateOrganizationPayload,
    description: 'Changes the settings of the organization.',
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the organization.' }),
      input: t.arg({ type: UpdateOrganizationInput, required: true, description: 'What is changed.' }),
    },
    resolve: async (_, { id, input }, ctx) => ({ organization: await updateOrganization(ctx, id, input) }),
  }),
)
builder.mutationField('updateOrganizationDomain', (t) =>
  t.field({
    type: UpdateOrganizationDomainPayload,
    description: "Changes the host in the addresses of the organization's files. Owners and admins.",
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the organization.' }),
      domain: t.arg.string({ required: true, description: 'Host, and port where it has one: `cdn.example.com`.' }),
    },
    resolve: async (_, { id, domain }, ctx) => ({ organization: await updateOrganizationDomain(ctx, id, domain) }),
  }),
)
builder.mutationField('createOrganizationCoverUpload', (t) =>
  t.field({
    type: CoverUploadPayload,
    description: 'Makes an address that takes one cover image for the organization.',
    args: { organizationId: t.arg.id({ required: true, description: 'UUID of the organization.' }) },
    resolve: async (_, { organizationId }, ctx) => ({
      organization: await getOrganizationForCover(ctx, organizationId),
    }),
  }),
)
