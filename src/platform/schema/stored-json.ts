import { z } from 'zod'

interface StoredShape {
  shape: z.ZodType
  side: 'input' | 'output'
}
const storedShapes = new WeakMap<object, StoredShape>()

/**
 * A value stored as JSON, untyped for the compiler, documented as `shape`.
 * @param side `input` when the value was validated as an input of the shape: fields with defaults may be missing
 */
export function storedJson(shape: z.ZodType, description?: string, side: StoredShape['side'] = 'output') {
  const schema = z.unknown().meta({ description })
  storedShapes.set(schema, { shape, side })
  return schema
}

/** Returns the documented shape of a stored value; undefined for any other schema. */
export const findStoredShape = (schema: object) => storedShapes.get(schema)
