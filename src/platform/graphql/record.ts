import type { FieldRef, InputFieldRef } from '@pothos/core'
import type { z } from 'zod'
import type { Fields, GraphQLType, InputName } from '../schema/fields.ts'
import { type Filters, fieldsFor } from '../schema/record.ts'
import type { builder } from './builder.ts'
import { priceOfText } from './price.ts'

type Types = typeof builder.$inferSchemaTypes
interface ObjectFields {
  expose: (name: never, options: never) => unknown
}
interface InputFields {
  field: (options: never) => unknown
}

/**
 * The scalar fields of a record as fields of its GraphQL object, each read from the column of its name. Long texts have the
 * price of their length.
 */
export function expose<F extends Fields>(t: ObjectFields, fields: F) {
  const { expose: exposed } = t as unknown as { expose: (this: unknown, name: string, options: object) => unknown }
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, { scalar }]) => scalar !== null)
      .map(([name, { scalar, description, isNullable, maxBytes }]) => [
        name,
        exposed.call(t, name, {
          type: scalar,
          nullable: isNullable,
          description,
          extensions: { price: priceOfText(maxBytes) },
        }),
      ]),
  ) as Record<keyof F & string, FieldRef<Types>>
}

/** The scalar fields that a client may set, as fields of a GraphQL input. Their values are validated by the record's rules. */
export function inputFields<F extends Fields>(t: InputFields, fields: F, input: InputName) {
  const { field } = t as unknown as { field: (this: unknown, options: object) => unknown }
  return Object.fromEntries(
    fieldsFor(fields, input)
      .filter(([, { scalar }]) => scalar !== null)
      .map(([name, { scalar, description, isRequired }]) => [
        name,
        field.call(t, { type: scalar, required: input === 'create' && isRequired, description }),
      ]),
  ) as Record<string, InputFieldRef<Types, unknown>>
}

/** The scalar conditions of a list as fields of a GraphQL filter input. */
export function filterFields(t: InputFields, filters: Filters) {
  const { field } = t as unknown as { field: (this: unknown, options: object) => unknown }
  return Object.fromEntries(
    Object.entries(filters)
      .filter(([, { scalar }]) => scalar !== null)
      .map(([name, { scalar, description }]) => [name, field.call(t, { type: scalar, description })]),
  ) as Record<string, InputFieldRef<Types, unknown>>
}

/**
 * The fields of a schema as fields of the GraphQL input that it validates, with the descriptions of the schema.
 * @param types GraphQL types of the fields to show
 */
export function schemaFields(t: InputFields, { shape }: z.ZodObject, types: Record<string, GraphQLType>) {
  const { field } = t as unknown as { field: (this: unknown, options: object) => unknown }
  return Object.fromEntries(
    Object.entries(types).map(([name, type]) => {
      const schema = shape[name] as z.ZodType
      const required = !schema.safeParse(undefined).success
      return [name, field.call(t, { type, required, description: findDescription(schema) })]
    }),
  ) as Record<string, InputFieldRef<Types, unknown>>
}

/** The description of a schema, or of the schema that it wraps. */
function findDescription(schema: z.core.$ZodType): string | undefined {
  const { description } = schema as z.ZodType
  const { innerType, in: input } = schema._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType }
  const inner = innerType ?? input
  return description ?? (inner && findDescription(inner))
}
