import { z } from 'zod'
import { text } from '../../../platform/schema/fields.ts'
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
        id: collectionFields.id.restShape,
        title: text({ description: titleDescription, example: 'An album' }).restShape,
        organizationIndex: collectionFields.organizationIndex.restShape,
      }),
    }),
  }),
)
