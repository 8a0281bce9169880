import type { Pool } from 'pg'
import type { Prisma, PrismaClient } from './generated/client/client.ts'
import { condition, keyset, type Order, orderBy, type Where } from './read-conditions.ts'
import { type Model, modelOf, type Relation } from './read-models.ts'
import { type Row, type Statement, statementRunner, Values } from './read-statement.ts'

type Delegate<M extends Prisma.ModelName> = PrismaClient[Uncapitalize<M>]
/** Arguments of Prisma's `findMany` for a model: where, orderBy, cursor, skip, take, select or include. */
export type ReadArgs<M extends Prisma.ModelName> = Prisma.Args<Delegate<M>, 'findMany'>
type ReadResult<M extends Prisma.ModelName, A> = Prisma.Result<Delegate<M>, A, 'findMany'>

interface Selection {
  select?: Record<string, unknown> | null
  include?: Record<string, unknown> | null
}
interface ListArgs extends Selection {
  where?: Where
  orderBy?: Order | readonly Order[]
  cursor?: Record<string, unknown>
  skip?: number
  /** Negative: the last so many. */
  take?: number
}

export type Reader = ReturnType<typeof createReader>

/**
 * Reads rows and what hangs on them, in the words of Prisma: one prepared statement for the rows and one for each
 * relation that is asked for, however many rows there are. A page of a relation is cut by the database for each
 * parent. Why not Prisma itself: it takes three times the processor time for the same rows, and cuts nested pages
 * only after loading all of them (`bun run bench graphql`). What it does not know, it refuses loudly.
 *
 * Pages are keysets: with `cursor`, what follows it in the order, whether or not that row still matches.
 */
export function createReader(pool: Pool) {
  const run = statementRunner(pool)

  async function readMany<M extends Prisma.ModelName, A extends ReadArgs<M>>(
    name: M,
    args: A,
    signal?: AbortSignal,
  ): Promise<ReadResult<M, A>> {
    const model = modelOf(name)
    const list = args as ListArgs
    const rows = await run(listStatement(model, list), signal)
    if ((list.take ?? 0) < 0) rows.reverse()
    await attach(model, list, rows, signal)
    return rows as ReadResult<M, A>
  }

  /** Loads what is asked for beside a row's own columns. */
  async function attach(model: Model, selection: Selection, rows: Row[], signal?: AbortSignal): Promise<void> {
    const asked = Object.entries(selection.select ?? selection.include ?? {}).filter(([, value]) => value)
    await Promise.all(
      asked.map(async ([name, value]) => {
        const relation = model.relations.get(name)
        if (relation) await attachRelation(relation, rows, value === true ? {} : (value as ListArgs), signal)
        else if (name === '_count') await attachCounts(model, rows, (value as Selection).select ?? {}, signal)
      }),
    )
  }

  async function attachRelation(relation: Relation, rows: Row[], args: ListArgs, signal?: AbortSignal): Promise<void> {
    const { name, isList, parentKey, childKey } = relation
    const related = modelOf(relation.model)
    const keys = [...new Set(rows.map((row) => row[parentKey]).filter((key) => key !== null))]
    const found = keys.length === 0 ? [] : await run(childStatement(related, childKey, keys, args), signal)
    const byKey = Map.groupBy(found, (row) => row[childKey])
    if ((args.take ?? 0) < 0) for (const group of byKey.values()) group.reverse()
    for (const row of rows) {
      const group = byKey.get(row[parentKey])
      row[name] = isList ? (group ?? []) : (group?.[0] ?? null)
    }
    await attach(related, args, found, signal)
  }

  async function attachCounts(model: Model, rows: Row[], counted: Record<string, unknown>, signal?: AbortSignal) {
    const names = Object.keys(counted).filter((name) => counted[name])
    for (const row of rows) row._count = {}
    await Promise.all(
      names.map(async (name) => {
        const relation = model.relations.get(name)
        if (!relation) throw new Error(`${model.name} has no relation ${name}`)
        const where = counted[name] === true ? {} : ((counted[name] as ListArgs).where ?? {})
        const keys = rows.map((row) => row[relation.parentKey])
        const counts = keys.length === 0 ? [] : await run(countByParent(relation, keys, where), signal)
        const byKey = new Map(counts.map((row) => [row.key, row.count]))
        for (const row of rows) (row._count as Row)[name] = byKey.get(row[relation.parentKey]) ?? 0
      }),
    )
  }

  return {
    readMany,

    /** The first row that matches, or null. */
    async readFirst<M extends Prisma.ModelName, A extends ReadArgs<M>>(name: M, args: A, signal?: AbortSignal) {
      const rows = (await readMany(name, { ...args, take: 1 }, signal)) as unknown as unknown[]
      return (rows[0] ?? null) as ReadResult<M, A> extends (infer One)[] ? One | null : never
    },

    /** How many rows match. */
    async count<M extends Prisma.ModelName>(name: M, where: ReadArgs<M>['where'], signal?: AbortSignal) {
      const model = modelOf(name)
      const values = new Values()
      const text = `SELECT count(*)::int AS count FROM ${model.table} t WHERE ${condition(model, where as Where, 't', values)}`
      return Number((await run({ text, values: values.list }, signal))[0]?.count)
    },
  }
}

function listStatement(model: Model, args: ListArgs): Statement {
  const values = new Values()
  const text = `SELECT ${columns(model, args)} FROM ${model.table} t WHERE ${list(model, args, values, '')}`
  return { text, values: values.list }
}

/** Rows that hang on any of `keys`. A page is cut for each of them by itself. */
function childStatement(model: Model, childKey: string, keys: unknown[], args: ListArgs): Statement {
  const values = new Values()
  const own = columns(model, args, childKey)
  const column = `t.${model.columns.get(childKey)}`
  const all = values.add(keys)
  const text =
    args.take === undefined
      ? `SELECT ${own} FROM ${model.table} t WHERE ${list(model, args, values, `${column} = ANY(${all})`)}`
      : `SELECT page.* FROM unnest(${all}::uuid[]) AS parent(key) CROSS JOIN LATERAL (SELECT ${own} FROM ${model.table} t ` +
        `WHERE ${list(model, args, values, `${column} = parent.key`)}) page`
  return { text, values: values.list }
}

function countByParent(relation: Relation, keys: unknown[], where: Where): Statement {
  const model = modelOf(relation.model)
  const values = new Values()
  const column = `t.${model.columns.get(relation.childKey)}`
  const belongs = `${column} = ANY(${values.add(keys)})`
  const matches = condition(model, where, 't', values)
  const text = `SELECT ${column} AS key, count(*)::int AS count FROM ${model.table} t WHERE ${belongs} AND ${matches} GROUP BY 1`
  return { text, values: values.list }
}

/** Everything behind WHERE. */
function list(model: Model, args: ListArgs, values: Values, belongs: string): string {
  const isBackward = (args.take ?? 0) < 0
  const orders = args.orderBy === undefined ? [] : [args.orderBy].flat()
  const parts = [
    ...(belongs ? [belongs] : []),
    condition(model, args.where ?? {}, 't', values),
    ...(args.cursor ? [keyset(model, args.cursor, orders, isBackward, values)] : []),
  ]
  const order = orders.length > 0 ? ` ORDER BY ${orderBy(model, orders, isBackward)}` : ''
  const take = args.take === undefined ? '' : ` LIMIT ${values.add(Math.abs(args.take))}`
  // The library skips the cursor's own row; a keyset begins behind it anyway.
  const skip = args.skip && !args.cursor ? ` OFFSET ${values.add(args.skip)}` : ''
  return `${parts.join(' AND ')}${order}${take}${skip}`
}

/** The selected columns under their names in the model, and those that relations are found by. */
function columns(model: Model, { select }: Selection, ...needed: string[]): string {
  const names = select
    ? Object.keys(select).filter((name) => select[name] && model.columns.has(name))
    : [...model.columns.keys()]
  const keys = Object.keys(select ?? {}).flatMap((name) => {
    const relation = select?.[name] ? model.relations.get(name) : undefined
    return relation ? [relation.parentKey] : name === '_count' ? ['id'] : []
  })
  return [...new Set([...names, ...keys, ...needed])]
    .map((name) => `t.${model.columns.get(name)} AS "${name}"`)
    .join(', ')
}
