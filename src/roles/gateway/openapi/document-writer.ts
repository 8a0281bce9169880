import { z } from 'zod'
import { toSnake } from '../../../platform/case.ts'
import type { ErrorCode } from '../../../platform/errors.ts'
import type { Route } from '../../../platform/http/rest.ts'
import { envelope, failure, type HeaderName, headers, headersNamed } from './answers.ts'
import { findExample } from './example.ts'
import { byStatus, listFailures, takesIdempotencyKey } from './failures.ts'
import { createSchemaWriter, type JsonSchema } from './json-schema.ts'

/** Content of a request or an answer, by media type. */
export type Content = Record<string, { schema: JsonSchema; example?: unknown }>

/** The schema of a list that may also be given as a text with commas: in a query they are the same. */
function withoutText({ anyOf, ...schema }: JsonSchema): JsonSchema {
  const list = anyOf?.find(({ type }) => type === 'array')
  return { ...schema, ...(list ?? (anyOf && { anyOf })) }
}

/** Writes the parts of one document, which share its components. */
export type DocumentWriter = ReturnType<typeof createDocumentWriter>

/** @param isClosed see `createSchemaWriter` */
export function createDocumentWriter({ isClosed = false } = {}) {
  const { write, components: schemas } = createSchemaWriter({ isClosed })
  const responses: Record<string, object> = {}

  /** Writes a schema with an example, derived from the examples of its fields. */
  function json(schema: z.ZodType, side: 'input' | 'output'): { schema: JsonSchema; example: unknown } {
    const written = write(schema, side)
    return { schema: written, example: findExample(written, schemas) }
  }

  /** Writes error answers by status. Answers with the same codes share a component. */
  function failures(codes: Map<number, ErrorCode[]> | readonly ErrorCode[]): Record<string, object> {
    const grouped = codes instanceof Map ? codes : byStatus(codes)
    return Object.fromEntries(
      [...grouped].map(([status, list]) => {
        const name = list.map(pascal).join('Or')
        responses[name] ??= failure(list, (schema) => write(schema, 'output'))
        return [String(status), { $ref: `#/components/responses/${name}` }]
      }),
    )
  }

  function parameters(schema: z.ZodObject | undefined, place: 'path' | 'query'): object[] {
    if (!schema) return []
    const { properties = {}, required = [] } = write(schema, 'input')
    return Object.entries(properties).map(([name, { description, examples, ...value }]) => {
      const rest = withoutText(value)
      const isRequired = place === 'path' || required.includes(name)
      return {
        name,
        in: place,
        required: isRequired,
        description: description ?? (place === 'path' ? 'Which record.' : undefined),
        // A list is written with commas.
        ...(rest.type === 'array' && { style: 'form', explode: false }),
        // The page at /docs sends the `example` of a parameter: an optional filter would then match no record.
        schema: isRequired ? rest : { ...rest, ...(examples && { examples }) },
        ...(isRequired && examples && { example: examples[0] }),
      }
    })
  }

  const success = (description: string, answer: z.ZodType, ...names: HeaderName[]) => ({
    description,
    headers: headersNamed('X-Request-Id', ...names),
    content: { 'application/json': json(answer, 'output') } as Content,
  })

  /** Writes the operation of a route (OpenAPI 3.1, Operation Object). */
  function operation(route: Route, tag: string): object {
    const { operation: operationId, summary, description, params, query, answer } = route
    const body = route.documentedBody ?? route.body
    const once = takesIdempotencyKey(route)
    const answerShape = z.object({ ...envelope(route.isRequestIdLeftOut), ...answer.shape })
    const replayed = once ? (['Idempotency-Replayed'] as const) : []
    const done = success('Success.', answerShape, 'RateLimit-Policy', 'RateLimit', ...replayed)
    if (route.streamType) done.content = { [route.streamType]: { schema: { type: 'string' } } }
    if (route.fileType) done.content[route.fileType] = { schema: { type: 'string' } }
    return {
      operationId,
      tags: [tag],
      summary,
      ...(description && { description }),
      security: route.auth === 'key' ? [{ key: [] }] : [],
      parameters: [
        ...parameters(params, 'path'),
        ...parameters(query, 'query'),
        ...(once ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ],
      ...(body && {
        requestBody: {
          required: !body.safeParse({}).success,
          content: { 'application/json': json(body, 'input') },
        },
      }),
      responses: {
        '200': done,
        ...failures(listFailures(route)),
      },
    }
  }

  return { json, write, failures, parameters, success, operation, components: { schemas, responses, headers } }
}

/**
 * Expands a route to one path per value of an enum parameter. `/play_session/{scope}` would be ambiguous with other
 * paths of the same form (OpenAPI 3.1, Path Templating).
 */
export function expanded(route: Route): Route[] {
  for (const [name, schema] of Object.entries(route.params?.shape ?? {})) {
    if (!(schema instanceof z.ZodEnum)) continue
    const params = route.params?.omit({ [name]: true } as never)
    return schema.options.map((value) => ({
      ...route,
      path: route.path.replace(`:${name}`, String(value)),
      operation: `${route.operation}Of${pascal(String(value))}`,
      summary: route.summary.replace(/\.$/, ` for a ${value}.`),
      params,
    }))
  }
  return [route]
}

const pascal = (code: string) => code.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())

/** `/v1/creator/:creatorId` as `/v1/creator/{creator_id}`. */
export const toTemplate = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => `{${toSnake(name)}}`)
