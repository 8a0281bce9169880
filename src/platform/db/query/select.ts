import { condition, listClauses } from './conditions.ts'
import { findModel, type Model, type Relation } from './models.ts'
import { checkTotal, orderTerms } from './order.ts'
import { type Child, type ListArgs, PLACE, type Plan } from './plan.ts'
import { type Source, toSource } from './source.ts'
import type { Values } from './statement.ts'

/** A row with the names of schema.prisma. */
export type Row = Record<string, unknown>

interface Field {
  name: string
  place: number
  /** Converts its JSON value, if that differs. */
  ofJson?: (value: never) => unknown
}

/** Positions of a record's parts in a fetched row. */
export interface Shape {
  model: Model
  fields: Field[]
  /** Joined single records. */
  joined: { name: string; shape: Shape; keyPlace: number }[]
  /** Lists inlined as JSON. */
  lists: { name: string; shape: Shape; place: number; isReversed: boolean }[]
  later: LaterList[]
  /** Positions of the ordered values. Null for rows without their place. */
  ordered: number[] | null
}

/** A list that is too large to inline. It is loaded separately. */
export interface LaterList {
  name: string
  relation: Relation
  args: ListArgs
  plan: Plan
}

/** Assumed number of rows of a list without a page. */
const ASSUMED_ROWS = 10
/**
 * Maximum number of rows of the lists in one column of one row, which are inlined into their parents' statement as JSON:
 * the largest page with one list each, or a page of pages. A value of PostgreSQL has at most 1 GB. Rows of larger lists,
 * such as pages in pages of pages, are loaded by a statement of their own.
 */
const MAX_INLINE_ROWS = 250

/** Maximum number of rows of a list. */
const countTaken = ({ take }: ListArgs) => (take === undefined ? ASSUMED_ROWS : Math.abs(take))

const ofJson: Record<string, (value: never) => unknown> = {
  DateTime: (value: string | null) => value && new Date(value),
  BigInt: (value: number | null) => (value === null ? null : BigInt(value)),
}

/** Whether the rows of a relation are loaded by a statement of their own. */
const isLater = ({ isList }: Relation, { args, plan }: Child, rows: number) =>
  isList && plan !== 'count' && rows * countTaken(args) > MAX_INLINE_ROWS

/** Columns and joins of one SELECT. */
interface Selected {
  columns: string[]
  joins: string
  shape: Shape
  source: Source
}

/**
 * Compiles the columns and joins of a plan. The table has the alias `t`.
 * @param args the list, for the places of its rows
 */
export const select = (model: Model, plan: Plan, values: Values, args: ListArgs = {}): Selected =>
  createSelect(values)(toSource(model, 't'), plan, args, 1)

/**
 * Compiles a SELECT of all rows of a list as one JSON value, which `listOf` reads.
 * @param belongs condition of the list's parent. The table has the alias `t`
 */
export function selectList(model: Model, plan: Plan, args: ListArgs, values: Values, belongs: string) {
  const selected = createSelect(values)(toSource(model, 't'), plan, args, countTaken(args))
  return { text: inJson(selected, args, values, belongs), shape: selected.shape }
}

/**
 * By column, with the type of each found once: an array for each row takes PostgreSQL a third longer. An array, because a
 * function has at most 100 arguments.
 */
function inJson({ columns, joins, source }: Selected, args: ListArgs, values: Values, belongs: string): string {
  const named = columns.map((column, place) => `${column} AS c${place}`).join(', ')
  const from = `${source.model.table} ${source.alias}${joins} WHERE ${listClauses(source, args, values, belongs)}`
  const byColumn = columns.map((_, place) => `json_agg(l.c${place})`).join(', ')
  return `SELECT array_to_json(ARRAY[${byColumn}]) FROM (SELECT ${named} FROM ${from}) l`
}

/** @returns a function that compiles one SELECT of a statement. `rows`: maximum number of rows in one value of JSON */
function createSelect(values: Values) {
  let aliases = 0

  return function part({ model: at, alias }: Source, partPlan: Plan, args: ListArgs, rows: number): Selected {
    const columns: string[] = []
    const joins: string[] = []
    const put = (expression: string) => columns.push(expression) - 1

    function createShape(
      { model: here, alias: name }: Source,
      plan: Plan,
      keys: readonly string[],
      joined: Map<string, string>,
    ): Shape {
      const shape: Shape = { model: here, fields: [], joined: [], lists: [], later: [], ordered: null }
      const fields = new Set([...(plan.columns ?? here.columns.keys()), ...keys])
      for (const child of plan.children.values()) {
        const relation = findRelation(here, child.relation)
        if (isLater(relation, child, rows)) fields.add(relation.parentKey)
      }
      for (const field of fields) {
        const place = put(`${name}.${here.columns.get(field)}`)
        shape.fields.push({ name: field, place, ofJson: ofJson[here.types.get(field) ?? ''] })
      }
      for (const [as, child] of plan.children) addChild(shape, as, child, name, joined)
      return shape
    }

    function addChild(shape: Shape, as: string, child: Child, name: string, joined: Map<string, string>): void {
      const relation = findRelation(shape.model, child.relation)
      const related = findModel(relation.model)
      aliases += 1
      const other = toSource(related, `r${aliases}`)
      const parentKey = `${name}.${shape.model.columns.get(relation.parentKey)}`
      const refers = `${other.alias}.${related.columns.get(relation.childKey)} = ${parentKey}`
      const { args, plan: inner } = child
      if (inner === 'count') {
        const place = put(`(${counting(relation, child, values, other.alias, parentKey)})`)
        shape.fields.push({ name: as, place })
      } else if (isLater(relation, child, rows)) {
        shape.later.push({ name: as, relation, args, plan: inner })
      } else if (relation.isList) {
        const list = part(other, inner, args, rows * countTaken(args))
        const place = put(`(${inJson(list, args, values, refers)})`)
        shape.lists.push({ name: as, shape: list.shape, place, isReversed: (args.take ?? 0) < 0 })
      } else {
        const matches = condition(other, args.where ?? {}, values)
        joins.push(` LEFT JOIN ${related.table} ${other.alias} ON ${refers} AND ${matches}`)
        if (matches === 'true') joined.set(child.relation, other.alias)
        const foundShape = createShape(other, inner, ['id'], new Map())
        const keyPlace = foundShape.fields.find((field) => field.name === 'id')?.place ?? 0
        shape.joined.push({ name: as, shape: foundShape, keyPlace })
      }
    }

    const joined = new Map<string, string>()
    const source: Source = { model: at, alias, joined }
    const shape = createShape(source, partPlan, [], joined)
    if (partPlan.isPlaced) {
      const terms = orderTerms(source, args)
      checkTotal(terms)
      // As text: values of JavaScript are less precise than some of PostgreSQL.
      shape.ordered = terms.map(({ expression }) => put(`(${expression})::text`))
    }
    return { columns, joins: joins.join(''), shape, source }
  }
}

/** Compiles a SELECT of the number of related rows: counts them, or adds maintained sums. */
function counting(relation: Relation, { args, sums }: Child, values: Values, alias: string, parentKey: string): string {
  const source = toSource(findModel(sums?.model ?? relation.model), alias)
  const writeColumn = (field: string) => `${alias}.${source.model.columns.get(field)}`
  const number = sums ? `coalesce(sum(${writeColumn(sums.field)}), 0)::int` : 'count(*)::int'
  const refers = `${writeColumn(sums?.key ?? relation.childKey)} = ${parentKey}`
  const clauses = listClauses(source, { where: sums?.where ?? args.where }, values, refers)
  return `SELECT ${number} FROM ${source.model.table} ${alias} WHERE ${clauses}`
}

function findRelation(model: Model, name: string): Relation {
  const relation = model.relations.get(name)
  if (!relation) throw new Error(`${model.name} has no relation ${name}`)
  return relation
}

/** Converts a fetched row to a record with its joined records and inlined lists. */
export function toRow({ fields, joined, lists, ordered }: Shape, values: readonly unknown[], isJson = false): Row {
  const row: Row = {}
  for (const { name, place, ofJson } of fields) {
    row[name] = isJson && ofJson ? ofJson(values[place] as never) : values[place]
  }
  for (const { name, shape, keyPlace } of joined) {
    row[name] = values[keyPlace] === null ? null : toRow(shape, values, isJson)
  }
  for (const { name, shape, place, isReversed } of lists) {
    row[name] = toRows(shape, values[place] as Columns, isReversed)
  }
  if (ordered) row[PLACE] = ordered.map((place) => values[place])
  return row
}

/** Values of a list by column, each null in an empty list. */
export type Columns = readonly (readonly unknown[] | null)[]

/** Parses the lists of a fetched row in place. Inner lists are part of their JSON. */
export function parseLists({ joined, lists }: Shape, values: unknown[]): void {
  for (const { place } of lists) values[place] = JSON.parse(values[place] as string)
  for (const { shape } of joined) parseLists(shape, values)
}

/** Number of records in a fetched row: itself, and those of its lists. Single records that are joined do not count. */
export const countRows = (shape: Shape, values: readonly unknown[]): number => 1 + countLists(shape, values)

/** Number of records in a list of `selectList`, those of inner lists included. */
export function countListed(shape: Shape, columns: Columns): number {
  const length = columns[0]?.length ?? 0
  if (!hasLists(shape)) return length
  let count = length
  for (let at = 0; at < length; at++) {
    count += countLists(
      shape,
      columns.map((column) => column?.[at]),
    )
  }
  return count
}

const hasLists = ({ joined, lists }: Shape): boolean => lists.length > 0 || joined.some(({ shape }) => hasLists(shape))

function countLists({ joined, lists }: Shape, values: readonly unknown[]): number {
  let count = 0
  for (const { shape } of joined) count += countLists(shape, values)
  for (const { shape, place } of lists) count += values[place] ? countListed(shape, values[place] as Columns) : 0
  return count
}

/** Converts a list of `selectList` to records. @param isReversed whether the last rows were read, in reverse order */
export function toRows(shape: Shape, columns: Columns, isReversed: boolean): Row[] {
  const values: unknown[] = []
  const rows = (columns[0] ?? []).map((_, at) => {
    for (let place = 0; place < columns.length; place++) values[place] = columns[place]?.[at]
    return toRow(shape, values, true)
  })
  return isReversed ? rows.reverse() : rows
}
