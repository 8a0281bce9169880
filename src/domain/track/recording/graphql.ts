import { builder } from '../../../platform/graphql/builder.ts'
import { needsColumns } from '../../../platform/graphql/plan.ts'
import { expose } from '../../../platform/graphql/record.ts'
import { mapKeys, toCamel } from '../../../platform/schema/case.ts'
import { trackColumns } from '../record.ts'
import { type Analysis, analysisFields, analysisShape, type Info, infoFields, infoShape } from './record.ts'

const Tag = builder.objectRef<{ name: string; value: string }>('Tag').implement({
  description: 'A tag of the uploaded recording.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name in lower case, such as `artist`.' }),
    value: t.exposeString('value', { description: 'Value as it is in the recording.' }),
  }),
})

const TrackInfo = builder.objectRef<Info>('TrackInfo').implement({
  description: infoShape.description,
  fields: (t) => ({
    ...expose(t, infoFields),
    tags: t.field({
      type: [Tag],
      description: infoShape.shape.tags.description,
      resolve: ({ tags }) => Object.entries(tags ?? {}).map(([name, value]) => ({ name, value })),
    }),
  }),
})

/** Options of the `info` field. Names of tags keep their case. */
export const infoField = {
  type: TrackInfo,
  nullable: true,
  description: trackColumns.info.description,
  ...needsColumns('info'),
  resolve: ({ info }: { info: unknown }): Info | null =>
    info === null ? null : { ...(mapKeys(info, toCamel) as Info), tags: (info as Info).tags },
} as const

const TrackAnalysis = builder.objectRef<Analysis>('TrackAnalysis').implement({
  description: analysisShape.description,
  fields: (t) => expose(t, analysisFields),
})

/** Options of the `analysis` field. */
export const analysisField = {
  type: TrackAnalysis,
  nullable: true,
  description: trackColumns.analysis.description,
  ...needsColumns('analysis'),
  resolve: ({ analysis }: { analysis: unknown }) => mapKeys(analysis, toCamel) as Analysis | null,
} as const
