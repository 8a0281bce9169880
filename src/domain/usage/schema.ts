import { z } from 'zod'
import { timeOrDay } from '../../platform/input.ts'

/** What requests can be counted by, in the order in which rows are sorted. */
export const usageGroups = ['day', 'creator', 'collection', 'track', 'key', 'variant'] as const
export type UsageGroup = (typeof usageGroups)[number]

export const usageInput = z.object({
  from: timeOrDay.optional(),
  to: timeOrDay.optional(),
  groupBy: z.array(z.enum(usageGroups)).max(50).default([]),
})
