import { z } from 'zod'
import { anyObject, route } from '../../platform/http/rest.ts'
import * as shape from '../../platform/schema/shape.ts'
import { createKey } from './key/keys.ts'
import { createKeyInput } from './key/schema.ts'

/** Contract, section 2. */
export const accessRoutes = [
  route({
    method: 'POST',
    path: '/api_key',
    auth: 'key',
    operation: 'createApiKey',
    summary: 'Makes a key for uploading, playing or sharing.',
    description: 'Keys of kind `api` are made in the dashboard only.',
    // A kind that the operation never makes is `forbidden`, not invalid.
    body: anyObject,
    documentedBody: createKeyInput,
    answer: z.object({
      apiKey: shape.text(
        'The key itself, shown this once.',
        `${'0199c3f05d2e7c41'.repeat(2)}_share_${'k3'.repeat(24)}x`,
      ),
      apiKeyId: shape.id('The key.'),
    }),
    fails: ['not_found'],
    handle: async ({ ctx, body }) => {
      const { key, record } = await createKey(ctx, body)
      return { apiKey: key, apiKeyId: record.id }
    },
  }),
]
