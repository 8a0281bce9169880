import type { Services } from '../../platform/context.ts'
export function createGraphql(_services: Services) {
  return async (_request: Request): Promise<Response> => new Response(null, { status: 404 })
}
