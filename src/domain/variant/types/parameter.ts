import { z } from 'zod'

/** Rules of the parameters of a type, by their names in `props`. */
export type Parameters = Record<string, z.ZodType>

const either = new Intl.ListFormat('en', { type: 'disjunction' })
const text = (value: unknown) => (typeof value === 'number' ? value.toLocaleString('en') : `\`${value}\``)

/** JSON Schema of a parameter as clients send it. */
const jsonSchemaOf = (rule: z.ZodType) => z.toJSONSchema(rule, { io: 'input' })

/**
 * Describes a parameter for both interfaces.
 * @param rule with its default
 * @param description meaning and unit. Accepted values and the default are added from the rule
 */
export function parameter<T extends z.ZodType>(rule: T, description: string): T {
  const { minimum, maximum, enum: values } = jsonSchemaOf(rule)
  const { data: fallback } = rule.safeParse(undefined)
  const parts = [
    description,
    values && `${either.format(values.map(text))}.`,
    range(minimum, maximum),
    fallback != null && `Defaults to ${text(fallback)}.`,
  ]
  return rule.meta({ ...z.globalRegistry.get(rule), description: parts.filter(Boolean).join(' ') })
}

const range = (minimum?: number, maximum?: number) => {
  if (minimum === undefined) return undefined
  return maximum === undefined ? `At least ${minimum}.` : `${text(minimum)} to ${text(maximum)}.`
}

/** The GraphQL scalar of a parameter. */
export function scalarOf(rule: z.ZodType): 'Boolean' | 'Float' | 'Int' | 'String' {
  const { type, enum: values } = jsonSchemaOf(rule)
  if (type === 'boolean') return 'Boolean'
  if (type === 'integer' || (type === 'number' && values)) return 'Int'
  return type === 'number' ? 'Float' : 'String'
}
