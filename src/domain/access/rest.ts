import { routes } from '../../platform/rest.ts'
import { createKey } from './keys.ts'
import type { Context } from './viewer.ts'

/** Contract, section 2. */
export const accessRoutes = routes<Context>({
  method: 'POST',
  path: '/api_key',
  auth: 'key',
  handle: async ({ ctx, body }) => {
    const { apiKeyTypeId, ...input } = body
    const { key, record } = await createKey(ctx, { ...input, kind: apiKeyTypeId })
    return { apiKey: key, apiKeyId: record.id }
  },
})
