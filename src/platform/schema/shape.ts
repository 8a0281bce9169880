import { z } from 'zod'

// Fields as /v1 shows them. A shape is typed as what the function beside it returns, and written down in the OpenAPI
// document: with names in camelCase and times as dates, both of which the REST edge turns.

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
    description: 'Your own JSON object, as it was set.',
    examples: [{ isrc: 'DEX262600417' }],
  })

interface Held {
  shape: z.ZodType
  side: 'input' | 'output'
}
const held = new WeakMap<object, Held>()

/**
 * A value that is stored as JSON, of which the compiler knows nothing: written down as `shape`.
 * @param side `input` where it is what the shape was given: what has a default may be missing
 */
export function stored(shape: z.ZodType, description?: string, side: Held['side'] = 'output') {
  const schema = z.unknown().meta({ description })
  held.set(schema, { shape, side })
  return schema
}

/** What a stored value is written down as; undefined for any other schema. */
export const heldBy = (schema: object) => held.get(schema)

/** How many there are of a list, of which a page is shown. */
export const count = () => wholeNumber('How many match, on all pages together.')
