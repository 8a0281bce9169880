import type { GraphQLResolveInfo } from 'graphql'
import type { Context } from '../context.ts'
import type { ListArgs, Order, Plan, Sums, Where } from '../db/query/plan.ts'
import { invalidInput } from '../errors.ts'
import { cursorOf, readCursor } from '../schema/cursor.ts'
import { hasRows, needs, pagePaths, planOf, rowsKey, selectedNames, totalKey } from './plan.ts'

/** Largest page of a connection, and the page of one without a size. */
export const MAX_PAGE = 200
export const DEFAULT_PAGE = 50

/** Arguments of a connection (Relay's specification). */
export interface PageArgs {
  first?: number | null
  after?: string | null
  last?: number | null
  before?: string | null
}

/** A total order of a list: it ends with its key. */
export interface ListOrder {
  orderBy: readonly Order[]
  key: string
}

/** A record and its cursor, which is made only when an operation selects it. */
class Edge<T> {
  readonly #key: string
  constructor(
    readonly node: T,
    key: string,
  ) {
    this.#key = key
  }
  get cursor(): string {
    return cursorOf((this.node as Record<string, unknown>)[this.#key])
  }
}

interface Page<T> {
  edges: Edge<T>[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  totalCount: number | (() => Promise<number>)
}

/**
 * Returns the query of a page. It reads one more row than the page shows, to detect a next page.
 * @throws AppError `invalid_input` for a size outside 1 to 200, an invalid cursor, or both directions at once
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
  const edges = shown.map((node) => new Edge(node, key))
  const pageInfo = {
    hasNextPage: isBackward ? args.before != null : isMore,
    hasPreviousPage: isBackward ? isMore : args.after != null,
    get startCursor() {
      return edges[0]?.cursor ?? null
    },
    get endCursor() {
      return edges.at(-1)?.cursor ?? null
    },
  }
  return { edges, pageInfo, totalCount }
}

/** A page of a list and the fields of its records. */
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

/** Loads a page of a list. Counts the total and reads rows only if the operation selects them. */
export async function rootPage<T>({ info, ctx, args, order, list, count }: RootPage<T>): Promise<Page<T>> {
  const query = pageQuery(args, order)
  const plan = planOf(info, ctx, pagePaths)
  plan.columns?.add(order.key)
  const rows = hasRows(selectedNames(info)) ? await list({ ...query, plan }) : []
  return toPage(rows, args, order.key, count)
}

/**
 * Options of a connection field that shows a relation of its parent's row.
 * @param what the related rows, their order, and sums that add up to their number
 */
export function relatedPage<A extends object>(
  relation: string,
  what: (args: A, ctx: Context) => { where: Where; order: ListOrder; sums?: Sums },
) {
  const child = {
    relation,
    isPage: true,
    args: (args: Record<string, unknown>, ctx: Context): ListArgs & { sums?: Sums } => {
      const { where, order, sums } = what(args as A, ctx)
      return { where, sums, ...pageQuery(args as PageArgs, order) }
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

/** Returns the rows that were planned for a field. A row that was read without the plan does not have them. */
function loaded(row: object, info: GraphQLResolveInfo): unknown {
  const found = (row as Record<string, unknown>)[rowsKey(info)]
  if (found === undefined) throw new Error(`${info.parentType.name}.${info.fieldName} was not loaded with its record`)
  return found
}

/**
 * Options of a field that shows related rows: one record, or a short list.
 * @param args selects rows. Defaults to all.
 */
export function related(relation: string, args: (ctx: Context) => ListArgs = () => ({})) {
  return {
    ...needs({ child: { relation, isPage: false, args: (_: Record<string, unknown>, ctx: Context) => args(ctx) } }),
    resolve: (parent: object, _: unknown, __: Context, info: GraphQLResolveInfo) => loaded(parent, info) as never,
  }
}
