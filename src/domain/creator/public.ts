import { z } from 'zod'
import type { Creator } from '../../platform/db/generated/client/client.ts'
import * as shape from '../../platform/shape.ts'

const fields = {
  id: shape.id(),
  organizationId: shape.id('The organization that it belongs to.'),
  folderId: shape.id('Its storage folder, which its collections and tracks lie in.'),
  organizationIndex: shape.text('Your own identifier, unique among the creators.', 'artist-417'),
  metadata: shape.metadata(),
}

/** Specification, section 2, Creator. */
export const creatorShape = z
  .object({
    ...fields,
    createdAt: shape.time('When it was created.'),
    updatedAt: shape.time('When it was last changed.'),
  })
  .meta({ id: 'Creator', description: 'A sub-account of the organization, typically one contributor.' })

export const deletedCreatorShape = z.object(fields).meta({ id: 'DeletedCreator' })

export const shownDeletedCreator = (creator: Creator): z.input<typeof deletedCreatorShape> => ({
  id: creator.id,
  organizationId: creator.organizationId,
  folderId: creator.folderId,
  organizationIndex: creator.organizationIndex,
  metadata: creator.metadata,
})

/** A creator as /v1 shows it. */
export const shownCreator = (creator: Creator): z.input<typeof creatorShape> => ({
  ...shownDeletedCreator(creator),
  createdAt: creator.createdAt,
  updatedAt: creator.updatedAt,
})
