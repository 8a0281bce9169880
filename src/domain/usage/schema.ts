import { z } from 'zod'
import { timeOrDay } from '../../platform/schema/input.ts'

/** What requests can be counted by, in the order in which rows are sorted. */
export const usageGroups = ['day', 'creator', 'collection', 'track', 'key', 'variant'] as const
export type UsageGroup = (typeof usageGroups)[number]

export const storageGroups = ['creator', 'collection'] as const
export type StorageGroup = (typeof storageGroups)[number]

export const processingGroups = ['day', 'creator', 'collection', 'track'] as const
export type ProcessingGroup = (typeof processingGroups)[number]

/** A list; in a query of /v1 with commas between. */
const groupsOf = <const G extends string>(groups: readonly G[]) =>
  z
    .union(
      [
        z.array(z.enum(groups)),
        z
          .string()
          .transform(splitList)
          .pipe(z.array(z.enum(groups))),
      ],
      {
        error: `must be a list of ${groups.join(', ')}`,
      },
    )
    .refine((list) => list.length <= 50, 'must be at most 50 items long')
    .transform((list) => groups.filter((group) => list.includes(group)))
    .default([])
    .meta({ description: 'One row for each combination; a single one unless told.', examples: [[groups[0]]] })

const splitList = (text: string) => text.split(',').flatMap((part) => part.trim() || [])

const range = {
  from: timeOrDay
    .meta({
      description: 'From this time or day (UTC) on; 30 days before the end unless told.',
      examples: ['2026-05-01'],
    })
    .optional(),
  to: timeOrDay
    .meta({ description: 'Up to this time, without it; now unless told.', examples: ['2026-06-01'] })
    .optional(),
}
export const usageInput = z.object({ ...range, groupBy: groupsOf(usageGroups) })
export const storageInput = z.object({ groupBy: groupsOf(storageGroups) })
export const processingInput = z.object({ ...range, groupBy: groupsOf(processingGroups) })

/** How /v1 writes a table. */
export const formatInput = z.object({
  format: z
    .enum(['json', 'csv'])
    .default('json')
    .describe('`csv` answers a file with any number of rows, `json` 10,000 at most.'),
})
