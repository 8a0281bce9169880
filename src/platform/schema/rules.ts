import { z } from 'zod'
import type { Prisma } from '../db/generated/client/client.ts'
import { isObject } from '../object.ts'
import { isStorable } from '../storable-text.ts'

// Rules validate a client's values. The messages of `parse.ts` explain them.

export const EXAMPLE_ID = '0199c3f0-5d2e-7c41-9a6b-3f8e2d1c0b4a'
export const EXAMPLE_TIME = '2026-05-04T09:30:00.000Z'
export const EXAMPLE_COLOR = '#5b5bd6'

const UNSTORABLE = 'must be valid Unicode without U+0000'

/** Any version of UUID: an unknown one is not found, not invalid. */
export const uuidRule = z
  .guid({ error: 'must be a UUID' })
  .transform((value) => value.toLowerCase())
  .meta({ examples: [EXAMPLE_ID] })

/** One line of text. The maximum is far above legitimate values. */
export const textRule = (max = 1024) => z.string().max(max).refine(isStorable, UNSTORABLE)
export const requiredTextRule = (max = 1024) => z.string().min(1).max(max).refine(isStorable, UNSTORABLE)

/** The client's own identifier of a record. */
export const organizationIndexRule = requiredTextRule(255).meta({ examples: ['artist-417'] })
/** The same, for a record that does not need one. */
export const optionalIndexRule = textRule(255)
  .meta({ description: 'Your own identifier.', examples: ['album-9'] })
  .nullish()

/** An optional field of a creation body. `null` means absent, as widgets send it (contract, section 3). */
export const orDefault = <T>(schema: z.ZodType<T>, value: T) =>
  schema
    .nullish()
    .transform((input) => input ?? value)
    .meta({ default: value })

export const MAX_METADATA_BYTES = 65_536
const MAX_METADATA_DEPTH = 32

/** The client's own JSON object, stored unchanged. */
export const metadataRule = z
  .custom<Prisma.InputJsonObject>(isObject, 'must be an object')
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

/** #rgb and #rrggbb, stored as lower-case #rrggbb. */
export const colorRule = z
  .string()
  .regex(/^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$/, 'must be a hex color such as #5b5bd6')
  .transform((value) => {
    const digits = value.slice(1).toLowerCase()
    return `#${digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits}`
  })
  .pipe(z.string())
  .meta({ examples: [EXAMPLE_COLOR] })

/** A whole number in a query, whose values are strings. Reports one rule: type or range. */
export const countRule = (min: number, max: number) => {
  const range = `must be between ${min} and ${max}`
  return z.preprocess(readDigits, z.number(WHOLE).int({ error: WHOLE, abort: true }).min(min, range).max(max, range))
}

/** The same, which defaults to `fallback`. */
export const wholeNumberRule = (min: number, max: number, fallback: number) => countRule(min, max).default(fallback)

const WHOLE = 'must be a whole number'
/** Numbers that JavaScript cannot represent exactly are out of any range. */
const readDigits = (value: unknown) =>
  typeof value === 'string' && /^-?\d+$/.test(value)
    ? Math.min(Math.max(Number(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
    : value

/** Records of a page of /v1 (contract, section 1). */
export const [DEFAULT_PAGE, MAX_PAGE] = [50, 200]

/** `limit` and `offset` of a list (contract, section 1). */
export const pageRules = z.object({
  limit: wholeNumberRule(1, MAX_PAGE, DEFAULT_PAGE).describe('Page size. 1 to 200. Defaults to 50.'),
  offset: wholeNumberRule(0, 2_147_483_647, 0).describe('Number of records to skip. Defaults to 0.'),
})
export type PageInput = z.output<typeof pageRules>

const YEARS = 'must be in the years 1 to 9999 in UTC'

/** A time as ISO 8601 with a zone. */
export const timeRule = z
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
export const timeOrDayRule = z.union(
  [
    z.iso
      .date()
      .transform((value) => new Date(`${value}T00:00:00Z`))
      .refine(isWritable, YEARS),
    timeRule,
  ],
  {
    error: 'must be a time as ISO 8601',
  },
)

/** Returns whether a value has more than `levels` levels of objects and lists. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
}
