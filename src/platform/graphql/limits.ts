import {
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLInputType,
  getOperationAST,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  parse,
  typeFromAST,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { AppError, invalidInput } from '../errors.ts'
import { isTooDeep } from '../schema/parse.ts'
import { type Measures, measure } from './measure.ts'

/**
 * Limits of one operation, in the measures of `measure.ts`. `fields` equals `tokens`: fragments must not expand a
 * document beyond what could have been written out. Source: operating.md, GraphQL (depth, aliases, tokens).
 */
export const limits = {
  tokens: 2000,
  operations: 20,
  depth: 15,
  rootFields: 30,
  breadth: 100,
  fields: 2000,
  aliases: 30,
  directives: 20,
} as const satisfies Measures

/** Maximum items of a list in the variables. JSON values of the client may contain longer ones. */
const MAX_ITEMS = 200
/** Maximum values in the variables, nested ones included. Metadata at its limit of 64 KiB has at most 33,000. */
const MAX_VALUES = 40_000

const names: Record<keyof Measures, string> = {
  tokens: 'token',
  operations: 'operation',
  depth: 'depth',
  rootFields: 'root field',
  breadth: 'breadth',
  fields: 'field',
  aliases: 'alias',
  directives: 'directive',
}
/** Limits that the operations of a batch share. */
const shared = ['tokens', 'rootFields', 'fields', 'aliases', 'directives'] as const

/** Totals of the operations of one request so far. */
export type Tally = Record<(typeof shared)[number], number>
export const newTally = (): Tally => ({ tokens: 0, rootFields: 0, fields: 0, aliases: 0, directives: 0 })

const exceeded = (name: keyof Measures, value: string) =>
  new AppError('invalid_input', `query: exceeds the ${names[name]} limit of ${limits[name]}, asks for ${value}`)

/**
 * Rejects large documents before validation, whose time grows with the square of their size, and stops parsing long
 * ones at the limit.
 */
export const limitsPlugin: Plugin<{ tally: Tally }> = {
  onParams({ params }) {
    // Entries of a batch may be of any type.
    checkVariables((params as { variables?: unknown } | null)?.variables)
  },
  onParse({ setParseFn, context }) {
    setParseFn(parseBounded)
    return ({ result }) => {
      if (isDocument(result)) checkMeasures(measure(result), context.tally)
    }
  },
}

const isDocument = (result: unknown): result is DocumentNode => (result as DocumentNode | null)?.kind === Kind.DOCUMENT

function parseBounded(...[source, options]: Parameters<typeof parse>): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: limits.tokens })
  } catch (error) {
    // The library has no error code for this.
    if (error instanceof Error && /more tha[nt] \d+ tokens/.test(error.message)) throw exceeded('tokens', 'more')
    throw error
  }
}

function checkMeasures(measures: Measures, tally: Tally): void {
  for (const name of shared) tally[name] += measures[name]
  const total = { ...measures, ...tally }
  for (const name of Object.keys(limits) as (keyof Measures)[]) {
    if (total[name] > limits[name]) throw exceeded(name, String(total[name]))
  }
}

/** Whether variables are neither too deep nor too many. */
export const areVariablesWithin = (variables: object): boolean =>
  !isTooDeep(variables) && countValues(variables) <= MAX_VALUES

/** @throws AppError `invalid_input` for variables that are too deep or have too many values */
function checkVariables(variables: unknown): void {
  if (typeof variables !== 'object' || variables === null || areVariablesWithin(variables)) return
  if (isTooDeep(variables)) throw invalidInput('variables', 'nesting is too deep')
  throw invalidInput('variables', `exceeds the limit of ${MAX_VALUES} values, has ${countValues(variables)}`)
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const item of Object.values(value)) count += countValues(item)
  return count
}

/**
 * Checks lists in the variables by their declared types. Lists inside JSON values are not limited.
 * @throws AppError `invalid_input` for a list that is too long
 */
export function checkLists({ schema, document, operationName, variableValues }: ExecutionArgs): void {
  const operation = getOperationAST(document, operationName)
  for (const { variable, type } of operation?.variableDefinitions ?? []) {
    const value = variableValues?.[variable.name.value]
    const declared = typeof value === 'object' ? typeFromAST(schema, type as never) : undefined
    if (isInputType(declared)) checkList(declared, value, `variables.${variable.name.value}`)
  }
}

function checkList(type: GraphQLInputType, value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return
  if (isNonNullType(type)) {
    checkList(type.ofType, value, path)
  } else if (isListType(type) && Array.isArray(value)) {
    if (value.length > MAX_ITEMS) {
      throw invalidInput(path, `exceeds the limit of ${MAX_ITEMS} items, has ${value.length}`)
    }
    for (const item of value) checkList(type.ofType, item, path)
  } else if (isInputObjectType(type)) {
    const fields = type.getFields()
    for (const [name, item] of Object.entries(value)) {
      if (fields[name]) checkList(fields[name].type, item, `${path}.${name}`)
    }
  }
}
