import { describe, expect, test } from 'bun:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { eventTypes } from '../../src/domain/event/record.ts'
import { statusOf } from '../../src/platform/errors.ts'
import { composeDocument, exampleAddresses } from '../../src/roles/gateway/openapi/document.ts'
import type { JsonSchema } from '../../src/roles/gateway/openapi/json-schema.ts'
import { restRoutes } from '../../src/roles/gateway/routes.ts'
import { mistakesIn } from '../support/documented.ts'

const document = composeDocument(exampleAddresses)

interface Content {
  schema?: JsonSchema
  example?: unknown
}
interface Operation {
  operationId: string
  tags: string[]
  parameters?: {
    $ref?: string
    name: string
    in: string
    required: boolean
    description?: string
    schema: JsonSchema
    example?: unknown
  }[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, { $ref?: string; content?: Record<string, Content> }>
}
const methods = ['get', 'put', 'post', 'delete', 'head', 'patch']
const operationsOf = (paths: object) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({ path, method, operation, name: `${method} ${path}` })),
  )
const operations = operationsOf(document.paths)

describe('every route', () => {
  test('says what the document needs', () => {
    const lacking = restRoutes.flatMap(({ method, path, operation, summary, answer, params, body }) => {
      const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
      const schemaNames = Object.keys(params?.shape ?? {})
      const needed = [
        ...(operation ? [] : ['operation: a stable name']),
        ...(summary ? [] : ['summary: one line']),
        ...(answer ? [] : ['answer: the shape of what the handler returns']),
        ...(Bun.deepEquals(names, schemaNames) ? [] : [`params: the schema that the use case parses ${names} with`]),
        ...(method === 'PUT' && !body ? ['body: the schema that the use case parses'] : []),
      ]
      return needed.length > 0 ? [`${method} ${path} (its rest.ts) needs ${needed.join('; ')}`] : []
    })
    expect(lacking).toEqual([])
  })

  test('has a name of its own, and a tag that is explained', () => {
    const ids = [...operations, ...operationsOf(document.webhooks)].map(({ operation }) => operation.operationId)
    expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([])
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([])
    const tagNames = document.tags.map(({ name }) => name)
    const unknown = operations.flatMap(({ name, operation }) =>
      operation.tags.filter((tag) => !tagNames.includes(tag)).map((tag) => `${name}: add ${tag} to openapi/prose.ts`),
    )
    expect(unknown).toEqual([])
  })

  test('names only statuses that there are', () => {
    const knownStatuses = new Set([200, 201, 204, 206, 302, 304, 416, ...Object.values(statusOf)].map(String))
    const all = operations.flatMap(({ operation }) => Object.keys(operation.responses))
    expect(all.filter((status) => !knownStatuses.has(status))).toEqual([])
  })
})

test('every type of event is a webhook', () => {
  expect(Object.keys(document.webhooks).sort()).toEqual([...eventTypes].sort())
})

/** Every schema below a node of the document, with where it is. */
function* schemasIn(node: unknown, at: string): Generator<[at: string, schema: JsonSchema]> {
  if (typeof node !== 'object' || node === null) return
  for (const [key, inner] of Object.entries(node)) {
    if (['example', 'examples', 'default', 'enum', 'const', 'responses'].includes(key) && at.includes('/schema'))
      continue
    if (key === 'properties')
      for (const [name, property] of Object.entries(inner)) yield [`${at}/${name}`, property as JsonSchema]
    yield* schemasIn(inner, `${at}/${key}`)
  }
}

test('every field says what it is: a type, and what it means', () => {
  const fields = [...schemasIn(document.paths, 'paths/schema'), ...schemasIn(document.components.schemas, 'schemas')]
  expect(fields.length).toBeGreaterThan(300)
  const typed = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'const', 'enum']
  const untyped = fields.filter(([, schema]) => !typed.some((keyword) => keyword in schema))
  expect(untyped.map(([at]) => at)).toEqual([])
  const obvious = /\/(ok|type|status|metric|version|method|[a-z_]*variant_type_id)$/
  const composed = ['$ref', 'properties', 'items']
  const undescribed = fields.filter(
    ([at, schema]) => !schema.description && !composed.some((keyword) => keyword in schema) && !obvious.test(at),
  )
  expect(undescribed.map(([at]) => at)).toEqual([])
})

test('an optional query parameter has no example that /docs would send', () => {
  const optional = operations
    .flatMap(({ operation }) => operation.parameters ?? [])
    .filter(({ in: place, required }) => place === 'query' && !required)
  expect(optional.length).toBeGreaterThan(20)
  expect(optional.filter(({ example, schema }) => example !== undefined || 'example' in schema)).toEqual([])
})

describe('examples are there, and are what they are examples of', () => {
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    (_, { path, method, operation }) => {
      const place = ['paths', path, method]
      for (const [type, { schema, example }] of Object.entries(operation.requestBody?.content ?? {})) {
        if (!type.endsWith('json')) continue
        expect([schema, example], type).not.toContain(undefined)
        expect(mistakesIn(example, ...place, 'requestBody', 'content', type, 'schema'), type).toEqual([])
      }
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        const example = content['application/json']?.example
        if (example === undefined) continue
        const schema = [...place, 'responses', status, 'content', 'application/json', 'schema']
        expect(mistakesIn(example, ...schema), status).toEqual([])
      }
      for (const { $ref, name, description, schema, example } of operation.parameters ?? []) {
        if ($ref) continue
        expect(`${name} ${description}`).not.toContain('undefined')
        const exampleValues = [example, schema.examples?.[0], schema.default].filter((value) => value !== undefined)
        expect([name, exampleValues]).not.toEqual([name, []])
      }
    },
  )
})

/** Deviations from the linter's recommended rules, with reasons. */
const exceptions: Record<string, string> = {
  'operation-2xx-response': 'a stream link answers with a redirect, and nothing else',
  'no-illogical-composition-keywords':
    'the kinds of previews are told apart by a constant that one of them may leave out',
}

test('a linter finds nothing', async () => {
  const addresses = {
    publicUrl: 'https://api.audio.dev',
    edgeUrl: 'https://edge.audio.dev',
    deliveryUrl: 'https://{org_domain}',
  }
  const source = JSON.stringify(composeDocument(addresses))
  const problems = await lintFromString({ source, config: await createConfig({ extends: ['recommended'] }) })
  const newProblems = problems.filter(({ ruleId }) => !(ruleId in exceptions))
  expect(newProblems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`)).toEqual([])
  const used = new Set(problems.map(({ ruleId }) => ruleId))
  expect(Object.keys(exceptions).filter((rule) => !used.has(rule))).toEqual([])
})
