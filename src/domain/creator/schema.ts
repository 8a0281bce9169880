import { z } from 'zod'
import { listFilter, metadata, organizationIndex, page, uuid } from '../../platform/input.ts'

export const createCreatorInput = z
  .object({
    organizationIndex: organizationIndex.describe('Your own identifier, unique among the creators.'),
    metadata: metadata.default({}),
  })
  .meta({ id: 'CreateCreator' })

export const updateCreatorInput = z
  .object({
    organizationIndex: organizationIndex.describe('Your own identifier, unique among the creators.').optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'UpdateCreator' })

export const creatorFilter = z.object({
  organizationIndex: organizationIndex.describe('Only the one with this identifier.').optional(),
  ...listFilter,
})
export const listCreatorsInput = page.extend(creatorFilter.pick({ organizationIndex: true }).shape)

export const creatorId = z.object({ creatorId: uuid.describe('The creator.') })
