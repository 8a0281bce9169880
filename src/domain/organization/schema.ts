import { z } from 'zod'
import { hexColor, requiredText, text, uuid } from '../../platform/input.ts'

const share = z.number().min(0).max(1)

/** Colours of a cover, largest area first (contract, section 8). */
export const theme = z.array(z.object({ hex: hexColor, area: share, lightness: share, saturation: share })).max(64)

export const updateOrganizationInput = z.object({
  name: requiredText(255).optional(),
  theme: theme.optional(),
  isThemeOverridable: z.boolean().optional(),
  isCoverOverridable: z.boolean().optional(),
  playerColor: hexColor.optional(),
  playerSubtitle: text(1024).optional(),
})

export const organizationId = z.object({ organizationId: uuid })
