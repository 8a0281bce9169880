import { routes } from '../../platform/rest.ts'
import { createKey } from './keys.ts'

/** Contract, section 2. */
export const accessRoutes = routes({
  method: 'POST',
  path: '/api_key',
  auth: 'key',
  handle: async ({ ctx, body }) => {
    const { apiKeyTypeId, ...input } = body
    const { key, record } = await createKey(ctx, { ...input, kind: apiKeyTypeId })
    return { apiKey: key, apiKeyId: record.id }
  },
})
