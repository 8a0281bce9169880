import { z } from 'zod'
import * as shape from '../../../platform/schema/shape.ts'
import { type EventDocument, subjectFields } from '../../event/record.ts'
import { collectionFields } from '../record.ts'

export const titleDescription = 'Title of the collection at the time of the event.'

/** Contract, section 7. */
export const collectionEvents: EventDocument[] = (['created', 'updated', 'deleted', 'restored'] as const).map(
  (change) => ({
    type: `collection.${change}`,
    summary: `A collection was ${change}.`,
    data: z.object({
      ...subjectFields,
      collection: z.object({
        id: collectionFields.id.shown,
        title: shape.text(titleDescription, 'An album'),
        organizationIndex: collectionFields.organizationIndex.shown,
      }),
    }),
  }),
)
