import { builder, enumValues, omitNulls } from '../../platform/graphql/builder.ts'
import type { ProcessingGroup, StorageGroup, UsageGroup } from './schema.ts'
import {
  getProcessingUsage,
  getStorageUsage,
  getUsage,
  type ProcessingRow,
  type StorageRow,
  type UsageRow,
} from './service.ts'

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

const creator = {
  nullable: true,
  description: 'The creator; null unless counted by, and for what belongs to none.',
} as const
const day = { nullable: true, description: '`YYYY-MM-DD` in UTC; null unless counted by.' } as const
const other = { nullable: true, description: 'Null unless counted by.' } as const

const UsageRowObject = builder.objectRef<UsageRow>('UsageRow').implement({
  description: 'Requests of one combination. Records that it names may be deleted since.',
  fields: (t) => ({
    day: t.exposeString('day', day),
    creatorId: t.exposeID('creatorId', creator),
    collectionId: t.exposeID('collectionId', other),
    trackId: t.exposeID('trackId', other),
    keyId: t.exposeID('keyId', other),
    variantId: t.exposeID('variantId', other),
    requests: t.exposeFloat('requests', {
      description: 'How often a stream link led to a file: what is billed. A whole number.',
    }),
    listens: t.exposeFloat('listens', {
      description:
        'Of them, how often somebody listened: one for each listener and file within 24 hours, without bots, fetches ' +
        'ahead and requests for a few bytes. A whole number.',
    }),
  }),
})

const from = {
  type: 'DateTime',
  description: 'At or after; a day means its start in UTC. 30 days before the end unless told.',
} as const
const to = {
  type: 'DateTime',
  description: 'Before; a day means its start in UTC. Up to now unless told. At most 400 days after from.',
} as const
const groupBy = { description: 'A single row for all unless told.' }

builder.queryField('usage', (t) =>
  t.field({
    type: [UsageRowObject],
    description:
      'Play requests and listens, exact to the last one that was answered. One row for each combination of what is ' +
      'counted by, in the order of day, creator, collection, track, key and variant; 10,000 at most (GET /v1/usage has ' +
      'them all as CSV). A key with a scope sees its part.',
    args: { from: t.arg(from), to: t.arg(to), groupBy: t.arg({ type: [UsageGroupEnum], ...groupBy }) },
    resolve: (_, args, ctx) => getUsage(ctx, omitNulls(args)),
  }),
)

const StorageGroupEnum = builder.enumType('StorageGroup', {
  description: 'What stored bytes are counted by.',
  values: enumValues<StorageGroup>({
    creator: 'The creator that the track belongs to.',
    collection: 'The collection that the track lies in.',
  }),
})

const StorageRowObject = builder.objectRef<StorageRow>('StorageRow').implement({
  description: 'Bytes in storage, of tracks that are not deleted.',
  fields: (t) => ({
    creatorId: t.exposeID('creatorId', creator),
    collectionId: t.exposeID('collectionId', other),
    sourceBytes: t.exposeFloat('sourceBytes', { description: 'Uploaded recordings. A whole number.' }),
    fileBytes: t.exposeFloat('fileBytes', {
      description: 'Finished files, without what lies beside them, like the sizes of a cover. A whole number.',
    }),
  }),
})

builder.queryField('storageUsage', (t) =>
  t.field({
    type: [StorageRowObject],
    description:
      'What is stored now, in the order of creator and collection; 10,000 rows at most. A key with a scope sees its part.',
    args: { groupBy: t.arg({ type: [StorageGroupEnum], ...groupBy }) },
    resolve: (_, args, ctx) => getStorageUsage(ctx, omitNulls(args)),
  }),
)

const ProcessingGroupEnum = builder.enumType('ProcessingGroup', {
  description: 'What processing is counted by.',
  values: enumValues<ProcessingGroup>({
    day: 'The day in UTC on which it ended.',
    creator: 'The creator that the track or collection belonged to.',
    collection: 'The collection that it was for, or that the track lay in.',
    track: 'The track.',
  }),
})

const ProcessingRowObject = builder.objectRef<ProcessingRow>('ProcessingRow').implement({
  description: 'Jobs that made files.',
  fields: (t) => ({
    day: t.exposeString('day', day),
    creatorId: t.exposeID('creatorId', creator),
    collectionId: t.exposeID('collectionId', { ...other, description: `${other.description} Also of what has none.` }),
    trackId: t.exposeID('trackId', { ...other, description: `${other.description} Also of what has none.` }),
    jobs: t.exposeFloat('jobs', { description: 'How many were done. A whole number.' }),
    seconds: t.exposeFloat('seconds', { description: 'From the start of the last attempt of each to its end.' }),
  }),
})

builder.queryField('processingUsage', (t) =>
  t.field({
    type: [ProcessingRowObject],
    description:
      'Time that processing took, of jobs that are done. Rows in the order of day, creator, collection and track; 10,000 ' +
      'at most. A key with a scope sees its part.',
    args: { from: t.arg(from), to: t.arg(to), groupBy: t.arg({ type: [ProcessingGroupEnum], ...groupBy }) },
    resolve: (_, args, ctx) => getProcessingUsage(ctx, omitNulls(args)),
  }),
)
