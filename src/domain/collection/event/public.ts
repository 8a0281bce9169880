import { z } from 'zod'
import * as shape from '../../../platform/schema/shape.ts'
import { type EventDocument, subjectFields } from '../../event/record.ts'

/** Contract, section 7. */
export const collectionEvents: EventDocument[] = (['created', 'updated', 'deleted'] as const).map((what) => ({
  type: `collection.${what}`,
  summary: `A collection was ${what}.`,
  data: z.object({
    ...subjectFields,
    collection: z.object({
      id: shape.id(),
      title: shape.text('What it was called then.', 'An album'),
      organizationIndex: shape.text('Your own identifier.', 'album-9').nullable(),
    }),
  }),
}))
