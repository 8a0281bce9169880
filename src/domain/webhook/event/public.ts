import { z } from 'zod'
import { id, time } from '../../../platform/schema/fields.ts'
import { type EventDocument, organizationField } from '../../event/record.ts'

const subject = { ...organizationField, webhookEndpointId: id({ description: 'ID of the endpoint.' }).restShape }

/** Contract, section 7. */
export const webhookEvents: EventDocument[] = [
  {
    type: 'webhook.disabled',
    summary: 'An endpoint was disabled. Sent to the other endpoints.',
    data: z.object({
      ...subject,
      disabledReason: z.enum(['gone', 'failing']).meta({
        description: '`gone`: it answered 410. `failing`: no delivery succeeded for five days.',
        examples: ['failing'],
      }),
      failingSince: time({ description: 'Time since which every delivery has failed.' }).restShape,
    }),
  },
  { type: 'webhook.test', summary: 'A test of an endpoint, requested with sendTestWebhook.', data: z.object(subject) },
]
