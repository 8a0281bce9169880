import { z } from 'zod'
import { metadata, page, requiredText, uuid } from '../../platform/input.ts'

export const createCreatorInput = z.object({
  organizationIndex: requiredText(255),
  metadata: metadata.default({}),
})

export const updateCreatorInput = z.object({
  organizationIndex: requiredText(255).optional(),
  metadata: metadata.optional(),
})

export const creatorFilter = z.object({ organizationIndex: requiredText(255).optional() })
export const listCreatorsInput = page.extend(creatorFilter.shape)

export const creatorId = z.object({ creatorId: uuid })
