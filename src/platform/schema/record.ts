import { z } from 'zod'
import {
  hexColor,
  MAX_METADATA_BYTES,
  metadata as metadataRule,
  requiredText,
  text as textRule,
  time as timeRule,
  uuid,
} from './input.ts'
import * as shape from './shape.ts'

// A record is declared once, as data: `record.ts` of a concept lists its fields. Both interfaces are derived from that
// list: the answers of /v1 (`restShape`, `toRest`), the inputs of both and their validation (`createInput`,
// `updateInput`), and, in platform/graphql/record.ts, the fields of GraphQL objects and inputs.

/** The inputs in which a client may set a field. */
export type InputName = 'create' | 'update'

/** Scalar types of GraphQL. */
export type ScalarName = 'ID' | 'String' | 'Int' | 'Float' | 'Boolean' | 'DateTime' | 'JSON'

/** GraphQL type of a field: a scalar, the name of an enumeration that a `graphql.ts` defines, or a list of one. */
export type GraphQLType = ScalarName | (string & {}) | readonly [string]

/** A field of a record. */
export interface Field<
  Shown extends z.ZodType = z.ZodType,
  Rule extends z.ZodType = z.ZodType,
  Inputs extends InputName = InputName,
  IsRequired extends boolean = boolean,
  IsNullable extends boolean = boolean,
> {
  /** Null for an object or a list, whose GraphQL type and field the concept's `graphql.ts` declares. */
  scalar: GraphQLType | null
  /** The same text in both interfaces: meaning, range, null. */
  description: string
  isNullable: IsNullable
  /** Shape in /v1. */
  shown: Shown
  /** Validates a client's value that is not null. */
  rule: Rule
  inputs: readonly Inputs[]
  /** Whether a new record needs it. */
  isRequired: IsRequired
  /** Length of the longest value. Absent for short ones. */
  maxBytes?: number
}

interface Options<Inputs extends InputName, IsRequired extends boolean, IsNullable extends boolean> {
  /** Meaning, as a sentence. Range and example are added by the constructor. */
  description: string
  nullable?: IsNullable
  /** Meaning of null. Defaults to "Null when not set." */
  nullMeans?: string
  inputs?: readonly Inputs[]
  /** In a creation input. Defaults to false. */
  required?: IsRequired
}

type Nullable<T extends z.ZodType, IsNullable> = IsNullable extends true ? z.ZodNullable<T> : T

function field<T extends z.ZodType, R extends z.ZodType, I extends InputName, Q extends boolean, N extends boolean>(
  scalar: GraphQLType | null,
  { nullable, nullMeans = 'Null when not set.', inputs = [], required, ...options }: Options<I, Q, N>,
  {
    shown,
    rule,
    range,
    example,
    maxBytes,
  }: { shown: T; rule: R; range?: string; example?: unknown; maxBytes?: number },
): Field<Nullable<T, N>, R, I, Q, N> {
  const parts = [options.description, range, nullable && nullMeans].filter(Boolean)
  const description = parts.join(' ')
  const meta = { ...z.globalRegistry.get(shown), description, ...(example !== undefined && { examples: [example] }) }
  const documented = shown.meta(meta)
  return {
    scalar,
    description,
    isNullable: (nullable ?? false) as N,
    shown: (nullable ? documented.nullable() : documented) as Nullable<T, N>,
    rule: rule.meta({
      ...z.globalRegistry.get(rule),
      description,
      ...(example !== undefined && { examples: [example] }),
    }),
    inputs,
    isRequired: (required ?? false) as Q,
    maxBytes,
  }
}

/** ID of a record, which no client sets. */
export const id = <const N extends boolean = false>(options: Options<never, false, N>) =>
  field('ID', options, { shown: shape.id(), rule: z.never() })

/** ID of another record. The use case checks that the record exists in the scope of the client. */
export const reference = <const I extends InputName = never, const N extends boolean = false>(
  options: Options<I, false, N>,
) => field('ID', options, { shown: shape.id(), rule: uuid })

/** One line of text of at most `max` characters; at least 1 where it is required. */
export const text = <
  const I extends InputName = never,
  const Q extends boolean = false,
  const N extends boolean = false,
>({
  max,
  example,
  ...options
}: Options<I, Q, N> & { max?: number; example?: string }) => {
  const minimum = options.required ? 1 : 0
  const range = max === undefined ? undefined : `${minimum} to ${max.toLocaleString('en')} characters.`
  const rule = options.required ? requiredText(max) : textRule(max)
  return field('String', options, { shown: z.string(), rule, range, example, maxBytes: max })
}

export const flag = <const I extends InputName = never, const N extends boolean = false>(
  options: Options<I, false, N>,
) => field('Boolean', options, { shown: z.boolean(), rule: z.boolean() })

/** A color as `#rrggbb`; inputs take `#rgb` too. */
export const color = <
  const I extends InputName = never,
  const Q extends boolean = false,
  const N extends boolean = false,
>(
  options: Options<I, Q, N>,
) =>
  field('String', options, {
    shown: shape.color(''),
    rule: hexColor,
    range: 'Hexadecimal, such as `#5b5bd6`.',
    example: shape.EXAMPLE_COLOR,
  })

interface NumberOptions<I extends InputName, Q extends boolean, N extends boolean> extends Options<I, Q, N> {
  min?: number
  max?: number
  example?: number
}

function numeric<I extends InputName, Q extends boolean, N extends boolean>(
  scalar: 'Int' | 'Float',
  type: z.ZodNumber,
  { min, max, example, ...options }: NumberOptions<I, Q, N>,
) {
  const range = min === undefined || max === undefined ? undefined : `${min} to ${max.toLocaleString('en')}.`
  const rule = type.min(min ?? -Infinity).max(max ?? Infinity)
  return field(scalar, options, { shown: type, rule, range, example })
}

/** A number. State its unit in the description: "Seconds." */
export const number = <
  const I extends InputName = never,
  const Q extends boolean = false,
  const N extends boolean = false,
>(
  options: NumberOptions<I, Q, N>,
) => numeric('Float', z.number(), options)

/** A whole number that fits in 32 bits, as GraphQL's Int does. */
export const integer = <
  const I extends InputName = never,
  const Q extends boolean = false,
  const N extends boolean = false,
>(
  options: NumberOptions<I, Q, N>,
) => numeric('Int', z.int(), options)

/** An absolute address, which no client sets. */
export const url = <const N extends boolean = false>({
  example,
  ...options
}: Options<never, false, N> & { example: string }) =>
  field('String', options, { shown: shape.url('', example), rule: z.never(), example })

interface JsonOptions<R extends z.ZodType, I extends InputName> {
  description: string
  /** As /v1 shows it. */
  shown: z.ZodType
  /** Validates a value that a client sends. Defaults to none: the value is never an input. */
  rule?: R
  inputs?: readonly I[]
}

/** A value that is stored as JSON: an object or a list. */
export const json = <R extends z.ZodType = z.ZodNever, const I extends InputName = never>({
  shown,
  rule,
  ...options
}: JsonOptions<R, I>) => {
  const declared = field<z.ZodUnknown, R, I, false, false>(null, options, {
    shown: z.unknown(),
    rule: rule ?? (z.never() as z.ZodType as R),
  })
  return { ...declared, shown: shape.stored(shown, options.description) }
}

/** The client's own JSON object. */
export const metadata = <const I extends InputName = never>({ inputs }: { inputs: readonly I[] }) =>
  field(
    'JSON',
    { description: z.globalRegistry.get(metadataRule)?.description ?? '', inputs },
    { shown: shape.metadata(), rule: metadataRule, maxBytes: MAX_METADATA_BYTES },
  )

/** A time as ISO 8601. */
export const time = <const I extends InputName = never, const N extends boolean = false>({
  example = shape.EXAMPLE_TIME,
  ...options
}: Options<I, false, N> & { example?: string }) =>
  field('DateTime', options, { shown: z.date(), rule: timeRule, example })

/**
 * A value of an enumeration.
 * @param type name of the enumeration in GraphQL
 */
export const choice = <
  const V extends Readonly<Record<string, string>>,
  const I extends InputName = never,
  const Q extends boolean = false,
>(
  type: string,
  values: V,
  options: Options<I, Q, false>,
) => field(type, options, { shown: z.enum(values), rule: z.enum(values) })

/**
 * A list.
 * @param item GraphQL type of its items
 * @param rule validates the list
 */
export const list = <R extends z.ZodType, const I extends InputName = never>(
  item: string,
  rule: R,
  options: Options<I, false, false>,
) => field([item], options, { shown: rule, rule })

/** A whole number that no client sets. A Float of GraphQL, whose Int has 32 bits only. */
export const largeNumber = <const N extends boolean = false>({
  example,
  ...options
}: Options<never, false, N> & { example?: number }) =>
  field('Float', options, { shown: shape.wholeNumber('', example), rule: z.never(), range: 'A whole number.' })

export const createdAt = time({ description: 'Time of creation.' })
export const updatedAt = time({ description: 'Time of the last change.' })

export type Fields = Record<string, Field>

/** The fields as shown in /v1, for `z.object`. */
export type RestShape<F extends Fields> = { [K in keyof F]: F[K]['shown'] }

export const restShape = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, { shown }]) => [name, shown])) as RestShape<F>

/** Converts a row to its /v1 form. */
export const toRest = <F extends Fields>(fields: F, row: { [K in keyof F]: z.input<F[K]['shown']> }) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, row[name]])) as { [K in keyof F]: z.input<F[K]['shown']> }

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
  filter('String', requiredText(200), `Case-insensitive substring of ${fields}. 1 to 200 characters.`)

/** The filter of a list, for `z.object`: every condition is optional, and all given ones must hold. */
export const filterShape = <F extends Filters>(filters: F) =>
  Object.fromEntries(Object.entries(filters).map(([name, { rule }]) => [name, rule.optional()])) as {
    [K in keyof F]: z.ZodOptional<F[K]['rule']>
  }
