import type { Pool } from 'pg'
import { invalidInput } from '../../errors.ts'
import type { Prisma, PrismaClient } from '../generated/client/client.ts'
import { condition, listClauses } from './conditions.ts'
import { type Model, modelOf, type Relation } from './models.ts'
import { type ListArgs, type Plan, planOfSelection, type Where } from './plan.ts'
import { type Row, type Shape, select, sizeOf, toRow } from './select.ts'
import { type Statement, statementRunner, Values } from './statement.ts'

type Shaped = Statement & { shape: Shape }

type Delegate<M extends Prisma.ModelName> = PrismaClient[Uncapitalize<M>]

/** Arguments of Prisma's `findMany`. A plan replaces `select` and `include`. */
export type ReadArgs<M extends Prisma.ModelName> = Omit<Prisma.Args<Delegate<M>, 'findMany'>, 'cursor' | 'orderBy'> &
  Pick<ListArgs, 'cursor' | 'orderBy'> & { plan?: Plan }
export type ReadResult<M extends Prisma.ModelName, A> = Prisma.Result<
  Delegate<M>,
  Pick<A, Extract<keyof A, 'select' | 'include' | 'omit'>>,
  'findMany'
>

/** The part of a query that an edge passes to a use case: the page and the selected fields. */
export type Query<M extends Prisma.ModelName> = Pick<
  ReadArgs<M>,
  Extract<keyof ReadArgs<M>, 'plan' | 'select' | 'include' | 'omit' | 'take' | 'skip' | 'cursor' | 'orderBy'>
>

export type Reader = ReturnType<typeof createReader>

/**
 * Reads rows with their relations, with the arguments of Prisma. One prepared statement loads the rows with their
 * single relations and short lists. One more statement loads each potentially long list, independent of the number of
 * rows. The database cuts pages per parent.
 * Prisma itself needs three times the CPU for the same rows, and cuts nested pages only after loading all rows (`bun
 * run bench graphql`). Unsupported operators throw.
 * Pages are keysets: `cursor` selects the rows after it in the order, even if its row no longer matches.
 * For output only. Rules are checked on records that Prisma reads, because a plan may omit fields.
 */
export function createReader(pool: Pool) {
  const run = statementRunner(pool)

  async function readMany<M extends Prisma.ModelName, A extends ReadArgs<M>>(
    name: M,
    args: A,
    signal?: AbortSignal,
  ): Promise<ReadResult<M, A>> {
    const model = modelOf(name)
    const statement = listStatement(model, args as ListArgs, args.plan ?? planOfSelection(model, args))
    const rows = await fetch(statement, signal)
    if (rows.length === 0 && args.cursor) await checkCursor(model, args as ListArgs, signal)
    if ((args.take ?? 0) < 0) rows.reverse()
    await attach(statement.shape, rows, signal)
    return rows as ReadResult<M, A>
  }

  /**
   * Distinguishes the end of a list from a cursor whose row was deleted: its place in the order is unknown.
   * @throws AppError `invalid_input`
   */
  async function checkCursor(model: Model, { cursor = {}, orderBy }: ListArgs, signal?: AbortSignal): Promise<void> {
    // A list in the order of its key needs no row.
    if ([orderBy].flat().length < 2) return
    const values = new Values()
    const text = `SELECT 1 FROM ${model.table} t WHERE ${condition(model, cursor, 't', values)}`
    const [row] = await run(values.statement(text), signal)
    if (!row) throw invalidInput('cursor', 'is of a record that no longer exists; start again at the first page')
  }

  const fetch = async ({ shape, ...statement }: Shaped, signal?: AbortSignal): Promise<Row[]> =>
    (await run(statement, signal)).map((values) => toRow(shape, values))

  /** Loads the relations that were not part of the statement. */
  async function attach({ joined, lists, later }: Shape, rows: Row[], signal?: AbortSignal): Promise<void> {
    await Promise.all([
      ...joined.map(({ name, shape }) => attach(shape, rows.map((row) => row[name] as Row).filter(Boolean), signal)),
      ...lists.map(({ name, shape }) =>
        attach(
          shape,
          rows.flatMap((row) => row[name] as Row[]),
          signal,
        ),
      ),
      ...later.map(({ name, relation, child, size }) =>
        child.plan === 'count'
          ? attachCounts(relation, name, child.args.where ?? {}, rows, signal)
          : attachRows(relation, name, child.args, child.plan, rows, size, signal),
      ),
    ])
  }

  async function attachRows(
    { model, childKey, parentKey }: Relation,
    name: string,
    args: ListArgs,
    plan: Plan,
    rows: Row[],
    size: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const keys = [...new Set(rows.map((row) => row[parentKey]))]
    const statement = childStatement(modelOf(model), childKey, keys, args, plan, size)
    const found = keys.length === 0 ? [] : await fetch(statement, signal)
    const byKey = Map.groupBy(found, (row) => row[childKey])
    if ((args.take ?? 0) < 0) for (const group of byKey.values()) group.reverse()
    for (const row of rows) row[name] = byKey.get(row[parentKey]) ?? []
    await attach(statement.shape, found, signal)
  }

  async function attachCounts(relation: Relation, name: string, where: Where, rows: Row[], signal?: AbortSignal) {
    const keys = [...new Set(rows.map((row) => row[relation.parentKey]))]
    const counts = keys.length === 0 ? [] : await run(countStatement(relation, keys, where), signal)
    const byKey = new Map(counts.map(([key, count]) => [key, count]))
    for (const row of rows) row[name] = byKey.get(row[relation.parentKey]) ?? 0
  }

  return {
    readMany,

    /** Runs a hand-written statement, prepared and cancelable like the others. */
    query: run,

    /** Returns the first matching row, or null. */
    async readFirst<M extends Prisma.ModelName, A extends ReadArgs<M>>(name: M, args: A, signal?: AbortSignal) {
      const rows = (await readMany(name, { ...args, take: 1 }, signal)) as unknown as unknown[]
      return (rows[0] ?? null) as ReadResult<M, A> extends (infer One)[] ? One | null : never
    },

    /** Returns the number of matching rows. */
    async count<M extends Prisma.ModelName>(name: M, where: object | undefined, signal?: AbortSignal) {
      const model = modelOf(name)
      const values = new Values()
      const matches = condition(model, (where ?? {}) as Where, 't', values)
      const text = `SELECT count(*)::int AS count FROM ${model.table} t WHERE ${matches}`
      return Number((await run(values.statement(text), signal))[0]?.[0])
    },

    /** Returns the sum of a field over the matching rows. */
    async sum<M extends Prisma.ModelName>(name: M, field: string, where: Where, signal?: AbortSignal) {
      const model = modelOf(name)
      const values = new Values()
      const matches = condition(model, where, 't', values)
      const text = `SELECT coalesce(sum(t.${model.columns.get(field)}), 0) FROM ${model.table} t WHERE ${matches}`
      return Number((await run(values.statement(text), signal))[0]?.[0])
    },
  }
}

function listStatement(model: Model, args: ListArgs, plan: Plan): Shaped {
  const values = new Values()
  const { columns, joins, shape } = select(model, plan, values, sizeOf(args))
  const text = `SELECT ${columns} FROM ${model.table} t${joins} WHERE ${listClauses(model, args, values, 't')}`
  return { ...values.statement(text), shape }
}

/**
 * Selects the rows that belong to any of `keys`. Cuts a page per key.
 * @param parents number of keys
 */
function childStatement(
  model: Model,
  childKey: string,
  keys: unknown[],
  args: ListArgs,
  plan: Plan,
  parents: number,
): Shaped {
  const values = new Values()
  const { columns, joins, shape } = select(model, plan, values, sizeOf(args, parents), childKey)
  const from = `SELECT ${columns} FROM ${model.table} t${joins}`
  const column = `t.${model.columns.get(childKey)}`
  const all = `${values.add(keys)}::uuid[]`
  const text =
    args.take === undefined
      ? `${from} WHERE ${listClauses(model, args, values, 't', `${column} = ANY(${all})`)}`
      : `SELECT page.* FROM unnest(${all}) AS parent(key) CROSS JOIN LATERAL ` +
        `(${from} WHERE ${listClauses(model, args, values, 't', `${column} = parent.key`)}) page`
  return { ...values.statement(text), shape }
}

function countStatement(relation: Relation, keys: unknown[], where: Where): Statement {
  const model = modelOf(relation.model)
  const values = new Values()
  const column = `t.${model.columns.get(relation.childKey)}`
  const belongs = `${column} = ANY(${values.add(keys)}::uuid[])`
  const matches = condition(model, where, 't', values)
  const text = `SELECT ${column} AS key, count(*)::int AS count FROM ${model.table} t WHERE ${belongs} AND ${matches} GROUP BY 1`
  return values.statement(text)
}
