import { z } from 'zod'
import type { Event } from '../../platform/db/generated/client/client.ts'
import { CURSOR_RULE } from '../../platform/schema/cursor.ts'
import { id, json, text, time } from '../../platform/schema/fields.ts'
import { createdFilters, filterShape, restShape, toRest } from '../../platform/schema/record.ts'
import { pageRules } from '../../platform/schema/rules.ts'

/** Types of events (contract, section 7). The last two are about a webhook endpoint itself. */
export const eventTypes = [
  'track.status_changed',
  'track.recording_replaced',
  'track.replacement_failed',
  'track.transcribed',
  'track.transcription_failed',
  'track_file.created',
  'track_file.failed',
  'collection.created',
  'collection.updated',
  'collection.deleted',
  'collection.restored',
  'webhook.disabled',
  'webhook.test',
] as const
export type EventType = (typeof eventTypes)[number]

export const eventFields = {
  id: id({ description: 'ID of the event. UUID. The `webhook-id` of its webhook deliveries.' }),
  organizationId: id({ description: 'ID of the organization.' }),
  createdAt: time({ description: 'Time of the event.' }),
}

export const eventTypeDescription = 'Type of the event.'

/** Data of every event. */
export const organizationField = { organizationId: eventFields.organizationId.restShape }

/** Data of every event of a collection or a track. */
export const subjectFields = {
  ...organizationField,
  creatorId: id({ description: 'ID of the creator. Null when the subject has no creator.' }).restShape.nullable(),
  collectionId: id({ description: 'ID of the collection.' }).restShape,
}

const eventShape = z
  .object({
    ...restShape(eventFields),
    // Stored as text: the types are listed in the document, and not checked when a row is read.
    type: z.string().meta({ enum: eventTypes, description: eventTypeDescription }),
    data: json({
      description:
        'The same data that a webhook of this type has. URLs are signed when it is read, and valid for an hour.',
      restShape: z.looseObject(organizationField),
    }).restShape,
  })
  .meta({ id: 'Event' })

const EXAMPLE_CURSOR = 'q2wP0vC7tYh3nZk8sLr4dKf1uXo5'

/** Answer of GET /v1/event. */
export const eventFeedShape = z.object({
  events: z.array(eventShape),
  next: text({
    description:
      'Cursor for `after` of the next request, after the events that `type` leaves out. An answer without events may ' +
      'have another `next` than `after`: more events follow. Null until the first event.',
    example: EXAMPLE_CURSOR,
  }).restShape.nullable(),
})

/** An event as /v1 shows it. @param data with addresses that are signed now */
export const toRestEvent = (event: Event, data: unknown): z.input<typeof eventShape> => ({
  ...toRest(eventFields, event),
  type: event.type,
  data,
})

/** Documentation of a type of event, declared by the concept of its subject. */
export interface EventDocument {
  type: EventType
  /** One line, as a sentence. */
  summary: string
  data: z.ZodObject
}

/** Payload of a webhook (contract, section 7; Standard Webhooks 1.0). */
export const webhookShape = ({ type, data }: EventDocument) =>
  z.object({ type: z.literal(type), timestamp: eventFields.createdAt.restShape, data })

/** A list of types without duplicates. */
export const eventTypeList = z
  .array(z.enum(eventTypes))
  .max(100)
  .transform((list) => [...new Set(list)])

export const eventFilter = z.object({ ...filterShape(createdFilters), type: eventTypeList.optional() })
export type EventFilter = z.output<typeof eventFilter>

/** Query of GET /v1/event. */
export const followEventsInput = z.object({
  after: z
    .string()
    .max(100, CURSOR_RULE)
    .meta({ description: '`next` of the previous answer. Defaults to the oldest event.', examples: [EXAMPLE_CURSOR] })
    .optional(),
  type: z
    .string()
    .transform((value) => value.split(',').map((type) => type.trim()))
    .pipe(eventTypeList)
    .meta({
      type: 'array',
      items: { type: 'string', enum: eventTypes },
      examples: [['track.status_changed']],
      description: 'Comma-separated types. Defaults to all.',
    })
    .optional(),
  limit: pageRules.shape.limit,
})
export type FollowEvents = z.output<typeof followEventsInput>
