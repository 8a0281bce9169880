import { z } from 'zod'
import { id, largeNumber, number, text } from '../../platform/schema/fields.ts'
import { filter, filterShape, restShape } from '../../platform/schema/record.ts'
import { countRule, timeOrDayRule, uuidRule } from '../../platform/schema/rules.ts'

/** Groups of play requests, in sorting order. */
export const usageGroups = ['day', 'creator', 'collection', 'track', 'key', 'variant'] as const
export type UsageGroup = (typeof usageGroups)[number]

export const storageGroups = ['creator', 'collection'] as const
export type StorageGroup = (typeof storageGroups)[number]

export const processingGroups = ['day', 'creator', 'collection', 'track'] as const
export type ProcessingGroup = (typeof processingGroups)[number]

const groupedBy = (group: string, except = '') =>
  id({ description: `ID of the ${group}.`, nullable: true, nullMeans: `Null when not grouped by ${group}${except}.` })
const day = text({
  description: 'Day in UTC, `YYYY-MM-DD`.',
  nullable: true,
  nullMeans: 'Null when not grouped by day.',
  example: '2026-05-04',
})
const creatorId = groupedBy('creator', ', and for records without a creator')
const collectionId = groupedBy('collection')
const trackId = groupedBy('track')

export const usageFields = {
  day,
  creatorId,
  collectionId,
  trackId,
  keyId: groupedBy('key'),
  variantId: groupedBy('variant'),
  requests: largeNumber({
    description: 'Play requests: answers of the stream endpoint with a file. The billed figure.',
    example: 1204,
  }),
  listens: largeNumber({
    description:
      'Listens: the first play request of a listener and a file in 24 hours, without bots, prefetches and requests ' +
      'for a few bytes.',
    example: 871,
  }),
}
export const usageDescription = 'Play requests of one combination of groups. The records may have been deleted since.'
export const usageShape = z.object(restShape(usageFields)).meta({ id: 'Usage', description: usageDescription })
export type UsageRow = z.output<typeof usageShape>

export const storageFields = {
  creatorId,
  collectionId,
  sourceBytes: largeNumber({ description: 'Bytes of uploaded recordings.', example: 31_457_280 }),
  fileBytes: largeNumber({
    description:
      'Bytes of finished files, with all rates of adaptive streams, without other sibling files such as the sizes of a cover.',
    example: 12_582_912,
  }),
}
export const storageDescription = 'Bytes in storage, of undeleted tracks.'
export const storageShape = z
  .object(restShape(storageFields))
  .meta({ id: 'StorageUsage', description: storageDescription })
export type StorageRow = z.output<typeof storageShape>

export const processingFields = {
  day,
  creatorId,
  collectionId: groupedBy('collection', ', and for jobs without a collection'),
  trackId: groupedBy('track', ', for jobs without a track, and for days before PLAYS_KEPT_MONTHS'),
  jobs: largeNumber({ description: 'Jobs that succeeded.', example: 12 }),
  seconds: number({
    description: 'Seconds from the start of the last attempt of each job to its end. Transcriptions take none.',
    example: 84.2,
  }),
  transcribedSeconds: number({
    description:
      'Seconds of sound that were sent to the provider of transcriptions, also by jobs that did not succeed.',
    example: 1820.5,
  }),
}
export const processingDescription = 'Processing time of jobs that made files, and sound that was transcribed.'
export const processingShape = z
  .object(restShape(processingFields))
  .meta({ id: 'ProcessingUsage', description: processingDescription })
export type ProcessingRow = z.output<typeof processingShape>

/** Properties of listeners. */
export const audienceKinds = ['app', 'device', 'country', 'site'] as const
export type AudienceKind = (typeof audienceKinds)[number]

export const audienceFields = {
  value: text({
    description:
      'An app by its name, a device (`phone`, `tablet`, `computer`, `tv`, `speaker`, `car`, `watch`), a country as a code of ' +
      'ISO 3166-1 alpha-2, or the host of a site.',
    nullable: true,
    nullMeans: 'Null: unknown.',
    example: 'Overcast',
  }),
  listens: largeNumber({ description: 'Listens, as in `usage`.', example: 871 }),
}
export const audienceDescription = 'Listens of those who have one property.'
export const audienceShape = z
  .object(restShape(audienceFields))
  .meta({ id: 'AudienceRow', description: audienceDescription })
export type AudienceRow = z.output<typeof audienceShape>

export const rangeFilters = {
  from: filter(
    'DateTime',
    timeOrDayRule.meta({ examples: ['2026-05-01'] }),
    'Inclusive start. A day is its start in UTC. Defaults to 30 days before `to`.',
  ),
  to: filter(
    'DateTime',
    timeOrDayRule.meta({ examples: ['2026-06-01'] }),
    'Exclusive end, at most 400 days after `from`. A day is its start in UTC. Defaults to now.',
  ),
}

const MAX_TOP = 100

export const usageFilters = {
  ...rangeFilters,
  creatorId: filter('ID', uuidRule, 'Plays of this creator. Defaults to all.'),
  collectionId: filter('ID', uuidRule, 'Plays of this collection. Defaults to all.'),
  trackId: filter('ID', uuidRule, 'Plays of this track. Defaults to all.'),
  top: filter(
    'Int',
    countRule(1, MAX_TOP).meta({ examples: [10] }),
    `Number of rows with the most listens, the most first. 1 to ${MAX_TOP}. Defaults to all rows, sorted by their groups.`,
  ),
}

export const groupByDescription = 'One row for each combination. Defaults to a single row.'

/** A list of groups without duplicates, in sorting order. In a query of /v1 it is comma-separated. */
const defineGroups = <const G extends string>(groups: readonly G[]) => {
  const list = z.array(z.enum(groups))
  return z
    .union([list, z.string().transform(splitList).pipe(list)], { error: `must be a list of ${groups.join(', ')}` })
    .refine((groupNames) => groupNames.length <= 50, 'must be at most 50 items long')
    .transform((groupNames) => groups.filter((group) => groupNames.includes(group)))
    .default([])
    .meta({ description: groupByDescription, examples: [[groups[0]]] })
}

const DEFAULT_TOP = 20

/** `from` and `to` are whole days. */
export const audienceFilters = {
  from: filter(
    'DateTime',
    timeOrDayRule.meta({ examples: ['2026-05-01'] }),
    'First day, in UTC. Defaults to 30 days before `to`.',
  ),
  to: filter(
    'DateTime',
    timeOrDayRule.meta({ examples: ['2026-06-01'] }),
    'Day after the last one, at most 400 days after `from`. Defaults to now.',
  ),
  creatorId: filter('ID', uuidRule, 'Plays of this creator. Defaults to all.'),
  collectionId: filter('ID', uuidRule, 'Plays of this collection. Defaults to all.'),
  top: filter(
    'Int',
    countRule(1, MAX_TOP).default(DEFAULT_TOP),
    `Number of rows, 1 to ${MAX_TOP}. Defaults to ${DEFAULT_TOP}.`,
  ),
}

export const audienceInput = z.object({
  ...filterShape(audienceFilters),
  by: z.enum(audienceKinds).meta({ description: 'The property of the listeners.', examples: ['app'] }),
})
export type AudienceInput = z.output<typeof audienceInput>

const splitList = (text: string) => text.split(',').flatMap((part) => part.trim() || [])

export const usageInput = z.object({ ...filterShape(usageFilters), groupBy: defineGroups(usageGroups) })
export type UsageInput = z.output<typeof usageInput>

export const storageInput = z.object({ groupBy: defineGroups(storageGroups) })
export type StorageInput = z.output<typeof storageInput>

export const processingInput = z.object({ ...filterShape(rangeFilters), groupBy: defineGroups(processingGroups) })
export type ProcessingInput = z.output<typeof processingInput>

/** Format of a table of /v1. */
export const formatInput = z.object({
  format: z
    .enum(['json', 'csv', 'named_csv'])
    .default('json')
    .describe(
      '`json` has at most 10,000 rows, `csv` is a file of any length. `named_csv` is that file with a column for the name ' +
        'of each record: `creator_organization_index`, `collection_title`, `track_title`, `key_title`, `variant_index`. ' +
        'A name is empty for a record that does not exist any more. Defaults to `json`.',
    ),
})
export type Format = z.output<typeof formatInput>['format']

/** Format of the rows of the audience, whose number is limited by `top`. */
export const audienceFormatInput = z.object({
  format: z.enum(['json', 'csv']).default('json').describe('Defaults to `json`.'),
})
