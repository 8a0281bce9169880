import { z } from 'zod'
import { createdAt, id, metadata, text, updatedAt } from '../../platform/schema/fields.ts'
import {
  createdFilters,
  createShape,
  filter,
  filterShape,
  restShape,
  searchFilter,
  updateShape,
} from '../../platform/schema/record.ts'
import { organizationIndexRule, pageRules, uuidRule } from '../../platform/schema/rules.ts'

/** Specification, section 2, Creator. */
export const creatorFields = {
  id: id({ description: 'ID of the creator. UUID.' }),
  organizationId: id({ description: 'ID of the organization that it belongs to.' }),
  folderId: id({ description: 'ID of the storage folder that contains its collections and tracks.' }),
  organizationIndex: text({
    description: "The client's own identifier, unique among the creators of the organization.",
    max: 255,
    example: 'artist-417',
    required: true,
    inputs: ['create', 'update'],
  }),
  metadata: metadata({ inputs: ['create', 'update'] }),
  createdAt,
  updatedAt,
}

export const creatorDescription = 'A sub-account of the organization, typically one contributor.'

export const creatorShape = z.object(restShape(creatorFields)).meta({ id: 'Creator', description: creatorDescription })

const { createdAt: _, updatedAt: __, ...deletedFields } = creatorFields
/** The specification shows a deleted creator without its times. */
export const deletedCreatorFields = deletedFields
export const deletedCreatorShape = z.object(restShape(deletedCreatorFields)).meta({ id: 'DeletedCreator' })

export const createCreatorInput = z.object(createShape(creatorFields)).meta({ id: 'CreateCreator' })
export type CreateCreator = z.output<typeof createCreatorInput>

export const updateCreatorInput = z.object(updateShape(creatorFields)).meta({ id: 'UpdateCreator' })
export type UpdateCreator = z.output<typeof updateCreatorInput>

export const creatorFilters = {
  organizationIndex: filter('String', organizationIndexRule, 'Exact match of the identifier.'),
  search: searchFilter('organizationIndex'),
  ...createdFilters,
}
export const creatorFilter = z.object(filterShape(creatorFilters))
export type CreatorFilter = z.output<typeof creatorFilter>
export const listCreatorsInput = pageRules.extend(creatorFilter.pick({ organizationIndex: true }).shape)

export const creatorId = z.object({ creatorId: uuidRule.describe('ID of the creator.') })
