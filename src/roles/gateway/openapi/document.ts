import type { Route } from '../../../platform/http/rest.ts'
import { version } from '../../../platform/version.ts'
import { restRoutes } from '../routes.ts'
import { createDocumentWriter, expanded, toTemplate } from './document-writer.ts'
import { deliveryPath, uploadPaths } from './edge.ts'
import { description, findTag, tags } from './prose.ts'
import { adaptiveOperation, listeningOperation, streamOperation } from './stream.ts'
import { eventWebhooks } from './webhooks.ts'

export type OpenApiDocument = ReturnType<typeof composeDocument>

interface Addresses {
  publicUrl: string
  edgeUrl: string
  /** With `{org_domain}`. */
  deliveryUrl: string
}

/** Addresses of a document without a deployment. */
export const exampleAddresses: Addresses = {
  publicUrl: 'https://api.example.com',
  edgeUrl: 'https://edge.example.com',
  deliveryUrl: 'https://{org_domain}',
}

/** Routes without documentation are left out; a test reports them. */
const isDocumented = (route: Partial<Route>) => Boolean(route.operation && route.summary && route.answer)

/**
 * Composes the OpenAPI document of /v1 (OpenAPI 3.1.1) from the schemas that validate requests and the shapes of
 * answers.
 * @param isClosed see `createSchemaWriter`
 */
export function composeDocument({ publicUrl, edgeUrl, deliveryUrl }: Addresses, { isClosed = false } = {}) {
  const writer = createDocumentWriter({ isClosed })
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of restRoutes.filter(isDocumented).flatMap(expanded)) {
    const path = toTemplate(route.path)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: writer.operation(route, findTag(route.path)) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tonearm',
      version,
      summary: 'Stores, processes and delivers audio.',
      description,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl, description: 'The gateway.' }],
    tags,
    security: [{ key: [] }],
    paths: {
      ...paths,
      '/v1/stream/{track_id}/{api_key}': { get: streamOperation(writer) },
      '/v1/adaptive/{track_id}/{grant}/{file}': { get: adaptiveOperation(writer) },
      '/v1/listening/{track_id}/{grant}': { post: listeningOperation(writer) },
      ...uploadPaths(writer, edgeUrl),
      '/{file_path}': deliveryPath(writer, deliveryUrl),
    },
    webhooks: eventWebhooks(writer),
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: "A key of the organization, or an administrator's token from GraphQL's `signIn`.",
        },
      },
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          description:
            'Makes repeating the request safe: it is executed at most once per key. 1 to 255 characters of your choice. ' +
            'For 24 hours, the same request with the same key gets the first answer again.',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
          example: 'order-4711',
        },
      },
      ...writer.components,
    },
  }
}
