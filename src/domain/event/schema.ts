import { z } from 'zod'
import { page, time } from '../../platform/schema/input.ts'

/** What an organization is told of (contract, section 7); the last two are about the telling itself. */
export const eventTypes = [
  'track.status_changed',
  'track_file.created',
  'track_file.failed',
  'collection.created',
  'collection.updated',
  'collection.deleted',
  'webhook.disabled',
  'webhook.test',
] as const
export type EventType = (typeof eventTypes)[number]

/** Some of the types, none twice. */
export const eventTypeList = z
  .array(z.enum(eventTypes))
  .max(100)
  .transform((list) => [...new Set(list)])

export const eventFilter = z.object({
  type: eventTypeList.optional(),
  createdFrom: time.optional(),
  createdUntil: time.optional(),
})

export type EventFilter = z.output<typeof eventFilter>

/** Query of GET /v1/event; `type` is a list with commas. */
export const followEventsInput = z.object({
  after: z
    .string()
    .max(100)
    .meta({ description: '`next` of the answer before.', examples: ['MTI'] })
    .optional(),
  type: z
    .string()
    .transform((value) => value.split(',').map((type) => type.trim()))
    .pipe(eventTypeList)
    .meta({
      ...{ type: 'array', items: { type: 'string', enum: eventTypes }, examples: [['track.status_changed']] },
      description: 'Only these.',
    })
    .optional(),
  limit: page.shape.limit,
})
export type FollowEvents = z.output<typeof followEventsInput>
