import { builder, enumValues, present } from '../../platform/builder.ts'
import type { UsageGroup } from './schema.ts'
import { getUsage, type UsageRow } from './service.ts'

const UsageGroupEnum = builder.enumType('UsageGroup', {
  description: 'What requests are counted by.',
  values: enumValues<UsageGroup>({
    day: 'The day in UTC.',
    creator: 'The creator that the track belonged to.',
    collection: 'The collection that the track lay in.',
    track: 'The track.',
    key: 'The key of the link.',
    variant: 'The variant that was asked for.',
  }),
})

const UsageRowObject = builder.objectRef<UsageRow>('UsageRow').implement({
  description: 'Requests of one combination. Records that it names may be deleted since.',
  fields: (t) => ({
    day: t.exposeString('day', { nullable: true, description: '`YYYY-MM-DD` in UTC; null unless counted by.' }),
    creatorId: t.exposeID('creatorId', {
      nullable: true,
      description: 'The creator; null unless counted by, and for tracks of none.',
    }),
    collectionId: t.exposeID('collectionId', { nullable: true, description: 'Null unless counted by.' }),
    trackId: t.exposeID('trackId', { nullable: true, description: 'Null unless counted by.' }),
    keyId: t.exposeID('keyId', { nullable: true, description: 'Null unless counted by.' }),
    variantId: t.exposeID('variantId', { nullable: true, description: 'Null unless counted by.' }),
    requests: t.exposeInt('requests', { description: 'How often a stream link led to a file.' }),
  }),
})

builder.queryField('usage', (t) =>
  t.field({
    type: [UsageRowObject],
    description:
      'Play requests, exact to the last one that was answered. One row for each combination of what is counted by, ' +
      'in the order of day, creator, collection, track, key and variant; 10,000 at most. A key with a scope sees its part.',
    args: {
      from: t.arg({
        type: 'DateTime',
        description: 'At or after; a day means its start in UTC. 30 days before the end unless told.',
      }),
      to: t.arg({
        type: 'DateTime',
        description: 'Before; a day means its start in UTC. Up to now unless told. At most 400 days after from.',
      }),
      groupBy: t.arg({ type: [UsageGroupEnum], description: 'A single row for all unless told.' }),
    },
    resolve: (_, args, ctx) => getUsage(ctx, present(args)),
  }),
)
