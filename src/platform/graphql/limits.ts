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
import { isTooDeep } from '../schema/input.ts'
import { type Measures, measure } from './measure.ts'

/**
 * The most that one operation may ask for, in the measures of `measure.ts`. `fields` equals `tokens`: fragments must
 * not make more of a document than could have been written out. Source: operating.md, GraphQL (depth, aliases, tokens).
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

/** Items of a list among the variables; a JSON value is the client's own and may hold longer ones. */
const MAX_ITEMS = 200
/** Values among the variables, nested ones included; metadata at its limit of 64 KiB has 33,000 at most. */
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
/** Those that the operations of a batch use up together. */
const shared = ['tokens', 'rootFields', 'fields', 'aliases', 'directives'] as const

/** What the operations of one request have asked for so far. */
export type Tally = Record<(typeof shared)[number], number>
export const newTally = (): Tally => ({ tokens: 0, rootFields: 0, fields: 0, aliases: 0, directives: 0 })

const exceeded = (name: keyof Measures, asked: string) =>
  new AppError('invalid_input', `query: exceeds the ${names[name]} limit of ${limits[name]}, asks for ${asked}`)

/**
 * Refuses what is too large before validation looks at it, whose time grows with the square of what it is given; and
 * what is too long to read before it is read to its end.
 */
export const limitsPlugin: Plugin<{ tally: Tally }> = {
  onParams({ params }) {
    // Of a batch, which may hold anything.
    checkVariables((params as { variables?: unknown } | null)?.variables)
  },
  onParse({ setParseFn, context }) {
    setParseFn(parseBounded)
    return ({ result }) => {
      if (isDocument(result)) checkMeasures(measure(result), context.tally)
    }
  },
  onExecute: ({ args }) => checkLists(args),
  onSubscribe: ({ args }) => checkLists(args),
}

const isDocument = (result: unknown): result is DocumentNode => (result as DocumentNode | null)?.kind === Kind.DOCUMENT

function parseBounded(...[source, options]: Parameters<typeof parse>): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: limits.tokens })
  } catch (error) {
    // The library has no other sign of it.
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

function checkVariables(variables: unknown): void {
  if (typeof variables !== 'object' || variables === null) return
  if (isTooDeep(variables)) throw invalidInput('variables', 'must not be nested that deep')
  const values = countValues(variables)
  if (values > MAX_VALUES) throw invalidInput('variables', `exceeds the limit of ${MAX_VALUES} values, has ${values}`)
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const item of Object.values(value)) count += countValues(item)
  return count
}

/** Lists by their declared types: in a JSON value they are nobody's business but the client's. */
function checkLists({ schema, document, operationName, variableValues }: ExecutionArgs): void {
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
