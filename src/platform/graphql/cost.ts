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
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'

import { AppError } from '../errors.ts'
import { DEFAULT_PAGE, MAX_PAGE } from './page-size.ts'
import { DEFAULT_ITEMS, type Price, priceOf, points as prices } from './price.ts'
import { collectArguments, isGiven, isIndependent } from './written-arguments.ts'

type Variables = Readonly<Record<string, unknown>>
/** Points, or a function of variables if they depend on any. */
type Points = number | ((variables: Variables) => number)

interface Scope {
  schema: GraphQLSchema
  fragments: Map<string, FragmentDefinitionNode>
  defaults: Map<string, ValueNode | undefined>
}

/** Where a field is. */
interface Place {
  type: GraphQLNamedType | undefined
  /** Lists above it, pages included. */
  lists: number
  /** The connection that the field belongs to. */
  page?: { size: Points; count: Points }
  /** Whether the object is an edge, which its record's point includes. */
  isEdge?: boolean
}

const priced = new WeakMap<OperationDefinitionNode, Points>()

/**
 * Returns the points of an operation before it runs: an object costs 1, a value 1/20, a mutation 10 more, and each field
 * what its price states. The items of a list multiply what is below it: a page by its size, another list by its price.
 * Fields that a directive leaves out count. Computed once per document; later only variables are evaluated.
 * @param document valid, and within `limits`
 * @returns a whole number, rounded up
 * @throws AppError `invalid_input` for a long text in a list of lists
 * @see src/web/docs/guides/limits-and-cost.md
 */
export function computeCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const points = priced.get(operation) ?? pointsOfOperation(schema, document, operation)
  priced.set(operation, points)
  // Sums of twentieths are not exact.
  return Math.max(0, Math.ceil(evaluate(points, variables) - 1e-6))
}

const evaluate = (points: Points, variables: Variables) => (typeof points === 'number' ? points : points(variables))

function sum(all: (Points | undefined)[]): Points {
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
  const scope = { schema, fragments, defaults }
  const root = { type: schema.getRootType(operation.operation) ?? undefined, lists: 0 }
  const below = pointsOfSelections(scope, operation.selectionSet, root)
  const isMutation = operation.operation === 'mutation'
  return isMutation ? sum([below, prices.mutation * rootFields(scope, operation.selectionSet)]) : below
}

function rootFields(scope: Scope, { selections }: SelectionSetNode): number {
  return selections.reduce((count, selection) => {
    if (selection.kind === Kind.FIELD) return count + 1
    const set = findFragment(scope, selection)?.selectionSet
    return set ? count + rootFields(scope, set) : count
  }, 0)
}

type Spread = Exclude<SelectionSetNode['selections'][number], FieldNode>

const findFragment = (scope: Scope, selection: Spread) =>
  selection.kind === Kind.FRAGMENT_SPREAD ? scope.fragments.get(selection.name.value) : selection

function pointsOfSelections(scope: Scope, set: SelectionSetNode, place: Place): Points {
  return sum(
    set.selections.map((selection) => {
      if (selection.kind === Kind.FIELD) return pointsOfField(scope, selection, place)
      const fragment = findFragment(scope, selection)
      const condition = fragment?.typeCondition?.name.value
      const type = condition ? scope.schema.getType(condition) : place.type
      return fragment ? pointsOfSelections(scope, fragment.selectionSet, { ...place, type }) : 0
    }),
  )
}

function pointsOfField(scope: Scope, node: FieldNode, place: Place): Points {
  const { type: parent, lists, page } = place
  const name = node.name.value
  // Introspection only reads memory and has limits of its own rules.
  if (name.startsWith('__')) return node.selectionSet ? 1 : 0
  const field = findField(parent, name)
  if (!field) return 0
  const type = getNamedType(field.type)
  const price = priceOf(field)
  const items = isListType(getNullableType(field.type)) ? (price.items ?? DEFAULT_ITEMS) : undefined
  const byArguments = evaluateArguments(scope, node, price.byArguments)
  if (!node.selectionSet) {
    if (isLong(type, price) && lists > 1) throw nestedText(name)
    return page && name === 'totalCount' ? page.count : sum([byArguments, pointsOfValue(type, price, items)])
  }
  const fieldPoints = sum([price.points ?? 0, byArguments])
  const isConnection = field.args.some((argument) => argument.name === 'first')
  if (isConnection) return sum([prices.object, fieldPoints, pointsOfConnection(scope, node, type, price, lists)])
  const isEdge = page !== undefined && name === 'edges'
  const inner: Place = { type, lists: items === undefined ? lists : lists + 1, isEdge }
  const each = sum([place.isEdge ? 0 : prices.object, pointsOfSelections(scope, node.selectionSet, inner)])
  const count = items === undefined ? 1 : (page?.size ?? countItems(scope, node, price, items))
  return sum([fieldPoints, times(count, each)])
}

const countItems = (scope: Scope, node: FieldNode, { itemsByArguments }: Price, otherwise: number): Points =>
  evaluateArguments(scope, node, itemsByArguments) ?? otherwise

const findField = (type: GraphQLNamedType | undefined, name: string) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined

const isJson = ({ name }: GraphQLNamedType) => name === 'JSON'
const isLong = (type: GraphQLNamedType, price: Price) => price.isLong ?? (isJson(type) && price.points === undefined)

const pointsOfValue = (type: GraphQLNamedType, price: Price, items = 1): number =>
  price.points ?? (isJson(type) ? prices.json : prices.value * items)

/** The content of a connection: its page, the rows that a filter examines, and the count of all of them. */
function pointsOfConnection(scope: Scope, node: FieldNode, type: GraphQLNamedType, price: Price, lists: number) {
  const isFiltered = (variables: Variables) => isGiven(collectArguments(scope.defaults, node, variables).filter)
  const isFixed = isIndependent(node, 'filter')
  const either = (filtered: number, plain: number): Points =>
    isFixed ? (isFiltered({}) ? filtered : plain) : (variables) => (isFiltered(variables) ? filtered : plain)
  const page = {
    size: computePage(scope, node.arguments ?? []),
    count: either(prices.filteredCount, price.count ?? prices.count),
  }
  const below = node.selectionSet ? pointsOfSelections(scope, node.selectionSet, { type, lists, page }) : 0
  return sum([either(prices.filter, 0), below])
}

/** The result of a price's function of the arguments. Undefined without one. */
function evaluateArguments(scope: Scope, node: FieldNode, byArguments: Price['byArguments']): Points | undefined {
  if (!byArguments) return undefined
  const evaluateThem = (variables: Variables) => byArguments(collectArguments(scope.defaults, node, variables))
  return node.arguments?.every(({ name }) => isIndependent(node, name.value)) ? evaluateThem({}) : evaluateThem
}

function computePage(scope: Scope, args: readonly ArgumentNode[]): Points {
  const sizes = args.filter(({ name }) => /^(first|last)$/.test(name.value)).map(({ value }) => readSize(scope, value))
  if (sizes.every((size) => typeof size !== 'function')) return largest(sizes)
  return (variables) => largest(sizes.map((size) => (typeof size === 'function' ? size(variables) : size)))
}

type Size = number | undefined

function readSize({ defaults }: Scope, value: ValueNode): Size | ((variables: Variables) => Size) {
  if (value.kind !== Kind.VARIABLE) return value.kind === Kind.INT ? Number(value.value) : undefined
  const name = value.name.value
  const preset = defaults.get(name)
  const otherwise = preset?.kind === Kind.INT ? Number(preset.value) : undefined
  return (variables) => {
    const size = variables[name]
    return typeof size === 'number' ? size : size === undefined ? otherwise : undefined
  }
}

/** The field itself rejects sizes out of range. Here they must only not reduce the price. */
function largest(sizes: Size[]): number {
  const stated = sizes.filter((size) => size !== undefined)
  return stated.length === 0 ? DEFAULT_PAGE : Math.min(MAX_PAGE, Math.max(0, ...stated))
}

const nestedText = (name: string) =>
  new AppError(
    'invalid_input',
    `query: ${name} may be long and cannot be selected in a list of lists; select it of one record, or in a plain list`,
  )
