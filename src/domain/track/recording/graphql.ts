import { mapKeys, toCamel } from '../../../platform/case.ts'
import { builder } from '../../../platform/graphql/builder.ts'
import { needsColumns } from '../../../platform/graphql/plan.ts'
import { expose } from '../../../platform/graphql/record.ts'
import {
  type Analysis,
  analysisFields,
  analysisShape,
  type Info,
  infoFields,
  infoShape,
  recordingFields,
} from './record.ts'

const Tag = builder.objectRef<{ name: string; value: string; values: string[] }>('Tag').implement({
  description: 'A tag of the uploaded recording.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name in lower case, such as `artist`.' }),
    value: t.exposeString('value', {
      description: 'Value as it is in the recording. Several are joined by a semicolon and a space.',
    }),
    values: t.exposeStringList('values', {
      description: 'All values. One, except for tags such as several artists.',
      extensions: { price: { items: 1 } },
    }),
  }),
})

/** The values of tags that have several, by name. */
type SourceTags = Record<string, string[]> | null

const TrackInfo = builder.objectRef<Info & { sourceTags: SourceTags }>('TrackInfo').implement({
  description: infoShape.description,
  fields: (t) => ({
    ...expose(t, infoFields),
    tags: t.field({
      type: [Tag],
      extensions: { price: { items: 64 } },
      description: infoShape.shape.tags.description,
      resolve: ({ tags, sourceTags }) =>
        Object.entries(tags ?? {}).map(([name, value]) => ({ name, value, values: sourceTags?.[name] ?? [value] })),
    }),
  }),
})

/** Options of the `info` field. Names of tags keep their case. */
export const infoField = {
  type: TrackInfo,
  nullable: true,
  description: recordingFields.info.description,
  ...needsColumns('info', 'sourceTags'),
  resolve: ({ info, sourceTags }: { info: unknown; sourceTags: unknown }) =>
    info === null
      ? null
      : { ...(mapKeys(info, toCamel) as Info), tags: (info as Info).tags, sourceTags: sourceTags as SourceTags },
} as const

const TrackAnalysis = builder.objectRef<Analysis>('TrackAnalysis').implement({
  description: analysisShape.description,
  fields: (t) => expose(t, analysisFields),
})

/** Options of the `analysis` field. */
export const analysisField = {
  type: TrackAnalysis,
  nullable: true,
  description: recordingFields.analysis.description,
  ...needsColumns('analysis'),
  resolve: ({ analysis }: { analysis: unknown }) => mapKeys(analysis, toCamel) as Analysis | null,
} as const
