import { condition, listClauses } from './conditions.ts'
import { type Model, modelOf, type Relation } from './models.ts'
import type { Child, ListArgs, Plan } from './plan.ts'
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
  /** Child lists too large to inline; loaded separately. */
  later: { name: string; relation: Relation; child: Child; size: number }[]
}

/** Assumed number of rows of a list without a page. */
export const ASSUMED_ROWS = 10
/**
 * Maximum number of rows of a list that is inlined into its parents' statement as JSON, which saves a round trip.
 * Beyond, building and parsing the JSON takes longer than the round trip.
 */
const MAX_INLINE_ROWS = 150

/** Maximum number of rows of a list. */
export const sizeOf = ({ take }: ListArgs, parents = 1) =>
  parents * (take === undefined ? ASSUMED_ROWS : Math.abs(take))

const ofJson: Record<string, (value: never) => unknown> = {
  DateTime: (value: string | null) => value && new Date(value),
  BigInt: (value: number | null) => (value === null ? null : BigInt(value)),
}

/**
 * Compiles the columns and joins of a plan.
 * @param size maximum number of rows
 * @param needed additional fields, such as the key that rows are grouped by
 */
export function select(model: Model, plan: Plan, values: Values, size: number, ...needed: string[]) {
  let aliases = 0

  /** One SELECT: of the rows, or of an inlined list. */
  function part(at: Model, own: Plan, alias: string, rows: number, also: readonly string[]) {
    const columns: string[] = []
    const joins: string[] = []
    const put = (expression: string) => columns.push(expression) - 1

    function shapeOf(here: Model, wanted: Plan, name: string, keys: readonly string[]): Shape {
      const shape: Shape = { model: here, fields: [], joined: [], lists: [], later: [] }
      const parentKeys = [...wanted.children.values()].map((child) => relationOf(here, child.relation).parentKey)
      for (const field of new Set([...(wanted.columns ?? here.columns.keys()), ...parentKeys, ...keys])) {
        const place = put(`${name}.${here.columns.get(field)}`)
        shape.fields.push({ name: field, place, ofJson: ofJson[here.types.get(field) ?? ''] })
      }
      for (const [as, child] of wanted.children) addChild(shape, as, child, name)
      return shape
    }

    function addChild(shape: Shape, as: string, child: Child, name: string): void {
      const relation = relationOf(shape.model, child.relation)
      const related = modelOf(relation.model)
      aliases += 1
      const other = `r${aliases}`
      const refers = `${other}.${related.columns.get(relation.childKey)} = ${name}.${shape.model.columns.get(relation.parentKey)}`
      const { args, plan: inner } = child
      const inside = inner === 'count' ? rows : sizeOf(args, rows)
      if (inner !== 'count' && !relation.isList) {
        joins.push(
          ` LEFT JOIN ${related.table} ${other} ON ${refers} AND ${condition(related, args.where ?? {}, other, values)}`,
        )
        const found = shapeOf(related, inner, other, ['id'])
        shape.joined.push({
          name: as,
          shape: found,
          keyPlace: found.fields.find((field) => field.name === 'id')?.place ?? 0,
        })
      } else if (inside > MAX_INLINE_ROWS) shape.later.push({ name: as, relation, child, size: rows })
      else if (inner === 'count') {
        const where = condition(related, args.where ?? {}, other, values)
        const place = put(`(SELECT count(*)::int FROM ${related.table} ${other} WHERE ${refers} AND ${where})`)
        shape.fields.push({ name: as, place })
      } else {
        const list = part(related, inner, other, inside, [])
        const clauses = listClauses(related, args, values, other, refers)
        const from = `SELECT json_build_array(${list.columns}) AS j FROM ${related.table} ${other}${list.joins} WHERE ${clauses}`
        const place = put(`(SELECT coalesce(json_agg(l.j), '[]') FROM (${from}) l)`)
        shape.lists.push({ name: as, shape: list.shape, place, isReversed: (args.take ?? 0) < 0 })
      }
    }

    const shape = shapeOf(at, own, alias, also)
    return { columns: columns.join(', '), joins: joins.join(''), shape }
  }

  return part(model, plan, 't', size, needed)
}

function relationOf(model: Model, name: string): Relation {
  const relation = model.relations.get(name)
  if (!relation) throw new Error(`${model.name} has no relation ${name}`)
  return relation
}

/** Converts a fetched row to a record with its joined records and inlined lists. */
export function toRow({ fields, joined, lists }: Shape, values: readonly unknown[], isJson = false): Row {
  const row: Row = {}
  for (const { name, place, ofJson } of fields) {
    row[name] = isJson && ofJson ? ofJson(values[place] as never) : values[place]
  }
  for (const { name, shape, keyPlace } of joined) {
    row[name] = values[keyPlace] === null ? null : toRow(shape, values, isJson)
  }
  for (const { name, shape, place, isReversed } of lists) {
    const rows = (values[place] as unknown[][]).map((inner) => toRow(shape, inner, true))
    row[name] = isReversed ? rows.reverse() : rows
  }
  return row
}
