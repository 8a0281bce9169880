import { z } from 'zod'
import { DeliveryState } from '../../../platform/db/generated/client/enums.ts'
import { choice, createdAt, id, integer, text, time } from '../../../platform/schema/fields.ts'
import { createdFilters, filter, filterShape } from '../../../platform/schema/record.ts'
import { timeRule, uuidRule } from '../../../platform/schema/rules.ts'
import { eventTypeList } from '../../event/record.ts'

export const attemptFields = {
  number: integer({ description: 'Number of the attempt, from 1.' }),
  status: integer({ description: 'HTTP status.', nullable: true, nullMeans: 'Null without an answer.' }),
  durationMs: integer({ description: 'Duration in milliseconds.' }),
  answer: text({ description: 'The first KiB of the answer, or the reason why it is missing.' }),
  createdAt: time({ description: 'Time of the attempt.' }),
}

/** Contract, section 7. */
export const deliveryFields = {
  id: id({ description: 'ID of the delivery. UUID.' }),
  state: choice('WebhookDeliveryState', DeliveryState, { description: 'State of the delivery.' }),
  attemptCount: integer({ description: 'Number of attempts so far.' }),
  nextAttemptAt: time({
    description: 'Time of the next attempt. During an attempt: time at which it is presumed lost.',
    nullable: true,
    nullMeans: 'Null when no attempt is planned.',
  }),
  deliveredAt: time({
    description: 'Time at which the endpoint answered 2xx.',
    nullable: true,
    nullMeans: 'Null until delivered.',
  }),
  createdAt,
}

export const deliveryFilters = {
  state: filter('WebhookDeliveryState', z.enum(DeliveryState), 'Deliveries in this state.'),
  endpointId: filter('ID', uuidRule, 'Deliveries to this endpoint.'),
  eventId: filter('ID', uuidRule, 'Deliveries of this event.'),
  type: filter(['EventType'], eventTypeList, 'Deliveries of events of any of these types.'),
  ...createdFilters,
}
export const deliveryFilter = z.object(filterShape(deliveryFilters))
export type DeliveryFilter = z.output<typeof deliveryFilter>

const endpointId = uuidRule.optional()
export const testInput = z.object({ endpointId })
export const redeliverFailedInput = z.object({ endpointId, since: timeRule })
export type RedeliverFailed = z.output<typeof redeliverFailedInput>
