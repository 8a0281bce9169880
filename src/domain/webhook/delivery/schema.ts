import { z } from 'zod'
import { DeliveryState } from '../../../platform/db/generated/client/enums.ts'
import { time, uuid } from '../../../platform/schema/input.ts'
import { eventTypeList } from '../../event/record.ts'

export const deliveryFilter = z.object({
  state: z.enum(DeliveryState).optional(),
  endpointId: uuid.optional(),
  eventId: uuid.optional(),
  type: eventTypeList.optional(),
  createdFrom: time.optional(),
  createdUntil: time.optional(),
})

/** The first endpoint unless told. */
export const testInput = z.object({ endpointId: uuid.optional() })
export const redeliverFailedInput = z.object({ endpointId: uuid.optional(), since: time })

export const deliveryId = z.object({ webhookDeliveryId: uuid })
