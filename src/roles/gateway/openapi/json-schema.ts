import { z } from 'zod'
import { toSnake } from '../../../platform/case.ts'
import { findStoredShape } from '../../../platform/schema/stored-json.ts'

export interface JsonSchema {
  [keyword: string]: unknown
  $ref?: string
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  enum?: unknown[]
  examples?: unknown[]
}

/** Side of a schema: a client's input, or an answer. */
type Side = 'input' | 'output'

/** Converts schemas to JSON Schema, in snake_case. Schemas with an `id` become components. */
export interface SchemaWriter {
  write: (schema: z.ZodType, side: Side) => JsonSchema
  components: Record<string, JsonSchema>
}

/**
 * @param isClosed whether objects in answers have no other fields than those named. Clients must not rely on that,
 * tests do.
 */
export function createSchemaWriter({ isClosed = false } = {}): SchemaWriter {
  const components: Record<string, JsonSchema> = {}

  function write(schema: z.ZodType, side: Side): JsonSchema {
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ root: schema }), {
      io: side,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const stored = findStoredShape(zodSchema)
        if (stored) Object.assign(jsonSchema, write(stored.shape, stored.side))
        if (side === 'input') restore(zodSchema, jsonSchema)
        if (zodSchema._zod.def.type !== 'date') return
        // A date in an input is one of GraphQL's, which parses it before validation.
        Object.assign(jsonSchema, side === 'output' ? { type: 'string', format: 'date-time' } : { not: {} })
      },
    }) as unknown as { properties: { root: JsonSchema }; $defs?: Record<string, JsonSchema> }
    for (const [name, definition] of Object.entries($defs)) {
      const written = tidy(definition, isClosed)
      if (components[name] && !Bun.deepEquals(components[name], written)) {
        throw new Error(`two schemas of the OpenAPI document have the id ${name}`)
      }
      components[name] = written
    }
    return tidy(properties.root, isClosed)
  }
  return { write, components }
}

/** Adds keywords that the library omits for transformed values, because it does not know their side. */
function restore(schema: z.core.$ZodTypes, written: object): void {
  const { examples, default: fallback } = z.globalRegistry.get(schema) ?? {}
  const { def } = schema._zod
  const value = def.type === 'default' ? def.defaultValue : fallback
  Object.assign(written, examples && { examples }, value !== undefined && { default: value })
}

/** Formats a schema for the document, without redundant keywords. */
function tidy(schema: JsonSchema, isClosed: boolean): JsonSchema {
  const each = (list: unknown) => (list as JsonSchema[]).map((item) => tidy(item, isClosed))
  const keptSchema: JsonSchema = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties') keptSchema.properties = namedInSnake(value as Record<string, JsonSchema>, isClosed)
    else if (keyword === 'required') keptSchema.required = (value as string[]).map(toSnake)
    else if (keyword === '$ref') keptSchema.$ref = (value as string).replace('#/$defs/', '#/components/schemas/')
    else if (['anyOf', 'oneOf', 'allOf'].includes(keyword))
      keptSchema[keyword] = each(value).filter((item) => !isNever(item))
    else if (keyword === 'items') keptSchema.items = tidy(value as JsonSchema, isClosed)
    else if (keyword === 'additionalProperties' && typeof value === 'object')
      keptSchema[keyword] = tidy(value as JsonSchema, isClosed)
    else if (!isIdle(keyword, value, schema, isClosed)) keptSchema[keyword] = value
  }
  return withoutLonelyUnion(keptSchema)
}

const namedInSnake = (properties: Record<string, JsonSchema>, isClosed: boolean) =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [toSnake(name), tidy(property, isClosed)]))

const isNever = ({ not }: JsonSchema) => not !== undefined && Object.keys(not as object).length === 0

function isIdle(keyword: string, value: unknown, schema: JsonSchema, isClosed: boolean): boolean {
  if (keyword === 'additionalProperties') return value === false && !isClosed
  // Redundant with the format.
  if (keyword === 'pattern') return schema.format !== undefined
  if (keyword === 'propertyNames') return true
  return (keyword === 'minimum' || keyword === 'maximum') && Math.abs(value as number) === Number.MAX_SAFE_INTEGER
}

/** Unwraps an `anyOf` with one member. A type or null becomes a list of two types. */
function withoutLonelyUnion(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  if (!anyOf) return schema
  if (anyOf.length === 1) return { ...anyOf[0], ...rest }
  const [first, second] = anyOf
  const isNullable = anyOf.length === 2 && second?.type === 'null' && typeof first?.type === 'string'
  if (!isNullable || first.enum || first.const !== undefined) return schema
  return { ...first, ...rest, type: [first.type as string, 'null'] }
}
