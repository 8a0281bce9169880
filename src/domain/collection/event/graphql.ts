import type { Event } from '../../../platform/db/generated/client/client.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { Node } from '../../../platform/graphql/node.ts'
import { EventInterface } from '../../event/graphql.ts'
import { titleDescription } from './public.ts'

const readCollectionData = ({ data }: Event) => data as { collection_id: string; collection: { title: string } }

builder.objectRef<Event>('CollectionEvent').implement({
  description: 'A collection was created, updated, deleted or restored.',
  interfaces: [Node, EventInterface],
  fields: (t) => ({
    collectionId: t.id({
      description: 'ID of the collection.',
      resolve: (event) => readCollectionData(event).collection_id,
    }),
    creatorId: t.exposeID('creatorId', {
      nullable: true,
      description: 'ID of the creator that it belongs to. Null when it belongs to none.',
    }),
    title: t.string({ description: titleDescription, resolve: (event) => readCollectionData(event).collection.title }),
  }),
})
