import type { Event } from '../../../platform/db/generated/client/client.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { EventInterface } from '../../event/graphql.ts'

const dataOf = ({ data }: Event) => data as { collection_id: string; collection: { title: string } }

builder.objectRef<Event>('CollectionEvent').implement({
  description: 'A collection was created, changed or deleted.',
  interfaces: [EventInterface],
  fields: (t) => ({
    collectionId: t.id({ description: 'The collection.', resolve: (event) => dataOf(event).collection_id }),
    creatorId: t.exposeID('creatorId', { nullable: true, description: 'The creator that it belongs to.' }),
    title: t.string({ description: 'What it was called then.', resolve: (event) => dataOf(event).collection.title }),
  }),
})
