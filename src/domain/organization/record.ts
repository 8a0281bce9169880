import { z } from 'zod'
import { color, createdAt, flag, id, json, number, text, updatedAt, url } from '../../platform/schema/fields.ts'
import { createShape, restShape, updateShape } from '../../platform/schema/record.ts'
import { requiredTextRule, uuidRule } from '../../platform/schema/rules.ts'
import { domainInput } from './domain.ts'

const share = (description: string) =>
  number({ description, min: 0, max: 1, example: 0.42, required: true, inputs: ['create'] })

/** A color of a cover (contract, section 8). */
export const themeColorFields = {
  hex: color({ description: 'The color.', required: true, inputs: ['create'] }),
  area: share('Share of the image that has this color.'),
  lightness: share('Lightness, from black to white.'),
  saturation: share('Saturation, from grey to full color.'),
}
const themeColorInput = z.object(createShape(themeColorFields)).meta({ id: 'SetCoverColor' })
export type ThemeColor = z.output<typeof themeColorInput>

/** Maximum number of colors of a theme. */
export const MAX_THEME_COLORS = 64

/** The theme of an organization, a collection or a track. */
export const theme = json({
  description:
    'Colors of the cover, largest area first. At most 64. The colors of an uploaded cover replace a theme that was set; ' +
    'processing and rebuilding a recording do not.',
  restShape: z.array(z.object(restShape(themeColorFields)).meta({ id: 'CoverColor' })),
  rule: z.array(themeColorInput).max(MAX_THEME_COLORS),
  inputs: ['create', 'update'],
})

const legible = (background: string) =>
  color({
    description: `The player color, made legible on ${background} backgrounds.`,
    nullable: true,
    nullMeans: 'Null without a player color.',
  })
/** Derived from a player color by `legibleColors` (contract, section 8). */
export const legibleColorFields = { playerColorLight: legible('light'), playerColorDark: legible('dark') }

/** Fields of an organization that are stored as they are shown. */
export const organizationColumns = {
  id: id({ description: 'ID of the organization. UUID.' }),
  name: text({
    description: 'Name of the organization, shown in the dashboard.',
    max: 255,
    example: 'A label',
    required: true,
    inputs: ['update'],
  }),
  theme,
  isThemeOverridable: flag({
    description: 'Whether collections and tracks may have a theme of their own.',
    inputs: ['update'],
  }),
  isCoverOverridable: flag({
    description: 'Whether collections and tracks may have a cover of their own.',
    inputs: ['update'],
  }),
  playerColor: color({ description: 'Color of players.', inputs: ['update'] }),
  playerSubtitle: text({
    description: 'Subtitle of players, shown below the title.',
    max: 1024,
    example: 'A label',
    inputs: ['update'],
  }),
}

/** Specification, section 2, Organization. */
export const organizationFields = {
  ...organizationColumns,
  ...legibleColorFields,
  webhookUrl: url({
    description: 'Address that receives events. Set in the dashboard.',
    example: 'https://example.com/hook',
    nullable: true,
  }),
}

/** Fields of an organization that only GraphQL shows. */
export const organizationDashboardFields = {
  isIndexable: flag({
    description:
      'Whether search engines may list the pages of share links. The address of a listed page contains its share key. ' +
      'Off for a new organization. Frames of other sites are never listed.',
    inputs: ['update'],
  }),
  transcribesUploads: flag({
    description:
      'Whether each new recording is transcribed, unless the track has a transcription. Has no effect on a service without ' +
      'speech recognition. Off for a new organization.',
    inputs: ['update'],
  }),
  domain: text({ description: 'Host that delivers its files, and port if it is not the default one.' }),
  createdAt,
  updatedAt,
}

export const organizationShape = z
  .object(restShape(organizationFields))
  .meta({ id: 'Organization', description: 'The tenant that creators, collections and tracks belong to.' })

export const updateOrganizationInput = z.object(updateShape(organizationFields)).meta({ id: 'UpdateOrganization' })
/** The same for GraphQL, which also has the fields of the dashboard. */
export const updateOrganizationInDashboard = updateOrganizationInput.extend(updateShape(organizationDashboardFields))
export type UpdateOrganization = z.output<typeof updateOrganizationInDashboard>

export const organizationId = z.object({
  organizationId: uuidRule.describe('ID of the organization. Must be that of the key.'),
})

export const updateDomainInput = z.object({ domain: domainInput })

/** The values that an operator creates an organization from. */
export const createOrganizationInput = z.object({ name: requiredTextRule(255), domain: domainInput.optional() })
