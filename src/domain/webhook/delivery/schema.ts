import { z } from 'zod'
import { DeliveryState } from '../../../platform/db/generated/client/enums.ts'
import { time, uuid } from '../../../platform/input.ts'
import { eventTypeList } from '../../event/schema.ts'

export const deliveryFilter = z.object({
  state: z.enum(DeliveryState).optional(),
  endpointId: uuid.optional(),
  eventId: uuid.optional(),
  type: eventTypeList.optional(),
  createdFrom: time.optional(),
  createdUntil: time.optional(),
})

export const deliveryId = z.object({ webhookDeliveryId: uuid })
