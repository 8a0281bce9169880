import { builder } from '../../platform/graphql/builder.ts'
import { defineUpdateInput, idArgument, inputArgument } from '../../platform/graphql/input.ts'
import { defineRecordQuery } from '../../platform/graphql/list.ts'
import { Node } from '../../platform/graphql/node.ts'
import { definePayload } from '../../platform/graphql/payload.ts'
import { needsColumns } from '../../platform/graphql/plan.ts'
import { withPrice } from '../../platform/graphql/price.ts'
import { expose, inputFields } from '../../platform/graphql/record.ts'
import { parse, parseId } from '../../platform/schema/parse.ts'
import { administratorScope, organizationScope, permitted, readScope } from '../access/viewer.ts'
import { coverUploadField } from '../upload-address/graphql.ts'
import { legibleColors } from './colors.ts'
import { coverImages, toRestCover } from './cover/graphql.ts'
import { getOrganizationForCover } from './cover/service.ts'
import { inheritedTheme, type ThemeTiers } from './inherit.ts'
import {
  legibleColorFields,
  MAX_THEME_COLORS,
  organizationColumns,
  organizationDashboardFields,
  organizationFields,
  organizationShape,
  type ThemeColor,
  theme,
  themeColorFields,
  updateDomainInput,
  updateOrganizationInDashboard,
} from './record.ts'
import { getOrganization, readWebhookUrl, updateOrganization, updateOrganizationDomain } from './service.ts'

const ThemeColorObject = builder.objectRef<ThemeColor>('ThemeColor').implement({
  description: 'A color of a cover.',
  fields: (t) => expose(t, themeColorFields),
})
const themeType = [ThemeColorObject] as [typeof ThemeColorObject]
/** Price of every list of colors. */
export const themePrice = { items: MAX_THEME_COLORS }

/** Options of every `theme` field. */
export const themeField = {
  type: themeType,
  description: theme.description,
  ...withPrice(needsColumns('theme'), themePrice),
  resolve: (record: { theme: unknown }) => record.theme as ThemeColor[],
}

/** Options of an `effectiveTheme` field. @param tiersOf the tiers that were read with the row */
export const effectiveThemeField = <R>(tiersOf: (row: R) => ThemeTiers) => ({
  type: themeType,
  description: 'The theme that applies: its own or an inherited one, as `isThemeOverridable` of the parents says.',
  extensions: { price: themePrice },
  resolve: (row: R) => inheritedTheme(tiersOf(row)) as ThemeColor[],
})

interface Colored {
  playerColor: string | null
}
/** Options of the fields of the two derived colors. */
export const playerColorLightField = {
  nullable: true,
  description: legibleColorFields.playerColorLight.description,
  ...needsColumns('playerColor'),
  resolve: ({ playerColor }: Colored) => legibleColors(playerColor).playerColorLight,
} as const
export const playerColorDarkField = {
  nullable: true,
  description: legibleColorFields.playerColorDark.description,
  ...needsColumns('playerColor'),
  resolve: ({ playerColor }: Colored) => legibleColors(playerColor).playerColorDark,
} as const

const ThemeColorInput = builder.inputType('ThemeColorInput', {
  description: 'A color of a cover.',
  fields: (t) => inputFields(t, themeColorFields, 'create'),
})
/** Options of every `theme` field of an input. */
export const themeInput = { type: [ThemeColorInput] as [typeof ThemeColorInput], description: theme.description }

builder.prismaObject('Organization', {
  interfaces: [Node],
  description: organizationShape.description,
  fields: (t) => ({
    ...expose(t, { ...organizationColumns, ...organizationDashboardFields }),
    coverImage: t.field({
      type: coverImages,
      nullable: true,
      description: 'Cover, which collections and tracks inherit. Null without one.',
      ...needsColumns('id', 'cover'),
      resolve: ({ id, cover }) => toRestCover(id, cover),
    }),
    theme: t.field(themeField),
    playerColorLight: t.string(playerColorLightField),
    playerColorDark: t.string(playerColorDarkField),
    webhookUrl: t.string({
      nullable: true,
      description: organizationFields.webhookUrl.description,
      // A statement for each organization.
      ...withPrice(needsColumns('id'), { points: 10 }),
      resolve: ({ id }, _, ctx) => readWebhookUrl(ctx, id),
    }),
  }),
})

defineRecordQuery('organization', 'Organization', {
  description: "Returns the viewer's organization. Any other one is not found.",
  permit: readScope,
  find: getOrganization,
})

const UpdateOrganizationInput = defineUpdateInput(
  'Organization',
  { ...organizationFields, ...organizationDashboardFields },
  (t) => ({ theme: t.field(themeInput) }),
)

builder.mutationFields((t) => ({
  updateOrganization: t.field({
    type: definePayload('UpdateOrganization', 'organization', 'Organization'),
    description: 'Changes the given fields of the organization.',
    args: { id: idArgument('organization'), input: inputArgument(UpdateOrganizationInput) },
    resolve: permitted(organizationScope, (_, { id, input }, ctx) =>
      updateOrganization(ctx, parseId('organizationId', id), parse(updateOrganizationInDashboard, input)),
    ),
  }),
  updateOrganizationDomain: t.field({
    type: definePayload('UpdateOrganizationDomain', 'organization', 'Organization'),
    description: "Changes the host in the addresses of the organization's files. For owners and admins.",
    args: {
      id: idArgument('organization'),
      domain: t.arg.string({
        required: true,
        description:
          'Host, and port if it is not the default one, such as `cdn.example.com`. A public one, other than that of the API.',
      }),
    },
    resolve: permitted(administratorScope, (_, { id, ...input }, ctx) =>
      updateOrganizationDomain(ctx, parseId('organizationId', id), parse(updateDomainInput, input).domain),
    ),
  }),
  createOrganizationCoverUpload: t.field({
    type: definePayload('CreateOrganizationCoverUpload', 'organization', 'Organization', {
      description: 'The organization and the upload of its cover.',
      more: (t) => ({ organizationCoverUpload: t.field(coverUploadField('organization-cover')) }),
    }),
    description: 'Creates an address that accepts one cover image for the organization.',
    args: { organizationId: idArgument('organization') },
    resolve: permitted(organizationScope, (_, { organizationId }, ctx) =>
      getOrganizationForCover(ctx, parseId('organizationId', organizationId)),
    ),
  }),
}))
