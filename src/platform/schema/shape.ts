import { z } from 'zod'

// Shapes of fields in /v1 answers. A shape is the type of its mapping function's result and the source of the OpenAPI
// document, with names in camelCase and times as dates. The REST edge converts both.

export const EXAMPLE_ID = '0199c3f0-5d2e-7c41-9a6b-3f8e2d1c0b4a'
export const EXAMPLE_TIME = '2026-05-04T09:30:00.000Z'
export const EXAMPLE_COLOR = '#5b5bd6'

export const id = (description = 'UUID.') => z.string().meta({ format: 'uuid', description, examples: [EXAMPLE_ID] })

export const time = (description: string) => z.date().meta({ description, examples: [EXAMPLE_TIME] })

export const text = (description: string, example = '') =>
  z.string().meta({ description, ...(example && { examples: [example] }) })

export const url = (description: string, example: string) =>
  z.string().meta({ format: 'uri', description, examples: [example] })

export const color = (description: string) =>
  z.string().meta({ pattern: '^#[0-9a-f]{6}$', description, examples: [EXAMPLE_COLOR] })

export const flag = (description: string) => z.boolean().meta({ description })

export const number = (description: string, example = 1) => z.number().meta({ description, examples: [example] })

export const wholeNumber = (description: string, example = 1) =>
  z
    .number()
    .int()
    .meta({ description, examples: [example] })

/** The client's own JSON object. */
export const metadata = () =>
  z.unknown().meta({
    type: 'object',
    additionalProperties: true,
    description: 'Your own JSON object, stored unchanged.',
    examples: [{ isrc: 'DEX262600417' }],
  })

interface StoredShape {
  shape: z.ZodType
  side: 'input' | 'output'
}
const storedShapes = new WeakMap<object, StoredShape>()

/**
 * A value stored as JSON, untyped for the compiler, documented as `shape`.
 * @param side `input` when the value was validated as an input of the shape: fields with defaults may be missing
 */
export function stored(shape: z.ZodType, description?: string, side: StoredShape['side'] = 'output') {
  const schema = z.unknown().meta({ description })
  storedShapes.set(schema, { shape, side })
  return schema
}

/** Returns the documented shape of a stored value; undefined for any other schema. */
export const storedShapeOf = (schema: object) => storedShapes.get(schema)

/** Number of all matching records of a paged list. */
export const count = (description = 'Number of matching records on all pages.') => wholeNumber(description)
