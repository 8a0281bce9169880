import type { Pool } from 'pg'
import { mapInPieces } from '../../pieces.ts'
import type { Prisma, PrismaClient } from '../generated/client/client.ts'
import { findLimits } from '../statement-limits.ts'
import { condition, listClauses } from './conditions.ts'
import { findModel, type Model, type Relation } from './models.ts'
import { type ListArgs, type Plan, planOfSelection, type Where } from './plan.ts'
import {
  type Columns,
  countListed,
  countRows,
  type LaterList,
  parseLists,
  type Row,
  type Shape,
  select,
  selectList,
  toRow,
  toRows,
} from './select.ts'
import { toSource } from './source.ts'
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
 * single relations and lists. One more statement loads each potentially long list of lists, independent of the number of
 * rows. The database cuts pages per parent.
 * Prisma itself needs three times the CPU for the same rows, and cuts nested pages only after loading all rows (`bun
 * run bench graphql`). Unsupported operators throw.
 * Pages are keysets: `cursor` is a place in the order, and selects the rows after it, whether a row is there or not.
 * For output only. Rules are checked on records that Prisma reads, because a plan may omit fields.
 */
export function createReader(pool: Pool) {
  const run = statementRunner(pool)

  async function readMany<M extends Prisma.ModelName, A extends ReadArgs<M>>(
    name: M,
    args: A,
    signal?: AbortSignal,
  ): Promise<ReadResult<M, A>> {
    const model = findModel(name)
    const statement = listStatement(model, args as ListArgs, args.plan ?? planOfSelection(model, args))
    const rows = await fetch(statement, signal)
    if ((args.take ?? 0) < 0) rows.reverse()
    await attach(statement.shape, rows, signal)
    return rows as ReadResult<M, A>
  }

  async function fetch({ shape, ...statement }: Shaped, signal?: AbortSignal): Promise<Row[]> {
    const fetched = await run({ ...statement, isJsonText: true }, signal)
    const limits = findLimits(signal)
    const convert = (values: unknown[]) => {
      parseLists(shape, values)
      limits?.addRows(countRows(shape, values))
      return toRow(shape, values)
    }
    return limits?.isLarge() ? mapInPieces(fetched, convert) : fetched.map(convert)
  }

  /** Loads the relations that were not part of the statement. */
  async function attach(shape: Shape, rows: Row[], signal?: AbortSignal): Promise<void> {
    if (!hasLater(shape)) return
    const { joined, lists, later } = shape
    await Promise.all([
      ...joined.map(({ name, shape }) => attach(shape, rows.map((row) => row[name] as Row).filter(Boolean), signal)),
      ...lists.map(({ name, shape }) =>
        attach(
          shape,
          rows.flatMap((row) => row[name] as Row[]),
          signal,
        ),
      ),
      ...later.map((list) => attachRows(list, rows, signal)),
    ])
  }

  async function attachRows(
    { name, relation, args, plan }: LaterList,
    rows: Row[],
    signal?: AbortSignal,
  ): Promise<void> {
    const keys = [...new Set(rows.map((row) => row[relation.parentKey]))]
    const { shape, ...statement } = childStatement(relation, keys, args, plan)
    const fetched = keys.length === 0 ? [] : await run({ ...statement, isJsonText: true }, signal)
    const limits = findLimits(signal)
    const isReversed = (args.take ?? 0) < 0
    const convert = ([key, text]: unknown[]) => {
      const list: Columns = JSON.parse(text as string)
      limits?.addRows(countListed(shape, list))
      return [key, toRows(shape, list, isReversed)] as const
    }
    const byKey = new Map(limits?.isLarge() ? await mapInPieces(fetched, convert) : fetched.map(convert))
    for (const row of rows) row[name] = byKey.get(row[relation.parentKey])
    await attach(shape, [...byKey.values()].flat(), signal)
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
      const model = findModel(name)
      const values = new Values()
      const matches = condition(toSource(model, 't'), (where ?? {}) as Where, values)
      const text = `SELECT count(*)::int AS count FROM ${model.table} t WHERE ${matches}`
      return Number((await run(values.statement(text), signal))[0]?.[0])
    },

    /** Returns the sum of a field over the matching rows. */
    async sum<M extends Prisma.ModelName>(name: M, field: string, where: Where, signal?: AbortSignal) {
      const model = findModel(name)
      const values = new Values()
      const matches = condition(toSource(model, 't'), where, values)
      const text = `SELECT coalesce(sum(t.${model.columns.get(field)}), 0) FROM ${model.table} t WHERE ${matches}`
      return Number((await run(values.statement(text), signal))[0]?.[0])
    },
  }
}

const hasLater = ({ joined, lists, later }: Shape): boolean =>
  later.length > 0 || [...joined, ...lists].some(({ shape }) => hasLater(shape))

function listStatement(model: Model, args: ListArgs, plan: Plan): Shaped {
  const values = new Values()
  const { columns, joins, shape, source } = select(model, plan, values, args)
  const text = `SELECT ${columns.join(', ')} FROM ${model.table} t${joins} WHERE ${listClauses(source, args, values)}`
  return { ...values.statement(text), shape }
}

/**
 * Selects the rows that belong to each of `keys`, of each key as one JSON value: the driver takes longer for the same
 * values in rows.
 */
function childStatement({ model, childKey }: Relation, keys: unknown[], args: ListArgs, plan: Plan): Shaped {
  const values = new Values()
  const related = findModel(model)
  const all = `unnest(${values.add(keys)}::uuid[]) AS parent(key)`
  const belongs = `t.${related.columns.get(childKey)} = parent.key`
  const { text, shape } = selectList(related, plan, args, values, belongs)
  return { ...values.statement(`SELECT parent.key, (${text}) FROM ${all}`), shape }
}
