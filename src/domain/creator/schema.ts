import { z } from 'zod'
import { listFilter, metadata, page, requiredText, uuid } from '../../platform/input.ts'

export const createCreatorInput = z.object({
  organizationIndex: requiredText(255),
  metadata: metadata.default({}),
})

export const updateCreatorInput = z.object({
  organizationIndex: requiredText(255).optional(),
  metadata: metadata.optional(),
})

export const creatorFilter = z.object({ organizationIndex: requiredText(255).optional(), ...listFilter })
export const listCreatorsInput = page.extend(creatorFilter.pick({ organizationIndex: true }).shape)

export const creatorId = z.object({ creatorId: uuid })
