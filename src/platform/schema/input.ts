import { z } from 'zod'
import type { Prisma } from '../db/generated/client/client.ts'
import { AppError } from '../errors.ts'
import { isStorable } from '../storable-text.ts'
import { EXAMPLE_COLOR, EXAMPLE_ID, EXAMPLE_TIME } from './shape.ts'

/**
 * Parses a client's input. Unknown fields are ignored (contract, section 1).
 * @param prefix path of `raw` inside the client's input, for error messages
 * @throws AppError `invalid_input` with every violated rule
 */
export function parse<T>(schema: z.ZodType<T>, raw: unknown, prefix = ''): T {
  const result = schema.safeParse(raw, { error: ruleMessage })
  if (result.success) return result.data
  const fields = result.error.issues.map((issue) => ({
    field: [prefix, ...issue.path].filter((part) => part !== '').join('.') || 'body',
    rule: issue.message,
  }))
  throw new AppError('invalid_input', '', { fields })
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  date: 'a time as ISO 8601',
}

/** Messages of rules, the same for every field. A message at a rule takes precedence. */
const ruleMessage: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return 'is required'
    return `must be ${typeNames[issue.expected] ?? issue.expected}`
  }
  if (issue.code === 'too_small')
    return `must be ${bound(issue.inclusive, 'at least', 'more than')} ${amount(issue.origin, issue.minimum)}`
  if (issue.code === 'too_big')
    return `must be ${bound(issue.inclusive, 'at most', 'less than')} ${amount(issue.origin, issue.maximum)}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  return undefined
}

const bound = (isInclusive: boolean | undefined, inclusive: string, exclusive: string) =>
  isInclusive === false ? exclusive : inclusive
const amount = (origin: string, limit: number | bigint) =>
  origin === 'string' ? `${limit} characters long` : origin === 'array' ? `${limit} items long` : String(limit)

const UNSTORABLE = 'must be valid Unicode without U+0000'

/** Any version of UUID: an unknown one is not found, not invalid. */
export const uuid = z
  .guid({ error: 'must be a UUID' })
  .transform((value) => value.toLowerCase())
  .meta({ examples: [EXAMPLE_ID] })

/** Parses a UUID argument of GraphQL. @throws AppError `invalid_input` with the name of `field` */
export const parseId = (field: string, value: unknown): string => parse(uuid, value, field)

/** One line of text. The maximum is far above legitimate values. */
export const text = (max = 1024) => z.string().max(max).refine(isStorable, UNSTORABLE)
export const requiredText = (max = 1024) => z.string().min(1).max(max).refine(isStorable, UNSTORABLE)

/** The client's own identifier of a record. */
export const organizationIndex = requiredText(255).meta({ examples: ['artist-417'] })
/** The same, for a record that does not need one. */
export const optionalIndex = text(255)
  .meta({ description: 'Your own identifier.', examples: ['album-9'] })
  .nullish()

/** An optional field of a creation body. `null` means absent, as widgets send it (contract, section 3). */
export const orDefault = <T>(schema: z.ZodType<T>, value: T) =>
  schema
    .nullish()
    .transform((given) => given ?? value)
    .meta({ default: value })

export const MAX_METADATA_BYTES = 65_536
const MAX_METADATA_DEPTH = 32
/** Levels of a whole input: those of metadata, and of the objects and lists that it is in. */
const MAX_INPUT_DEPTH = 40

/** The client's own JSON object, stored unchanged. */
export const metadata = z
  .custom<Prisma.InputJsonObject>(isPlainObject, 'must be an object')
  .superRefine((value, check) => {
    // Before anything else walks it: a literal of GraphQL has not been checked.
    if (isDeeper(value, MAX_METADATA_DEPTH)) {
      check.addIssue({ code: 'custom', message: `must be at most ${MAX_METADATA_DEPTH} levels deep` })
      return
    }
    const written = JSON.stringify(value)
    if (Buffer.byteLength(written) > MAX_METADATA_BYTES) {
      check.addIssue({ code: 'custom', message: `must be at most ${MAX_METADATA_BYTES} bytes of JSON` })
    }
    // The first backslash must not itself be escaped.
    if (/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(written)) check.addIssue({ code: 'custom', message: UNSTORABLE })
  })
  .meta({
    type: 'object',
    additionalProperties: true,
    description: `Your own JSON object, stored unchanged. At most ${MAX_METADATA_BYTES} bytes, ${MAX_METADATA_DEPTH} levels deep.`,
    examples: [{ isrc: 'DEX262600417' }],
  })

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** #rgb and #rrggbb, stored as lower-case #rrggbb. */
export const hexColor = z
  .string()
  .regex(/^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$/, 'must be a hex color such as #5b5bd6')
  .transform((value) => {
    const digits = value.slice(1).toLowerCase()
    return `#${digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits}`
  })
  .pipe(z.string())
  .meta({ examples: [EXAMPLE_COLOR] })

/** A whole number in a query, whose values are strings. Defaults to `fallback`. Reports one rule: type or range. */
export const wholeNumber = (min: number, max: number, fallback: number) => {
  const range = `must be between ${min} and ${max}`
  return z
    .preprocess(readDigits, z.number(WHOLE).int({ error: WHOLE, abort: true }).min(min, range).max(max, range))
    .default(fallback)
}

const WHOLE = 'must be a whole number'
/** Numbers that JavaScript cannot represent exactly are out of any range. */
const readDigits = (value: unknown) =>
  typeof value === 'string' && /^-?\d+$/.test(value)
    ? Math.min(Math.max(Number(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
    : value

/** `limit` and `offset` of a list (contract, section 1). */
export const page = z.object({
  limit: wholeNumber(1, 200, 50).describe('Page size. 1 to 200. Defaults to 50.'),
  offset: wholeNumber(0, 2_147_483_647, 0).describe('Number of records to skip. Defaults to 0.'),
})
export type Page = z.output<typeof page>

const YEARS = 'must be in the years 1 to 9999 in UTC'

/** A time as ISO 8601 with a zone. */
export const time = z
  .union(
    [z.date(), z.iso.datetime({ offset: true }).transform((value) => new Date(value))],
    'must be a time as ISO 8601',
  )
  .refine(isWritable, YEARS)
  .meta({ examples: [EXAMPLE_TIME] })

/** ISO 8601 has four digits for a year, RFC 3339 too; PostgreSQL has no year 0. */
function isWritable(time: Date): boolean {
  const year = time.getUTCFullYear()
  return year >= 1 && year <= 9999
}

/** A time, or a day, which means its start in UTC. */
export const timeOrDay = z.union(
  [
    z.iso
      .date()
      .transform((value) => new Date(`${value}T00:00:00Z`))
      .refine(isWritable, YEARS),
    time,
  ],
  {
    error: 'must be a time as ISO 8601',
  },
)

/** Condition: created in a range, its end excluded. */
export const createdWithin = ({ createdFrom, createdUntil }: { createdFrom?: Date; createdUntil?: Date }) =>
  createdFrom || createdUntil ? { createdAt: { gte: createdFrom, lt: createdUntil } } : {}

/** Condition: any of the fields contains the text, case-insensitively. */
export const contains = <F extends string>(fields: readonly F[], search: string | undefined) =>
  search === undefined
    ? {}
    : { OR: fields.map((field) => ({ [field]: { contains: search, mode: 'insensitive' as const } })) }

/** Newest first, ties broken by id. */
export const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }]

/** Returns whether a client's input is nested too deep. Checked before anything else walks it. */
export const isTooDeep = (value: unknown) => isDeeper(value, MAX_INPUT_DEPTH)

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
}
