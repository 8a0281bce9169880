import { z } from 'zod'

/** Rules of the parameters of a type, by their names in `props`. */
export type Parameters = Record<string, z.ZodType>

const either = new Intl.ListFormat('en', { type: 'disjunction' })
const text = (value: unknown) => (typeof value === 'number' ? value.toLocaleString('en') : `\`${value}\``)

const describeDefault = (value: unknown) =>
  Array.isArray(value) ? new Intl.ListFormat('en').format(value.map(text)) : text(value)

/** JSON Schema of a parameter as clients send it. */
const toJsonSchema = (rule: z.ZodType) => z.toJSONSchema(rule, { io: 'input' })

/** An enumeration of GraphQL. Objects show a parameter as one; inputs take its values as strings. */
export interface ParameterEnum {
  name: string
  description: string
  /** Values in lower case, each with its description. */
  values: Readonly<Record<string, string>>
}

interface ParameterOptions {
  /**
   * Meaning of null in objects of GraphQL. Defaults to "Null when not set." for an optional parameter; the description of
   * a nullable one contains it.
   */
  nullMeans?: string
  enum?: ParameterEnum
}
const optionsByRule = new WeakMap<z.ZodType, ParameterOptions>()

/**
 * Describes a parameter for both interfaces.
 * @param rule with its default
 * @param description meaning and unit. Accepted values and the default are added from the rule
 */
export function parameter<T extends z.ZodType>(rule: T, description: string, options: ParameterOptions = {}): T {
  const { minimum, maximum, enum: values } = toJsonSchema(rule)
  const { data: fallback } = rule.safeParse(undefined)
  const parts = [
    description,
    values && `${either.format(values.map(text))}.`,
    range(minimum, maximum),
    fallback != null && `Defaults to ${describeDefault(fallback)}.`,
  ]
  const described = rule.meta({ ...z.globalRegistry.get(rule), description: parts.filter(Boolean).join(' ') })
  optionsByRule.set(described, options)
  return described
}

const range = (minimum?: number, maximum?: number) => {
  if (minimum === undefined) return undefined
  return maximum === undefined ? `At least ${minimum}.` : `${text(minimum)} to ${text(maximum)}.`
}

type Scalar = 'Boolean' | 'Float' | 'Int' | 'String'

/** The GraphQL type of a parameter: a scalar, or a list of one. */
export function findScalar(rule: z.ZodType): Scalar | [Scalar] {
  const { type, items } = toJsonSchema(rule)
  return type === 'array' ? [toScalar(items as JsonSchema)] : toScalar(toJsonSchema(rule))
}

type JsonSchema = ReturnType<typeof toJsonSchema>

function toScalar({ type, enum: values }: JsonSchema): Scalar {
  if (type === 'boolean') return 'Boolean'
  if (type === 'integer' || (type === 'number' && values)) return 'Int'
  return type === 'number' ? 'Float' : 'String'
}

/** How objects of GraphQL show a parameter. */
export function shownParameter(rule: z.ZodType) {
  const { nullMeans, enum: values } = optionsByRule.get(rule) ?? {}
  const { success, data: fallback } = rule.safeParse(undefined)
  const meaning = nullMeans ?? (success && fallback === undefined ? 'Null when not set.' : '')
  return {
    scalar: findScalar(rule),
    enum: values,
    isNullable: nullMeans !== undefined || (success && fallback == null),
    description: [rule.description, meaning].filter(Boolean).join(' '),
  }
}
