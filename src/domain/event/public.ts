import { z } from 'zod'
import type { Event } from '../../platform/db/generated/client/client.ts'
import * as shape from '../../platform/schema/shape.ts'
import { type EventType, eventTypes } from './schema.ts'

/** What every event says. */
export const organizationField = { organizationId: shape.id('The organization that it happened in.') }

/** What those of a collection, or of what lies in one, say of their subject. */
export const subjectFields = {
  ...organizationField,
  creatorId: shape.id('The creator that the subject belongs to, if one.').nullable(),
  collectionId: shape.id('The collection.'),
}

const eventShape = z
  .object({
    id: shape.id(),
    // Kept as it was written: a row of an older version may have a type that is none today.
    type: z.string().meta({ enum: eventTypes, description: 'What happened.' }),
    organizationId: shape.id('The organization that it happened in.'),
    createdAt: shape.time('When it happened.'),
    data: shape.stored(z.looseObject(organizationField), 'As a webhook of the type carries it.'),
  })
  .meta({ id: 'Event' })

/** Answer of GET /v1/event. */
export const eventFeedShape = z.object({
  events: z.array(eventShape),
  next: shape.text('The `after` of the next request; null while nothing ever happened.', 'MTI').nullable(),
})

/** An event as /v1 shows it. */
export const toRestEvent = ({ id, type, organizationId, createdAt, data }: Event): z.input<typeof eventShape> => ({
  id,
  type,
  organizationId,
  createdAt,
  data,
})

/** A type of event, as the concept that it happens to describes it. */
export interface EventDocument {
  type: EventType
  /** One line, as a sentence. */
  summary: string
  data: z.ZodObject
}

/** What a webhook carries (contract, section 7; Standard Webhooks 1.0). */
export const webhookShape = ({ type, data }: EventDocument) =>
  z.object({ type: z.literal(type), timestamp: shape.time('When it happened.'), data })
