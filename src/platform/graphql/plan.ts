import {
  type FieldNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isInterfaceType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql'
import type { Context } from '../context.ts'
import type { ListArgs, Plan, Sums } from '../db/query/plan.ts'

/** Columns and relations that a field needs of its parent's row. Defaults to all columns. */
export interface Needs {
  /** Fields of the model. */
  columns?: readonly string[]
  /** A relation, loaded with the row. */
  child?: {
    relation: string
    /** @param list name of the list. @returns null for a list that the field refuses when it is shown */
    args: (args: Record<string, unknown>, ctx: Context, list: string) => (ListArgs & { sums?: Sums }) | null
    /** Whether the field shows a page: rows under edges and nodes, and a total. */
    isPage: boolean
  }
  /** Relations that the field is computed from, by their property on the row. */
  also?: Record<string, { relation: string; args?: ListArgs; columns: readonly string[] }>
}

/** Options of a field that declare what it needs. */
export const needs = (value: Needs) => ({ extensions: { needs: value } })
/** Options of a field that is computed from these columns. */
export const needsColumns = (...columns: string[]) => needs({ columns })

/** Returns a relation that `also` has loaded. */
export const readWith = <T>(row: object, name: string): T => (row as Record<string, unknown>)[name] as T

/** Property of the parent's row with the rows of a field. Unique per alias. */
export function rowsKey({ fieldNodes: [node], path }: GraphQLResolveInfo): string {
  const cachedKey = node && rowsKeys.get(node)
  if (cachedKey !== undefined) return cachedKey
  const key = `$${path.key}`
  if (node) rowsKeys.set(node, key)
  return key
}
/** By the node of the field. Joining the key for each of 250 files takes 5 % of an operation. */
const rowsKeys = new WeakMap<FieldNode, string>()
export const totalKey = (info: GraphQLResolveInfo) => `#${info.path.key}`

type Paths = readonly (readonly string[])[]
/** Both paths from a page to its records. */
const pagePaths: Paths = [['edges', 'node'], ['nodes']]
/** Fields of a page, and of its parts, that show cursors. */
const cursorFields: Record<string, readonly string[]> = { edges: ['cursor'], pageInfo: ['startCursor', 'endCursor'] }

type Info = Pick<GraphQLResolveInfo, 'fragments' | 'variableValues'>
interface Selected {
  type: GraphQLObjectType
  field: GraphQLField<unknown, unknown>
  node: FieldNode
}

/**
 * Returns the columns and relations to read for the field that is being resolved, as selected by the operation, at any
 * depth. The same relation under two aliases is read twice.
 * @param paths from the field to its records
 */
export function createPlan(info: GraphQLResolveInfo, ctx: Context, paths: Paths = [[]]): Plan {
  const type = getNamedType(info.returnType)
  return isObjectType(type) ? planType(type, info, ctx, paths) : { ...emptyPlan(), columns: null }
}

/** Returns the plan of a field whose records have this type, which may be one of those that it can return. */
export function planType(type: GraphQLObjectType, info: GraphQLResolveInfo, ctx: Context, paths: Paths = [[]]): Plan {
  const plan = emptyPlan()
  for (const node of info.fieldNodes) {
    for (const path of paths) walk(plan, type, node.selectionSet, path, info, ctx)
  }
  return plan
}

/** Returns the plan of a field that shows a page. */
export function planPage(info: GraphQLResolveInfo, ctx: Context): Plan {
  const type = getNamedType(info.returnType)
  const isPlaced = info.fieldNodes.some(({ selectionSet }) => hasCursors(type, selectionSet, info))
  return { ...createPlan(info, ctx, pagePaths), isPlaced }
}

/** Whether cursors of a page are selected. */
const hasCursors = (type: GraphQLNamedType, selection: SelectionSetNode | undefined, info: Info): boolean =>
  isObjectType(type) &&
  listSelected(type, selection, info).some(({ field, node }) => {
    const [names, part] = [cursorFields[field.name], getNamedType(field.type)]
    if (!names || !isObjectType(part)) return false
    return listSelected(part, node.selectionSet, info).some((selected) => names.includes(selected.field.name))
  })

/** The name of a field's list, as its cursors are bound to it. */
export const listName = (type: GraphQLNamedType, field: string) => `${type.name}.${field}`

/** Returns the selected fields of the returned object. */
export function selectedNames(info: GraphQLResolveInfo): Set<string> {
  const type = getNamedType(info.returnType)
  if (!isObjectType(type)) return new Set()
  return new Set(
    info.fieldNodes.flatMap((node) => listSelected(type, node.selectionSet, info)).map(({ field }) => field.name),
  )
}

/** A plan with the key, which every page needs even if it is not selected. */
const emptyPlan = (): Plan => ({ columns: new Set(['id']), children: new Map() })

function walk(
  plan: Plan,
  type: GraphQLObjectType,
  selection: SelectionSetNode | undefined,
  path: readonly string[],
  info: Info,
  ctx: Context,
): void {
  for (const { field, node } of listSelected(type, selection, info)) {
    const [next, ...rest] = path
    if (next === undefined) addField(plan, { type, field, node }, info, ctx)
    else if (field.name === next) {
      const inner = getNamedType(field.type)
      if (isObjectType(inner)) walk(plan, inner, node.selectionSet, rest, info, ctx)
      // The type of an interface's record is known only from the record.
      else plan.columns = null
    }
  }
}

function addField(plan: Plan, selected: Selected, info: Info, ctx: Context): void {
  const { field } = selected
  const { pothosExposedField: exposed, needs: stated } = field.extensions as {
    pothosExposedField?: string
    needs?: Needs
  }
  if (exposed) plan.columns?.add(exposed)
  else if (stated) {
    for (const column of stated.columns ?? []) plan.columns?.add(column)
    for (const [name, { relation, args = {}, columns }] of Object.entries(stated.also ?? {})) {
      plan.children.set(name, { relation, args, plan: { columns: new Set(columns), children: new Map() } })
    }
    if (stated.child) addChild(plan, stated.child, selected, info, ctx)
  } else plan.columns = null
}

function addChild(
  plan: Plan,
  { relation, args, isPage }: NonNullable<Needs['child']>,
  { type: parent, field, node }: Selected,
  info: Info,
  ctx: Context,
): void {
  const type = getNamedType(field.type)
  const name = node.alias?.value ?? node.name.value
  const planned = args(getArgumentValues(field, node, info.variableValues), ctx, listName(parent, field.name))
  if (!planned) return
  const { sums, ...list } = planned
  if (isInterfaceType(type)) {
    // The type of an interface's record is known only from the record.
    plan.children.set(`$${name}`, { relation, args: list, plan: { columns: null, children: new Map() } })
    return
  }
  if (!isObjectType(type)) throw new Error(`${field.name} returns no records`)
  const names = isPage
    ? new Set(listSelected(type, node.selectionSet, info).map((selected) => selected.field.name))
    : null
  if (names?.has('totalCount')) {
    plan.children.set(`#${name}`, { relation, args: { where: list.where }, plan: 'count', sums })
  }
  if (names && !hasRows(names)) return
  const childPlan = plan.children.get(`$${name}`)?.plan
  const inner = childPlan && childPlan !== 'count' ? childPlan : emptyPlan()
  if (isPage && hasCursors(type, node.selectionSet, info)) inner.isPlaced = true
  plan.children.set(`$${name}`, { relation, args: list, plan: inner })
  for (const path of isPage ? pagePaths : [[]]) {
    walk(inner, type, node.selectionSet, path, info, ctx)
  }
}

/** Whether a page's records are selected, not just its total. */
export const hasRows = (names: ReadonlySet<string>) => ['edges', 'nodes', 'pageInfo'].some((name) => names.has(name))

/** Returns the fields of a selection, including those of fragments, without those that directives exclude. */
function listSelected(type: GraphQLObjectType, selection: SelectionSetNode | undefined, info: Info): Selected[] {
  return (selection?.selections ?? []).flatMap((node): Selected[] => {
    if (getDirectiveValues(GraphQLSkipDirective, node, info.variableValues)?.if === true) return []
    if (getDirectiveValues(GraphQLIncludeDirective, node, info.variableValues)?.if === false) return []
    if (node.kind === 'Field') {
      const field = type.getFields()[node.name.value]
      return field ? [{ type, field, node }] : []
    }
    const fragment = node.kind === 'InlineFragment' ? node : info.fragments[node.name.value]
    const condition = fragment?.typeCondition?.name.value
    if (condition && condition !== type.name && !type.getInterfaces().some(({ name }) => name === condition)) return []
    return listSelected(type, fragment?.selectionSet, info)
  })
}
