import { type FieldNode, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'

type Variables = Readonly<Record<string, unknown>>

/** Whether an argument contains a condition: any value but null, nested ones included. */
export const isGiven = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some((item) => item != null) : value != null

/** Whether an argument contains no variable. */
export function isIndependent({ arguments: all = [] }: FieldNode, name: string): boolean {
  const contains = (value: ValueNode): boolean => {
    if (value.kind === Kind.VARIABLE) return true
    if (value.kind === Kind.LIST) return value.values.some(contains)
    return value.kind === Kind.OBJECT && value.fields.some((field) => contains(field.value))
  }
  const argument = all.find((one) => one.name.value === name)
  return !argument || !contains(argument.value)
}

/** The arguments of a field as the client wrote them, with the values and defaults of variables. */
export function collectArguments(
  defaults: ReadonlyMap<string, ValueNode | undefined>,
  { arguments: all = [] }: FieldNode,
  variables: Variables,
): Record<string, unknown> {
  const preset = (name: string) => {
    const value = defaults.get(name)
    return value && valueFromASTUntyped(value)
  }
  const values = Object.fromEntries(
    [...defaults.keys()].map((name) => [name, variables[name] === undefined ? preset(name) : variables[name]]),
  )
  return Object.fromEntries(all.map(({ name, value }) => [name.value, valueFromASTUntyped(value, values)]))
}
