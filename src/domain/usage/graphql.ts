import { builder, defineEnum } from '../../platform/graphql/builder.ts'
import { omitNulls } from '../../platform/graphql/input.ts'
import { expose, filterFields } from '../../platform/graphql/record.ts'
import { parse } from '../../platform/schema/parse.ts'
import { permitted, readScope } from '../access/viewer.ts'
import { readAudience } from './audience.ts'
import { MAX_DAYS } from './period.ts'
import {
  type AudienceKind,
  type AudienceRow,
  audienceDescription,
  audienceFields,
  audienceFilters,
  audienceInput,
  groupByDescription,
  type ProcessingGroup,
  type ProcessingRow,
  processingDescription,
  processingFields,
  processingInput,
  rangeFilters,
  type StorageGroup,
  type StorageRow,
  storageDescription,
  storageFields,
  storageInput,
  type UsageGroup,
  type UsageRow,
  usageDescription,
  usageFields,
  usageFilters,
  usageInput,
} from './record.ts'
import { processingTable, readTable, storageTable, usageTable } from './service.ts'

const UsageGroupEnum = defineEnum<UsageGroup>('UsageGroup', 'A group of play requests.', {
  day: 'Day in UTC.',
  creator: 'Creator of the track at the time of the request.',
  collection: 'Collection of the track at the time of the request.',
  track: 'Track.',
  key: 'Share key of the link.',
  variant: 'Variant of the file.',
})
const StorageGroupEnum = defineEnum<StorageGroup>('StorageGroup', 'A group of stored bytes.', {
  creator: 'Creator of the track.',
  collection: 'Collection of the track.',
})
const ProcessingGroupEnum = defineEnum<ProcessingGroup>('ProcessingGroup', 'A group of processing time.', {
  day: 'Day in UTC on which the job ended.',
  creator: 'Creator of the track or collection.',
  collection: 'Collection of the job, or of its track.',
  track: 'Track.',
})

const AudienceKindEnum = defineEnum<AudienceKind>('AudienceKind', 'A property of listeners.', {
  app: 'App, by User-Agent: a player, a browser, or a library that many apps play with.',
  device: 'Kind of device, by User-Agent.',
  country: 'Country, as the CDN in front of the service says (`COUNTRY_HEADER`).',
  site: 'Host of the page that played it.',
})

const AudienceRowObject = builder.objectRef<AudienceRow>('AudienceRow').implement({
  description: audienceDescription,
  fields: (t) => expose(t, audienceFields),
})
const UsageRowObject = builder.objectRef<UsageRow>('UsageRow').implement({
  description: usageDescription,
  fields: (t) => expose(t, usageFields),
})
const StorageRowObject = builder.objectRef<StorageRow>('StorageRow').implement({
  description: storageDescription,
  fields: (t) => expose(t, storageFields),
})
const ProcessingRowObject = builder.objectRef<ProcessingRow>('ProcessingRow').implement({
  description: processingDescription,
  fields: (t) => expose(t, processingFields),
})

const GROUPED_POINTS = 1000
const SUM_POINTS = 50

/** Points of a table of usage by its groups. The rows that it turns out to have are charged afterwards. */
const usagePrice = {
  items: 1,
  byArguments: ({ groupBy }: Readonly<Record<string, unknown>>) => {
    const groups = [groupBy ?? []].flat()
    if (groups.length === 0) return SUM_POINTS
    return groups.every((group) => group === 'DAY') ? MAX_DAYS : GROUPED_POINTS
  },
}

const audience = builder.args((t) => filterFields(t, audienceFilters))
const range = builder.args((t) => filterFields(t, rangeFilters))
const plays = builder.args((t) => filterFields(t, usageFilters))
builder.queryFields((t) => ({
  usage: t.field({
    type: [UsageRowObject],
    extensions: { price: usagePrice },
    description:
      'Returns play requests and listens, including the latest answered request. Sorted by day, creator, collection, ' +
      'track, key and variant, unless `top` is set. At most 10,000 rows; GET /v1/usage returns any number as CSV. A ' +
      'key with a scope sees its part.',
    args: {
      ...plays,
      groupBy: t.arg({ type: [UsageGroupEnum], description: groupByDescription }),
    },
    resolve: permitted(readScope, async (_, args, ctx) =>
      readTable<UsageRow>(ctx, await usageTable(ctx, parse(usageInput, omitNulls(args)))),
    ),
  }),
  audience: t.field({
    type: [AudienceRowObject],
    extensions: { price: { items: 1, points: MAX_DAYS } },
    description:
      'Counts listens of whole days by one property of the listeners, the most listens first. Without `AUDIENCE=on` of the ' +
      'operator everything but the site is unknown. Neither addresses nor user agents are stored. A key with a scope ' +
      'sees its part.',
    args: {
      ...audience,
      by: t.arg({ type: AudienceKindEnum, required: true, description: 'The property.' }),
    },
    resolve: permitted(readScope, (_, args, ctx) => readAudience(ctx, parse(audienceInput, omitNulls(args)))),
  }),
  storageUsage: t.field({
    type: [StorageRowObject],
    extensions: { price: usagePrice },
    description:
      'Returns the bytes in storage now, sorted by creator and collection. At most 10,000 rows. A key with a scope ' +
      'sees its part.',
    args: { groupBy: t.arg({ type: [StorageGroupEnum], description: groupByDescription }) },
    resolve: permitted(readScope, (_, args, ctx) =>
      readTable<StorageRow>(ctx, storageTable(ctx, parse(storageInput, omitNulls(args)))),
    ),
  }),
  processingUsage: t.field({
    type: [ProcessingRowObject],
    extensions: { price: usagePrice },
    description:
      'Returns the processing time of succeeded jobs, sorted by day, creator, collection and track. At most 10,000 ' +
      'rows. A key with a scope sees its part.',
    args: {
      ...range,
      groupBy: t.arg({ type: [ProcessingGroupEnum], description: groupByDescription }),
    },
    resolve: permitted(readScope, (_, args, ctx) =>
      readTable<ProcessingRow>(ctx, processingTable(ctx, parse(processingInput, omitNulls(args)))),
    ),
  }),
}))
