import { z } from 'zod'
import {
  colorRule,
  EXAMPLE_COLOR,
  EXAMPLE_ID,
  EXAMPLE_TIME,
  MAX_METADATA_BYTES,
  metadataRule,
  requiredTextRule,
  textRule,
  timeRule,
  uuidRule,
} from './rules.ts'
import { storedJson } from './stored-json.ts'

// A field is declared once, as data, for both interfaces: in the `record.ts` of its concept, or in a route whose answer
// is of no record.

const idShape = z.string().meta({ format: 'uuid' })

/** The inputs in which a client may set a field. */
export type InputName = 'create' | 'update'

/** Scalar types of GraphQL. */
export type ScalarName = 'ID' | 'String' | 'Int' | 'Float' | 'Boolean' | 'DateTime' | 'JSON'

/** GraphQL type of a field: a scalar, the name of an enumeration that a `graphql.ts` defines, or a list of one. */
export type GraphQLType = ScalarName | (string & {}) | readonly [string]

/** A field of a record. */
export interface Field<
  RestShape extends z.ZodType = z.ZodType,
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
  restShape: RestShape
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
    restShape,
    rule,
    range,
    example,
    maxBytes,
  }: { restShape: T; rule: R; range?: string; example?: unknown; maxBytes?: number },
): Field<Nullable<T, N>, R, I, Q, N> {
  const parts = [options.description, range, nullable && nullMeans].filter(Boolean)
  const description = parts.join(' ')
  const meta = { description, ...(example !== undefined && { examples: [example] }) }
  const documented = restShape.meta(meta)
  return {
    scalar,
    description,
    isNullable: (nullable ?? false) as N,
    restShape: (nullable ? documented.nullable() : documented) as Nullable<T, N>,
    rule: rule.meta(meta),
    inputs,
    isRequired: (required ?? false) as Q,
    maxBytes,
  }
}

/** ID of a record, which no client sets. */
export const id = <const N extends boolean = false>(options: Options<never, false, N>) =>
  field('ID', options, { restShape: idShape, rule: z.never(), example: EXAMPLE_ID })

/** ID of another record. The use case checks that the record exists in the scope of the client. */
export const reference = <const I extends InputName = never, const N extends boolean = false>(
  options: Options<I, false, N>,
) => field('ID', options, { restShape: idShape, rule: uuidRule, example: EXAMPLE_ID })

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
  const rule = options.required ? requiredTextRule(max) : textRule(max)
  return field('String', options, { restShape: z.string(), rule, range, example, maxBytes: max })
}

/** A text of a form that a rule describes, such as an email address. */
export const patternText = <R extends z.ZodType, const I extends InputName = never, const N extends boolean = false>({
  rule,
  example,
  ...options
}: Options<I, false, N> & { rule: R; example: string }) =>
  field('String', options, { restShape: z.string(), rule, example })

const MAX_LANGUAGE_TAG = 35

/** A language as a BCP 47 tag, stored in its canonical form. */
export const languageTag = <
  const I extends InputName = never,
  const Q extends boolean = false,
  const N extends boolean = false,
>(
  options: Options<I, Q, N>,
) => {
  const rule = z
    .string()
    .max(MAX_LANGUAGE_TAG)
    .transform((tag, check) => {
      try {
        return String(Intl.getCanonicalLocales(tag)[0])
      } catch {
        check.addIssue({ code: 'custom', message: 'must be a BCP 47 tag such as en or de-CH' })
        return z.NEVER
      }
    })
    .pipe(z.string())
  return field('String', options, { restShape: z.string(), rule, range: 'A BCP 47 tag.', example: 'en' })
}

export const flag = <const I extends InputName = never, const N extends boolean = false>(
  options: Options<I, false, N>,
) => field('Boolean', options, { restShape: z.boolean(), rule: z.boolean() })

/** A color as `#rrggbb`; inputs take `#rgb` too. */
export const color = <
  const I extends InputName = never,
  const Q extends boolean = false,
  const N extends boolean = false,
>(
  options: Options<I, Q, N>,
) =>
  field('String', options, {
    restShape: z.string().meta({ pattern: '^#[0-9a-f]{6}$' }),
    rule: colorRule,
    range: 'Hexadecimal, such as `#5b5bd6`.',
    example: EXAMPLE_COLOR,
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
  return field(scalar, options, { restShape: type, rule, range, example })
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
  field('String', options, { restShape: z.string().meta({ format: 'uri' }), rule: z.never(), example })

interface JsonOptions<R extends z.ZodType, I extends InputName> {
  description: string
  /** As /v1 shows it. */
  restShape: z.ZodType
  /** Defaults to `output`. See `storedJson`. */
  side?: 'input' | 'output'
  /** Validates a value that a client sends. Defaults to none: the value is never an input. */
  rule?: R
  inputs?: readonly I[]
}

/** A value that is stored as JSON: an object or a list. */
export const json = <R extends z.ZodType = z.ZodNever, const I extends InputName = never>({
  restShape,
  side,
  rule,
  ...options
}: JsonOptions<R, I>) => {
  const declared = field<z.ZodUnknown, R, I, false, false>(null, options, {
    restShape: z.unknown(),
    rule: rule ?? (z.never() as z.ZodType as R),
  })
  return { ...declared, restShape: storedJson(restShape, options.description, side) }
}

/** The client's own JSON object. */
export const metadata = <const I extends InputName = never>({ inputs }: { inputs: readonly I[] }) =>
  field(
    'JSON',
    { description: z.globalRegistry.get(metadataRule)?.description ?? '', inputs },
    {
      restShape: z.unknown().meta({ type: 'object', additionalProperties: true }),
      rule: metadataRule,
      example: { isrc: 'DEX262600417' },
      maxBytes: MAX_METADATA_BYTES,
    },
  )

/** A time as ISO 8601. */
export const time = <const I extends InputName = never, const N extends boolean = false>({
  example = EXAMPLE_TIME,
  ...options
}: Options<I, false, N> & { example?: string }) =>
  field('DateTime', options, { restShape: z.date(), rule: timeRule, example })

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
) => field(type, options, { restShape: z.enum(values), rule: z.enum(values) })

/**
 * A list.
 * @param item GraphQL type of its items
 * @param rule validates the list
 */
export const list = <R extends z.ZodType, const I extends InputName = never>(
  item: string,
  rule: R,
  options: Options<I, false, false>,
) => field([item], options, { restShape: rule, rule })

/** A whole number that no client sets. A Float of GraphQL, whose Int has 32 bits only. */
export const largeNumber = <const N extends boolean = false>({
  example,
  ...options
}: Options<never, false, N> & { example?: number }) =>
  field('Float', options, { restShape: z.number().int(), rule: z.never(), range: 'A whole number.', example })

export const createdAt = time({ description: 'Time of creation.' })
export const updatedAt = time({ description: 'Time of the last change.' })

export type Fields = Record<string, Field>
