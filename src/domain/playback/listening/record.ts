import { z } from 'zod'
import { id, integer, list, number } from '../../../platform/schema/fields.ts'
import { filter, filterShape, restShape } from '../../../platform/schema/record.ts'
import { timeOrDayRule, uuidRule } from '../../../platform/schema/rules.ts'
import type { HeardRange } from './hundredths.ts'

const MAX_RANGES = 100
const RANGE = /^(\d{1,6}(?:\.\d{1,3})?)-(\d{1,6}(?:\.\d{1,3})?)$/

function isRange(text: string): boolean {
  const [, from, to] = RANGE.exec(text) ?? []
  return from !== undefined && Number(from) < Number(to)
}

/** The query of a report: ranges of seconds. */
export const reportInput = z.object({
  ranges: z
    .string({ error: 'must be ranges of seconds such as 0-41.5,60-75' })
    .transform((text) => text.split(','))
    .refine((ranges) => ranges.length <= MAX_RANGES, `must be at most ${MAX_RANGES} ranges`)
    .refine((ranges) => ranges.every(isRange), 'must be ranges of seconds such as 0-41.5,60-75')
    .transform((ranges) => ranges.map((range) => range.split('-').map(Number) as unknown as HeardRange))
    .meta({
      description: `What has been heard of the recording since it was loaded, as \`HTMLMediaElement.played\` has it: ranges of seconds. At most ${MAX_RANGES}.`,
      examples: ['0-41.5,60-75'],
    }),
})

export const retentionFields = {
  trackId: id({ description: 'ID of the track.' }),
  durationSeconds: number({
    description: 'Length of the recording in seconds.',
    nullable: true,
    nullMeans: 'Null until processed.',
    example: 214.5,
  }),
  listenings: integer({
    description:
      'Listenings that players reported: all that a listener hears of the track within 24 hours is one. They are a sample ' +
      '(`LISTENING_SAMPLE` of the operator), at most about 10,000 of each day.',
    example: 871,
  }),
  averageSeconds: number({
    description: 'Average length that was heard, in seconds. What is heard again counts once.',
    nullable: true,
    nullMeans: 'Null without listenings.',
    example: 153.2,
  }),
  hundredths: list('Int', z.array(z.int()), {
    description: 'Number of listenings that have each hundredth of the recording, at least half of it. 100 numbers.',
  }),
}
export const retentionDescription = 'How much of a track is heard, from its start to its end.'
export const retentionShape = z
  .object(restShape(retentionFields))
  .meta({ id: 'Retention', description: retentionDescription })
export type Retention = z.output<typeof retentionShape>

/** Whole days, in UTC. */
export const retentionFilters = {
  from: filter(
    'DateTime',
    timeOrDayRule.meta({ examples: ['2026-05-01'] }),
    'First day on which listenings began, in UTC. Defaults to all.',
  ),
  to: filter('DateTime', timeOrDayRule.meta({ examples: ['2026-06-01'] }), 'Day after the last one. Defaults to all.'),
}

export const retentionTrack = z.object({ trackId: uuidRule.describe(retentionFields.trackId.description) })
export const retentionRange = z.object(filterShape(retentionFilters))
export type RetentionRange = z.output<typeof retentionRange>

/** Format of the curve of /v1. */
export const retentionFormat = z.object({
  format: z.enum(['json', 'csv']).default('json').describe('`csv` has a row for each hundredth. Defaults to `json`.'),
})
