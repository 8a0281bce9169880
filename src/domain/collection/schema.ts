import { z } from 'zod'
import {
  hexColor,
  listFilter,
  metadata,
  optionalIndex,
  organizationIndex,
  page,
  requiredText,
  text,
  uuid,
} from '../../platform/schema/input.ts'
import { theme } from '../organization/schema.ts'

const optional = {
  organizationIndex: optionalIndex,
  metadata: metadata.optional(),
  theme: theme.optional(),
  isCoverOverridable: z.boolean().describe('Whether tracks may bring covers of their own.').optional(),
  isThemeOverridable: z.boolean().describe('Whether tracks may bring colours of their own.').optional(),
  playerColor: hexColor.describe("What players are drawn in; null inherits the organization's.").nullish(),
  playerSubtitle: text(1024)
    .meta({ description: 'Shown below the title.', examples: ['A band'] })
    .nullish(),
}
const title = requiredText(1024).meta({ description: 'Shown to listeners.', examples: ['An album'] })

export const createCollectionInput = z
  .object({ title, creatorId: uuid.describe('The creator that it belongs to.').nullish(), ...optional })
  .meta({ id: 'CreateCollection' })

export const updateCollectionInput = z.object({ title: title.optional(), ...optional }).meta({ id: 'UpdateCollection' })

export const collectionFilter = z.object({
  organizationIndex: organizationIndex.describe('Only those with this identifier.').optional(),
  creatorId: uuid.describe('Only those of this creator.').optional(),
  ...listFilter,
})
export const listCollectionsInput = page.extend(
  collectionFilter.pick({ organizationIndex: true, creatorId: true }).shape,
)

export const collectionId = z.object({ collectionId: uuid.describe('The collection.') })
