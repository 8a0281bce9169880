import type { GraphQLResolveInfo } from 'graphql'
import type { Context } from '../context.ts'
import type { ListArgs, Order, Plan, Where } from '../db/query/plan.ts'
import { invalidInput } from '../errors.ts'
import { cursorOf, readCursor } from '../schema/cursor.ts'
import { hasRows, needs, pagePaths, planOf, rowsKey, selectedNames, totalKey } from './plan.ts'

const MAX_PAGE = 200
const DEFAULT_PAGE = 50

/** Arguments of a connection (Relay's specification). */
export interface PageArgs {
  first?: number | null
  after?: string | null
  last?: number | null
  before?: string | null
}

/** An order of a list, which ends with its key so that no two rows are level. */
export interface ListOrder {
  orderBy: readonly Order[]
  key: string
}

interface Page<T> {
  edges: { cursor: string; node: T }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  totalCount: number | (() => Promise<number>)
}

/**
 * Which rows a page asks for: one more than it shows, which tells whether there are others behind.
 * @throws AppError `invalid_input` for a size outside 1-200, a cursor of another list, or both directions at once
 */
export function pageQuery({ first, after, last, before }: PageArgs, { orderBy, key }: ListOrder) {
  for (const [name, value] of Object.entries({ first, last })) {
    if (typeof value === 'number' && (value < 1 || value > MAX_PAGE)) {
      throw invalidInput(name, `must be between 1 and ${MAX_PAGE}`)
    }
  }
  const isBackward = last != null || before != null
  if (isBackward && (first != null || after != null)) {
    throw invalidInput('last', 'and before cannot be used together with first and after')
  }
  const size = (isBackward ? last : first) ?? DEFAULT_PAGE
  const [name, given] = isBackward ? ['before', before] : ['after', after]
  return {
    orderBy: [...orderBy],
    take: isBackward ? -(size + 1) : size + 1,
    ...(given != null && { cursor: { [key]: readCursor(given, name ?? '') } }),
  }
}

function toPage<T>(rows: readonly T[], args: PageArgs, key: string, totalCount: Page<T>['totalCount']): Page<T> {
  const isBackward = args.last != null || args.before != null
  const size = (isBackward ? args.last : args.first) ?? DEFAULT_PAGE
  const isMore = rows.length > size
  const shown = isBackward ? rows.slice(isMore ? 1 : 0) : rows.slice(0, size)
  const edges = shown.map((node) => ({ cursor: cursorOf((node as Record<string, unknown>)[key]), node }))
  const pageInfo = {
    hasNextPage: isBackward ? args.before != null : isMore,
    hasPreviousPage: isBackward ? isMore : args.after != null,
    startCursor: edges[0]?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  }
  return { edges, pageInfo, totalCount }
}

/** Which page of a list, and what of each record. */
export interface PageQuery {
  plan: Plan
  take: number
  orderBy: Order[]
  cursor?: Record<string, string>
}

interface RootPage<T> {
  info: GraphQLResolveInfo
  ctx: Context
  args: PageArgs
  order: ListOrder
  list: (query: PageQuery) => Promise<readonly T[]>
  count: () => Promise<number>
}

/** A page of a list; its total is counted, and its rows are read, only where they are asked for. */
export async function rootPage<T>({ info, ctx, args, order, list, count }: RootPage<T>): Promise<Page<T>> {
  const query = pageQuery(args, order)
  const plan = planOf(info, ctx, pagePaths)
  plan.columns?.add(order.key)
  const rows = hasRows(selectedNames(info)) ? await list({ ...query, plan }) : []
  return toPage(rows, args, order.key, count)
}

/**
 * Options of a connection field that shows a relation of its parent's row.
 * @param what which of the related rows, in which order
 */
export function relatedPage<A extends object>(
  relation: string,
  what: (args: A, ctx: Context) => { where: Where; order: ListOrder },
) {
  const child = {
    relation,
    isPage: true,
    args: (args: Record<string, unknown>, ctx: Context): ListArgs => {
      const { where, order } = what(args as A, ctx)
      return { where, ...pageQuery(args as PageArgs, order) }
    },
  }
  return {
    ...needs({ child }),
    resolve: (parent: object, args: A & PageArgs, ctx: Context, info: GraphQLResolveInfo): never => {
      const row = parent as Record<string, unknown>
      const total = row[totalKey(info)] as number
      const rows = rowsKey(info) in row || hasRows(selectedNames(info)) ? loaded(row, info) : []
      return toPage(rows as object[], args, what(args, ctx).order.key, total) as never
    },
  }
}

/** What was planned for a field and lies on its parent's row; a row from elsewhere would show nothing at all. */
function loaded(row: object, info: GraphQLResolveInfo): unknown {
  const key = rowsKey(info)
  if (!(key in row)) throw new Error(`${info.parentType.name}.${info.fieldName} was not read with its record`)
  return (row as Record<string, unknown>)[key]
}

/**
 * Options of a field that shows the related rows themselves: one record, or a list that is short by nature.
 * @param args which of them, where not all
 */
export function related(relation: string, args: (ctx: Context) => ListArgs = () => ({})) {
  return {
    ...needs({ child: { relation, isPage: false, args: (_: Record<string, unknown>, ctx: Context) => args(ctx) } }),
    resolve: (parent: object, _: unknown, __: Context, info: GraphQLResolveInfo) => loaded(parent, info) as never,
  }
}
