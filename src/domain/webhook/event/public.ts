import { z } from 'zod'
import * as shape from '../../../platform/schema/shape.ts'
import { type EventDocument, organizationField } from '../../event/record.ts'

const subject = { ...organizationField, webhookEndpointId: shape.id('ID of the endpoint.') }

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
      failingSince: shape.time('Time since which every delivery has failed.'),
    }),
  },
  { type: 'webhook.test', summary: 'A test of an endpoint, requested with sendTestWebhook.', data: z.object(subject) },
]
