import { z } from 'zod'
import { type Field, type Fields, type GraphQLType, type InputName, integer } from './fields.ts'
import { requiredTextRule, timeRule } from './rules.ts'

// A record is declared once, as data: `record.ts` of a concept lists its fields. Both interfaces are derived from that
// list: the answers of /v1 (`restShape`, `toRest`), the inputs of both and their validation (`createShape`,
// `updateShape`), and, in platform/graphql/record.ts, the fields of GraphQL objects and inputs.

/** The fields as shown in /v1, for `z.object`. */
export type RestShape<F extends Fields> = { [K in keyof F]: F[K]['restShape'] }

export const restShape = <F extends Fields>(fields: F) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { restShape: fieldShape }]) => [name, fieldShape]),
  ) as RestShape<F>

/** A page of records in /v1: the records of `name`, and the number of all that match. */
export const pageShape = <N extends string, T extends z.ZodType>(name: N, record: T) =>
  z.object({
    count: integer({ description: 'Number of matching records on all pages.', example: 1 }).restShape,
    [name]: z.array(record),
  } as { count: z.ZodInt } & Record<N, z.ZodArray<T>>)

/** Converts a row to its /v1 form. */
export const toRest = <F extends Fields>(fields: F, row: { [K in keyof F]: z.input<F[K]['restShape']> }) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, row[name]])) as {
    [K in keyof F]: z.input<F[K]['restShape']>
  }

type InputsOf<T> = T extends Field<z.ZodType, z.ZodType, infer I> ? I : never
type Optional<T extends Field> = T['isNullable'] extends true
  ? z.ZodOptional<z.ZodNullable<T['rule']>>
  : z.ZodOptional<T['rule']>

/** A creation input: every required field, any other that may be set. */
export type CreateShape<F extends Fields> = {
  [K in keyof F as 'create' extends InputsOf<F[K]> ? K : never]: F[K]['isRequired'] extends true
    ? F[K]['rule']
    : Optional<F[K]>
}
/** An update input: any field that may be changed. Null clears a nullable field. */
export type UpdateShape<F extends Fields> = {
  [K in keyof F as 'update' extends InputsOf<F[K]> ? K : never]: Optional<F[K]>
}

const optional = ({ rule, isNullable }: Field) => (isNullable ? rule.nullish() : rule.optional())

export const fieldsFor = (fields: Fields, input: InputName) =>
  Object.entries(fields).filter(([, { inputs }]) => inputs.includes(input))

export const createShape = <F extends Fields>(fields: F) =>
  Object.fromEntries(
    fieldsFor(fields, 'create').map(([name, field]) => [name, field.isRequired ? field.rule : optional(field)]),
  ) as CreateShape<F>

export const updateShape = <F extends Fields>(fields: F) =>
  Object.fromEntries(fieldsFor(fields, 'update').map(([name, field]) => [name, optional(field)])) as UpdateShape<F>

/** A condition of a list. */
export interface Filter<Rule extends z.ZodType = z.ZodType> {
  /** Null for a list, whose GraphQL field the concept's `graphql.ts` declares. */
  scalar: GraphQLType | null
  description: string
  rule: Rule
}
export type Filters = Record<string, Filter>

/** Declares a condition of a list. */
export const filter = <Rule extends z.ZodType>(
  scalar: GraphQLType | null,
  rule: Rule,
  description: string,
): Filter<Rule> => ({
  scalar,
  description,
  rule: rule.meta({ ...z.globalRegistry.get(rule), description }),
})

/** Conditions on the time of creation, of every list of records. */
export const createdFilters = {
  createdFrom: filter('DateTime', timeRule, 'Created at or after this time.'),
  createdUntil: filter('DateTime', timeRule, 'Created before this time.'),
}
/** A case-insensitive search in fields of a record. @param fields as text for the description */
export const searchFilter = (fields: string) =>
  filter('String', requiredTextRule(200), `Case-insensitive substring of ${fields}. 1 to 200 characters.`)

/** The filter of a list, for `z.object`: every condition is optional, and all given ones must hold. */
export const filterShape = <F extends Filters>(filters: F) =>
  Object.fromEntries(Object.entries(filters).map(([name, { rule }]) => [name, rule.optional()])) as {
    [K in keyof F]: z.ZodOptional<F[K]['rule']>
  }
