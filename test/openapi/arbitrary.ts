import fc from 'fast-check'
import type { JsonSchema } from '../../src/roles/gateway/openapi/json-schema.ts'

/** Values as a schema allows them, its bounds among them. Formats and patterns are met by their examples. */
export function valid(schema: JsonSchema, components: Record<string, JsonSchema>): fc.Arbitrary<unknown> {
  const of = (inner: JsonSchema) => valid(inner, components)
  if (schema.$ref) return of(components[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map(of))
  if (schema.allOf) return fc.tuple(...schema.allOf.map(of)).map((parts) => Object.assign({}, ...(parts as object[])))
  const types = [schema.type].flat()
  return fc.oneof(...types.map((type) => ofType({ ...schema, type }, of)))
}

function ofType(schema: JsonSchema & { type?: unknown }, of: (inner: JsonSchema) => fc.Arbitrary<unknown>) {
  const {
    minLength = 0,
    maxLength = 40,
    minimum = -1e6,
    maximum = 1e6,
    maxItems = 3,
  } = schema as Record<string, number>
  const { minItems = 0 } = schema as Record<string, number>
  switch (schema.type) {
    case 'object': {
      if (!schema.properties)
        return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
      const { required = [] } = schema
      const fields = Object.entries(schema.properties).map(([name, inner]) => [name, of(inner)] as const)
      return fc.record(Object.fromEntries(fields), { requiredKeys: required as never[] })
    }
    case 'array':
      return fc.array(of(schema.items ?? {}), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) })
    case 'string': {
      const examples = schema.examples as string[] | undefined
      if ((schema.format || schema.pattern) && examples) return fc.constantFrom(...examples)
      const edges = [minLength, maxLength].map((length) => fc.constant('a'.repeat(length)))
      return fc.oneof(...edges, fc.string({ unit: 'grapheme-composite', minLength, maxLength: minLength + 12 }))
    }
    case 'integer':
      return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }))
    case 'number':
      return fc.oneof(fc.constantFrom(minimum, maximum), fc.double({ min: minimum, max: maximum, noNaN: true }))
    case 'boolean':
      return fc.boolean()
    default:
      return fc.constant(null)
  }
}

/** Values that no field expects: wrong types, values beyond bounds, and texts that databases and parsers may misread. */
export const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    -0,
    2 ** 31,
    2 ** 53,
    '',
    ' ',
    [],
    {},
    [[]],
    [null],
    { a: { b: [] } },
    '\0',
    '\ud800',
    '\u202e',
    '💥'.repeat(300),
    'a'.repeat(5000),
    "'; DROP TABLE track; --",
    '%s',
    '../..',
    '{{7*7}}',
    ...['__proto__', 'NaN', '1e999', '-1', '00000000-0000-0000-0000-000000000000', '2026-02-30T00:00:00Z'],
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

/** An object in which one field is spoilt, missing, or one too many; or something that is no object at all. */
export const spoilt = (body: fc.Arbitrary<unknown>, names: string[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    odd,
    fc
      .tuple(body, fc.constantFrom(...names, 'id', '__proto__', 'constructor'), odd)
      .map(([whole, name, value]) =>
        JSON.parse(
          `{${[...Object.entries(whole as object).filter(([key]) => key !== name), [name, value]]
            .map(([key, inner]) => `${JSON.stringify(key)}:${JSON.stringify(inner)}`)
            .join(',')}}`,
        ),
      ),
    fc.tuple(body, fc.constantFrom(...names, 'id')).map(([whole, name]) => {
      const { [name]: _, ...rest } = whole as Record<string, unknown>
      return rest
    }),
  )
