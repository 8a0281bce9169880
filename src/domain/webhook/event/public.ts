import { z } from 'zod'
import * as shape from '../../../platform/schema/shape.ts'
import { type EventDocument, organizationField } from '../../event/record.ts'

const subject = { ...organizationField, webhookEndpointId: shape.id('The endpoint.') }

/** Contract, section 7. */
export const webhookEvents: EventDocument[] = [
  {
    type: 'webhook.disabled',
    summary: 'An endpoint was switched off; the others are told.',
    data: z.object({
      ...subject,
      disabledReason: z
        .enum(['gone', 'failing'])
        .meta({ description: 'It answered 410, or took nothing for five days.', examples: ['failing'] }),
      failingSince: shape.time('When it began to fail.'),
    }),
  },
  { type: 'webhook.test', summary: 'An endpoint was tried out.', data: z.object(subject) },
]
