import { z } from 'zod'
import { hexColor, listFilter, metadata, page, requiredText, text, uuid } from '../../platform/input.ts'
import { theme } from '../organization/schema.ts'

const optional = {
  organizationIndex: text(255).nullish(),
  metadata: metadata.optional(),
  theme: theme.optional(),
  isCoverOverridable: z.boolean().optional(),
  isThemeOverridable: z.boolean().optional(),
  playerColor: hexColor.nullish(),
  playerSubtitle: text(1024).nullish(),
}

export const createCollectionInput = z.object({ title: requiredText(1024), creatorId: uuid.nullish(), ...optional })

export const updateCollectionInput = z.object({ title: requiredText(1024).optional(), ...optional })

export const collectionFilter = z.object({
  organizationIndex: requiredText(255).optional(),
  creatorId: uuid.optional(),
  ...listFilter,
})
export const listCollectionsInput = page.extend(
  collectionFilter.pick({ organizationIndex: true, creatorId: true }).shape,
)

export const collectionId = z.object({ collectionId: uuid })
