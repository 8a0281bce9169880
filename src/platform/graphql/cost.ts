import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'

import { ASSUMED_ROWS } from '../db/query/select.ts'
import { DEFAULT_PAGE, MAX_PAGE } from './page.ts'

const MUTATION_POINTS = 10

type Variables = Readonly<Record<string, unknown>>
/** Points, or a function of variables if they depend on any. */
type Points = number | ((variables: Variables) => number)

interface Scope {
  schema: GraphQLSchema
  fragments: Map<string, FragmentDefinitionNode>
  defaults: Map<string, ValueNode | undefined>
}

const priced = new WeakMap<OperationDefinitionNode, Points>()

/**
 * Returns the points of an operation before it runs: an object costs 1, a scalar nothing, a mutation 10 more. The
 * content of a list is multiplied by the length of the list; for a connection that is the page size. Fields that a
 * directive leaves out count. Computed once per document; later only page sizes from variables are evaluated.
 * @param document valid, and within `limits`
 * @see src/web/docs/guides/limits-and-cost.md
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const points = priced.get(operation) ?? pointsOfOperation(schema, document, operation)
  priced.set(operation, points)
  return evaluate(points, variables)
}

const evaluate = (points: Points, variables: Variables) => (typeof points === 'number' ? points : points(variables))

function sum(all: Points[]): Points {
  const fixed = all.reduce<number>((total, points) => (typeof points === 'number' ? total + points : total), 0)
  const open = all.filter((points) => typeof points === 'function')
  if (open.length === 0) return fixed
  return (variables) => open.reduce((total, points) => total + points(variables), fixed)
}

function times(count: Points, each: Points): Points {
  if (typeof count === 'number' && typeof each === 'number') return count * each
  return (variables) => evaluate(count, variables) * evaluate(each, variables)
}

function pointsOfOperation(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Points {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const defaults = new Map(
    operation.variableDefinitions?.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  )
  const root = schema.getRootType(operation.operation) ?? undefined
  const scope = { schema, fragments, defaults }
  const below = pointsOfSelections(scope, operation.selectionSet, root)
  const isMutation = operation.operation === 'mutation'
  return isMutation ? sum([below, MUTATION_POINTS * rootFields(scope, operation.selectionSet)]) : below
}

function rootFields(scope: Scope, { selections }: SelectionSetNode): number {
  return selections.reduce((count, selection) => {
    if (selection.kind === Kind.FIELD) return count + 1
    const set = selectionSetOf(scope, selection)
    return set ? count + rootFields(scope, set) : count
  }, 0)
}

type Spread = Exclude<SelectionSetNode['selections'][number], FieldNode>

function fragmentOf(scope: Scope, selection: Spread) {
  return selection.kind === Kind.FRAGMENT_SPREAD ? scope.fragments.get(selection.name.value) : selection
}
const selectionSetOf = (scope: Scope, selection: Spread) => fragmentOf(scope, selection)?.selectionSet

/** @param page size of the connection that these fields belong to */
function pointsOfSelections(scope: Scope, set: SelectionSetNode, type?: GraphQLNamedType, page?: Points): Points {
  return sum(
    set.selections.map((selection) => {
      if (selection.kind === Kind.FIELD) return pointsOfField(scope, selection, type, page)
      const fragment = fragmentOf(scope, selection)
      const condition = fragment?.typeCondition?.name.value
      const inner = condition ? scope.schema.getType(condition) : type
      return fragment ? pointsOfSelections(scope, fragment.selectionSet, inner, page) : 0
    }),
  )
}

function pointsOfField(scope: Scope, field: FieldNode, parent?: GraphQLNamedType, page?: Points): Points {
  // Introspection only reads memory and has limits of its own rules.
  if (field.name.value.startsWith('__')) return field.selectionSet ? 1 : 0
  const definition = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[field.name.value] : undefined
  const type = definition && getNamedType(definition.type)
  if (!definition || !type || !field.selectionSet || isLeafType(type)) return 0
  const isPaged = definition.args.some(({ name }) => name === 'first')
  const ownPage = isPaged ? pageOf(scope, field.arguments ?? []) : undefined
  const below = pointsOfSelections(scope, field.selectionSet, type, ownPage)
  const isList = isListType(getNullableType(definition.type))
  return sum([1, isList ? times(ownPage ?? page ?? ASSUMED_ROWS, below) : below])
}

function pageOf(scope: Scope, args: readonly ArgumentNode[]): Points {
  const sizes = args.filter(({ name }) => /^(first|last)$/.test(name.value)).map(({ value }) => sizeOf(scope, value))
  if (sizes.every((size) => typeof size !== 'function')) return largest(sizes)
  return (variables) => largest(sizes.map((size) => (typeof size === 'function' ? size(variables) : size)))
}

type Size = number | undefined

function sizeOf({ defaults }: Scope, value: ValueNode): Size | ((variables: Variables) => Size) {
  if (value.kind !== Kind.VARIABLE) return value.kind === Kind.INT ? Number(value.value) : undefined
  const name = value.name.value
  const preset = defaults.get(name)
  const otherwise = preset?.kind === Kind.INT ? Number(preset.value) : undefined
  return (variables) => {
    const given = variables[name]
    return typeof given === 'number' ? given : given === undefined ? otherwise : undefined
  }
}

/** The field itself rejects sizes out of range. Here they must only not reduce the price. */
function largest(sizes: Size[]): number {
  const given = sizes.filter((size) => size !== undefined)
  return given.length === 0 ? DEFAULT_PAGE : Math.min(MAX_PAGE, Math.max(0, ...given))
}
