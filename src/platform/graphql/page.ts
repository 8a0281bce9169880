import type { GraphQLResolveInfo } from 'graphql'
import type { Context } from '../context.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import { type ListArgs, type Order, type Place, type Plan, readPlace, type Sums, type Where } from '../db/query/plan.ts'
import { inTurn } from '../db/statement-limits.ts'
import { invalidInput } from '../errors.ts'
import { type Cursors, listCursors, notACursor } from '../schema/cursor.ts'
import { findType } from './builder.ts'
import { DEFAULT_PAGE, MAX_PAGE } from './page-size.ts'
import { hasRows, listName, needs, planPage, rowsKey, selectedNames, totalKey } from './plan.ts'

/** Arguments of a connection (Relay's specification). */
export interface PageArgs {
  first?: number | null
  after?: string | null
  last?: number | null
  before?: string | null
}

/** A record and its cursor, which is made only when an operation selects it. */
class Edge<T extends object> {
  readonly #mint: (node: T) => string
  constructor(
    readonly node: T,
    mint: (node: T) => string,
  ) {
    this.#mint = mint
  }
  get cursor(): string {
    return this.#mint(this.node)
  }
}

interface Page<T extends object> {
  edges: Edge<T>[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  totalCount: number | (() => Promise<number>)
}

const isBackward = ({ last, before }: PageArgs) => last != null || before != null

/** The cursor of a page, and the name of its argument. Null for the first page. */
function pageCursor({ after, before }: PageArgs): { text: string; field: string } | null {
  if (after != null) return { text: after, field: 'after' }
  return before == null ? null : { text: before, field: 'before' }
}

/**
 * Returns the number of rows to read for a page, negative for the last ones. It is one more than the page shows, to
 * detect a next page.
 * @throws AppError `invalid_input` for a size outside 1 to 200, or both directions at once
 */
function rowsToRead(args: PageArgs): number {
  const { first, after, last } = args
  for (const [name, value] of Object.entries({ first, last })) {
    if (typeof value === 'number' && (value < 1 || value > MAX_PAGE)) {
      throw invalidInput(name, `must be between 1 and ${MAX_PAGE}`)
    }
  }
  if (!isBackward(args)) return (first ?? DEFAULT_PAGE) + 1
  if (first != null || after != null) {
    throw invalidInput('last', 'and before cannot be used together with first and after')
  }
  return -(last ?? DEFAULT_PAGE) - 1
}

function toPage<T extends object>(
  rows: readonly T[],
  args: PageArgs,
  mint: (row: T) => string,
  totalCount: Page<T>['totalCount'],
): Page<T> {
  const isReversed = isBackward(args)
  const size = (isReversed ? args.last : args.first) ?? DEFAULT_PAGE
  const isMore = rows.length > size
  const pageRows = isReversed ? rows.slice(isMore ? 1 : 0) : rows.slice(0, size)
  const edges = pageRows.map((node) => new Edge(node, mint))
  const pageInfo = {
    hasNextPage: isReversed ? args.before != null : isMore,
    hasPreviousPage: isReversed ? isMore : args.after != null,
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
  cursor?: Place
}

interface RootPage<T> {
  info: GraphQLResolveInfo
  ctx: Context
  args: PageArgs
  /** Total: it ends with a unique field. */
  order: readonly Order[]
  list: (query: PageQuery) => Promise<readonly T[]>
  count: () => Promise<number>
  /** Defaults to those of the field and the viewer's organization. */
  cursors?: Cursors
}

/** Cursors of the list that a field shows to the viewer. */
const listedCursors = ({ signing, viewer }: Context, name: string, orderBy: readonly Order[]) =>
  listCursors(signing, { organizationId: viewer?.organizationId ?? null, name, orderBy })

/**
 * Loads a page of a list. Counts the total and reads rows only if the operation selects them.
 * @throws AppError `invalid_input` for an invalid size or cursor
 */
export async function rootPage<T extends object>(page: RootPage<T>): Promise<Page<T>> {
  const { info, ctx, args, order, list, count } = page
  const { cursors = listedCursors(ctx, listName(info.parentType, info.fieldName), order) } = page
  const take = rowsToRead(args)
  const cursor = pageCursor(args)
  const place = cursor ? cursors.read(cursor.text, cursor.field) : undefined
  const query = { plan: planPage(info, ctx), orderBy: [...order], take, cursor: place }
  const rows = hasRows(selectedNames(info)) ? await list(query) : []
  return toPage(rows, args, (row) => cursors.mint(readPlace(row)), count)
}

/**
 * Options of a connection field that shows a relation of its parent's row. Its cursors begin with the parent's ID,
 * because rows are read for all parents at once: a list refuses the cursors of other parents.
 * @param what the related rows, their order, and sums that add up to their number
 */
export function relatedPage<A extends object>(
  relation: string,
  what: (args: A, ctx: Context) => { where: Where; order: readonly Order[]; sums?: Sums },
) {
  const child = {
    relation,
    isPage: true,
    args: (pageArguments: Record<string, unknown>, ctx: Context, name: string): (ListArgs & { sums?: Sums }) | null => {
      const { where, order, sums } = what(pageArguments as A, ctx)
      const args = pageArguments as PageArgs
      const [take, cursor] = [rowsToRead(args), pageCursor(args)]
      const place = cursor && listedCursors(ctx, name, order).find(cursor.text)
      // Reported by `resolve`, as are cursors of other parents, so that both have the same path in the answer.
      if (cursor && !place) return null
      return { where, sums, take, orderBy: [...order], cursor: place?.slice(1) }
    },
  }
  return {
    ...needs({ child }),
    resolve: (parent: object, args: A & PageArgs, ctx: Context, info: GraphQLResolveInfo): never => {
      const row = parent as Record<string, unknown> & { id: string }
      const cursors = listedCursors(ctx, listName(info.parentType, info.fieldName), what(args, ctx).order)
      const cursor = pageCursor(args)
      if (cursor && cursors.find(cursor.text)?.[0] !== row.id) throw notACursor(cursor.field)
      const total = row[totalKey(info)] as number
      const rows = rowsKey(info) in row || hasRows(selectedNames(info)) ? loaded(row, info) : []
      const mint = (node: object) => cursors.mint([row.id, ...readPlace(node)])
      return inTurn(ctx.signal, () => toPage(rows as object[], args, mint, total)) as never
    },
  }
}

/** Returns the rows that were planned for a field. A row that was read without the plan does not have them. */
function loaded(row: object, info: GraphQLResolveInfo): unknown {
  const loadedRows = (row as Record<string, unknown>)[rowsKey(info)]
  if (loadedRows === undefined)
    throw new Error(`${info.parentType.name}.${info.fieldName} was not loaded with its record`)
  return loadedRows
}

/**
 * Options of a field that shows related rows: one record, or a short list.
 * @param args selects rows, also by the arguments of the field. Defaults to all.
 */
export function related(
  relation: string,
  args: (ctx: Context, fieldArgs: Record<string, unknown>) => ListArgs = () => ({}),
) {
  return {
    ...needs({ child: { relation, isPage: false, args: (fieldArgs, ctx) => args(ctx, fieldArgs) } }),
    resolve: (parent: object, _: unknown, ctx: Context, info: GraphQLResolveInfo) =>
      inTurn(ctx.signal, () => loaded(parent, info)) as never,
  }
}

/**
 * Options of a field that shows one related record, or null.
 * @param args selects the record, such as one that is visible to the viewer. Defaults to any.
 */
export const relatedRecord = <M extends Prisma.ModelName>(
  model: M,
  relation: string,
  description: string,
  args?: (ctx: Context) => ListArgs,
) => ({ type: findType(model), nullable: true as const, description, ...related(relation, args) })
