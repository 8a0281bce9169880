import type { InputFieldRef, InputType } from '@pothos/core'
import type { z } from 'zod'
import type { Fields } from '../schema/fields.ts'
import { parse } from '../schema/parse.ts'
import { type BuilderTypes, builder } from './builder.ts'
import { inputFields } from './record.ts'

/** The required argument of a field with the ID of a record. `parseId` validates it. */
export const idArgument = (record: string, description = `ID of the ${record}.`) =>
  builder.args((t) => ({ id: t.id({ required: true, description }) })).id

/** The required argument of a mutation with its input. */
export const inputArgument = <T extends InputType<BuilderTypes>>(type: T, description = 'The fields to change.') =>
  builder.args((t) => ({ input: t.field({ type, required: true, description }) })).input

type InputBuilder = PothosSchemaTypes.InputFieldBuilder<BuilderTypes, 'InputObject'>
type InputFields = Record<string, InputFieldRef<BuilderTypes, unknown>>

/**
 * Defines the input of a creation from the fields of a record.
 * @param more fields that the record does not declare for GraphQL
 */
export const defineCreateInput = (
  record: string,
  description: string,
  fields: Fields,
  more: (t: InputBuilder) => InputFields = () => ({}),
) =>
  builder.inputType(`Create${record}Input`, {
    description,
    fields: (t) => ({ ...inputFields(t, fields, 'create'), ...more(t) }),
  })

const KEPT = 'Fields to change. Fields that are left out keep their value.'
/** Description of an update input with nullable fields. */
export const NULL_CLEARS = `${KEPT} Null clears a nullable field.`

/** Defines the input of an update, in the same way. */
export const defineUpdateInput = (
  record: string,
  fields: Fields,
  more: (t: InputBuilder) => InputFields = () => ({}),
  description = KEPT,
) =>
  builder.inputType(`Update${record}Input`, {
    description,
    fields: (t) => ({ ...inputFields(t, fields, 'update'), ...more(t) }),
  })

/** The validated input of a creation. @throws AppError `invalid_input` */
export const parseCreation = <T>(schema: z.ZodType<T>, input: object | null | undefined): T =>
  parse(schema, omitNulls(input))

type WithoutNulls<T> = { [K in keyof T]?: Exclude<T[K], null> }

/** Drops null inputs: GraphQL clients send null for variables without a value. */
export function omitNulls<T extends object>(input: T | null | undefined): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(input ?? {}).filter(([, value]) => value !== null)) as WithoutNulls<T>
}
