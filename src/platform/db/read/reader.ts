import type { Pool } from 'pg'
import type { Prisma, PrismaClient } from '../generated/client/client.ts'
import { condition, keyset, orderBy, type Where } from './conditions.ts'
import { type Model, modelOf, type Relation } from './models.ts'
import { type Child, type ListArgs, type Plan, planOfSelection } from './plan.ts'
import { type Row, type Statement, statementRunner, Values } from './statement.ts'

type Delegate<M extends Prisma.ModelName> = PrismaClient[Uncapitalize<M>]

/** Arguments of Prisma's `findMany`; with a plan, that says what is read in place of select and include. */
export type ReadArgs<M extends Prisma.ModelName> = Omit<Prisma.Args<Delegate<M>, 'findMany'>, 'cursor' | 'orderBy'> &
  Pick<ListArgs, 'cursor' | 'orderBy'> & { plan?: Plan }
type ReadResult<M extends Prisma.ModelName, A> = Prisma.Result<
  Delegate<M>,
  Pick<A, Extract<keyof A, 'select' | 'include'>>,
  'findMany'
>

/** The part of a query that says which page, and what of each row: what an edge hands to a use case. */
export type Query<M extends Prisma.ModelName> = Pick<
  ReadArgs<M>,
  Extract<keyof ReadArgs<M>, 'plan' | 'select' | 'include' | 'take' | 'skip' | 'cursor' | 'orderBy'>
>

export type Reader = ReturnType<typeof createReader>

/**
 * Reads rows and what hangs on them, in the words of Prisma: one prepared statement for the rows and one for each
 * relation that is asked for, however many rows there are. A page of a relation is cut by the database for each
 * parent. Why not Prisma itself: it takes three times the processor time for the same rows, and cuts nested pages
 * only after loading all of them (`bun run bench graphql`). What it does not know, it refuses loudly.
 *
 * Pages are keysets: with `cursor`, what follows it in the order, whether or not that row still matches.
 *
 * For what is shown. Rules are checked on what Prisma reads: with a plan, only the fields that it names are there.
 */
export function createReader(pool: Pool) {
  const run = statementRunner(pool)

  async function readMany<M extends Prisma.ModelName, A extends ReadArgs<M>>(
    name: M,
    args: A,
    signal?: AbortSignal,
  ): Promise<ReadResult<M, A>> {
    const model = modelOf(name)
    const plan = args.plan ?? planOfSelection(model, args)
    const rows = await run(listStatement(model, args as ListArgs, plan), signal)
    if ((args.take ?? 0) < 0) rows.reverse()
    await attach(model, plan, rows, signal)
    return rows as ReadResult<M, A>
  }

  /** Loads what is asked for beside the rows' own columns. */
  async function attach(model: Model, plan: Plan, rows: Row[], signal?: AbortSignal): Promise<void> {
    await Promise.all(
      [...plan.children].map(([name, child]) => {
        const relation = relationOf(model, child.relation)
        return child.plan === 'count'
          ? attachCounts(relation, name, child.args.where ?? {}, rows, signal)
          : attachRows(relation, name, child as Child & { plan: Plan }, rows, signal)
      }),
    )
  }

  async function attachRows(
    { model, isList, parentKey, childKey }: Relation,
    name: string,
    { args, plan }: Child & { plan: Plan },
    rows: Row[],
    signal?: AbortSignal,
  ): Promise<void> {
    const related = modelOf(model)
    const keys = [...new Set(rows.map((row) => row[parentKey]).filter((key) => key !== null))]
    const found = keys.length === 0 ? [] : await run(childStatement(related, childKey, keys, args, plan), signal)
    const byKey = Map.groupBy(found, (row) => row[childKey])
    if ((args.take ?? 0) < 0) for (const group of byKey.values()) group.reverse()
    for (const row of rows) {
      const group = byKey.get(row[parentKey])
      row[name] = isList ? (group ?? []) : (group?.[0] ?? null)
    }
    await attach(related, plan, found, signal)
  }

  async function attachCounts(relation: Relation, name: string, where: Where, rows: Row[], signal?: AbortSignal) {
    const keys = rows.map((row) => row[relation.parentKey])
    const counts = keys.length === 0 ? [] : await run(countStatement(relation, keys, where), signal)
    const byKey = new Map(counts.map((row) => [row.key, row.count]))
    for (const row of rows) row[name] = byKey.get(row[relation.parentKey]) ?? 0
  }

  return {
    readMany,

    /** Rows of a statement written by hand; prepared, and cancelled, like all others. */
    query: run,

    /** The first row that matches, or null. */
    async readFirst<M extends Prisma.ModelName, A extends ReadArgs<M>>(name: M, args: A, signal?: AbortSignal) {
      const rows = (await readMany(name, { ...args, take: 1 }, signal)) as unknown as unknown[]
      return (rows[0] ?? null) as ReadResult<M, A> extends (infer One)[] ? One | null : never
    },

    /** How many rows match. */
    async count<M extends Prisma.ModelName>(name: M, where: object | undefined, signal?: AbortSignal) {
      const model = modelOf(name)
      const values = new Values()
      const matches = condition(model, (where ?? {}) as Where, 't', values)
      const text = `SELECT count(*)::int AS count FROM ${model.table} t WHERE ${matches}`
      return Number((await run({ text, values: values.list }, signal))[0]?.count)
    },
  }
}

function relationOf(model: Model, name: string): Relation {
  const relation = model.relations.get(name)
  if (!relation) throw new Error(`${model.name} has no relation ${name}`)
  return relation
}

function listStatement(model: Model, args: ListArgs, plan: Plan): Statement {
  const values = new Values()
  const text = `SELECT ${columns(model, plan)} FROM ${model.table} t WHERE ${list(model, args, values)}`
  return { text, values: values.list }
}

/** Rows that hang on any of `keys`. A page is cut for each of them by itself. */
function childStatement(model: Model, childKey: string, keys: unknown[], args: ListArgs, plan: Plan): Statement {
  const values = new Values()
  const own = columns(model, plan, childKey)
  const column = `t.${model.columns.get(childKey)}`
  const all = `${values.add(keys)}::uuid[]`
  const text =
    args.take === undefined
      ? `SELECT ${own} FROM ${model.table} t WHERE ${list(model, args, values, `${column} = ANY(${all})`)}`
      : `SELECT page.* FROM unnest(${all}) AS parent(key) CROSS JOIN LATERAL (SELECT ${own} FROM ${model.table} t ` +
        `WHERE ${list(model, args, values, `${column} = parent.key`)}) page`
  return { text, values: values.list }
}

function countStatement(relation: Relation, keys: unknown[], where: Where): Statement {
  const model = modelOf(relation.model)
  const values = new Values()
  const column = `t.${model.columns.get(relation.childKey)}`
  const belongs = `${column} = ANY(${values.add(keys)}::uuid[])`
  const matches = condition(model, where, 't', values)
  const text = `SELECT ${column} AS key, count(*)::int AS count FROM ${model.table} t WHERE ${belongs} AND ${matches} GROUP BY 1`
  return { text, values: values.list }
}

/** Everything behind WHERE. */
function list(model: Model, args: ListArgs, values: Values, belongs?: string): string {
  const isBackward = (args.take ?? 0) < 0
  const orders = args.orderBy === undefined ? [] : [args.orderBy].flat()
  const parts = [
    ...(belongs ? [belongs] : []),
    condition(model, args.where ?? {}, 't', values),
    ...(args.cursor ? [keyset(model, args.cursor, orders, isBackward, values)] : []),
  ]
  const order = orders.length > 0 ? ` ORDER BY ${orderBy(model, orders, isBackward)}` : ''
  const take = args.take === undefined ? '' : ` LIMIT ${values.add(Math.abs(args.take))}`
  const skip = args.skip ? ` OFFSET ${values.add(args.skip)}` : ''
  return `${parts.join(' AND ')}${order}${take}${skip}`
}

/** The planned columns under their names in the model, and those that relations are found by. */
function columns(model: Model, plan: Plan, ...needed: string[]): string {
  const own = plan.columns ?? model.columns.keys()
  const keys = [...plan.children.values()].map((child) => relationOf(model, child.relation).parentKey)
  return [...new Set([...own, ...keys, ...needed])]
    .map((name) => `t.${model.columns.get(name)} AS "${name}"`)
    .join(', ')
}
