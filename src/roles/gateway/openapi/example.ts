import type { JsonSchema } from './json-schema.ts'

/** Derives an example from the examples of the fields, so that it cannot contradict their rules. */
export function findExample(schema: JsonSchema, components: Record<string, JsonSchema>): unknown {
  const of = (inner: JsonSchema) => findExample(inner, components)
  if (schema.$ref) return of(components[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  const [statedExample] = [schema.examples?.[0], schema.default, schema.const, schema.enum?.[0]].filter(isDefined)
  if (statedExample !== undefined) return statedExample
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice) return of(choice)
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(of))
  return ofType(schema, of)
}

const isDefined = (value: unknown) => value !== undefined

function ofType(schema: JsonSchema, of: (inner: JsonSchema) => unknown): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') {
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, of(inner)]))
  }
  if (type === 'array') return schema.items ? [of(schema.items)] : []
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  return type === 'null' ? null : 'text'
}
