import { routes } from '../../platform/rest.ts'
import { createKey } from './key/keys.ts'

/** Contract, section 2. */
export const accessRoutes = routes({
  method: 'POST',
  path: '/api_key',
  auth: 'key',
  handle: async ({ ctx, body }) => {
    const { key, record } = await createKey(ctx, body)
    return { apiKey: key, apiKeyId: record.id }
  },
})
