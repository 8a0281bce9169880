import type { z } from 'zod'
import { AppError } from '../errors.ts'
import { isDeeper, uuidRule } from './rules.ts'

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

/** Parses a UUID argument of GraphQL. @throws AppError `invalid_input` with the name of `field` */
export const parseId = (field: string, value: unknown): string => parse(uuidRule, value, field)

/** Levels of a whole input: those of metadata, and of the objects and lists that it is in. */
const MAX_INPUT_DEPTH = 40

/** Returns whether a client's input is nested too deep. Checked before anything else walks it. */
export const isTooDeep = (value: unknown) => isDeeper(value, MAX_INPUT_DEPTH)
