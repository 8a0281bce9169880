import { z } from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Organization } from '../../platform/db/generated/client/client.ts'
import * as shape from '../../platform/schema/shape.ts'
import { legibleColors } from './colors.ts'
import { webhookUrlOf } from './service.ts'

const share = (description: string) => shape.number(description, 0.42)

/** Colours of a cover as they are stored (contract, section 8). */
export const themeShape = shape.stored(
  z.array(
    z
      .object({
        hex: shape.color('The colour.'),
        area: share('Its part of the picture, 0-1.'),
        lightness: share('0-1.'),
        saturation: share('0-1.'),
      })
      .meta({ id: 'CoverColor' }),
  ),
  'Colours of the cover, largest area first.',
)

/** Specification, section 2, Organization. */
export const organizationShape = z
  .object({
    id: shape.id(),
    name: shape.text('What the dashboard calls it.', 'Demo'),
    theme: themeShape,
    isThemeOverridable: shape.flag('Whether collections and tracks may bring colours of their own.'),
    isCoverOverridable: shape.flag('Whether collections and tracks may bring covers of their own.'),
    playerColor: shape.color('What players are drawn in.'),
    ...shape.legibleColors,
    playerSubtitle: shape.text('Shown below the title.', 'A label'),
    webhookUrl: shape.url('Where events are sent; set in the dashboard.', 'https://example.com/hook').nullable(),
  })
  .meta({ id: 'Organization', description: 'Whom everything belongs to.' })

/** An organization as /v1 shows it. */
export const toRestOrganization = async (
  ctx: Context,
  organization: Organization,
): Promise<z.input<typeof organizationShape>> => ({
  id: organization.id,
  name: organization.name,
  theme: organization.theme,
  isThemeOverridable: organization.isThemeOverridable,
  isCoverOverridable: organization.isCoverOverridable,
  playerColor: organization.playerColor,
  ...legibleColors(organization.playerColor),
  playerSubtitle: organization.playerSubtitle,
  webhookUrl: await webhookUrlOf(ctx, organization.id),
})
