import { condition } from './conditions.ts'
import { type Model, modelOf, type Relation } from './models.ts'
import type { Child, Plan } from './plan.ts'
import type { Values } from './statement.ts'

/** One row under the names of schema.prisma. */
export type Row = Record<string, unknown>

/** Which values of a fetched row are fields of the record, and which those of records joined to it. */
export interface Shape {
  fields: [name: string, place: number][]
  joined: { name: string; shape: Shape; keyPlace: number }[]
}

export function relationOf(model: Model, name: string): Relation {
  const relation = model.relations.get(name)
  if (!relation) throw new Error(`${model.name} has no relation ${name}`)
  return relation
}

/** A single record comes with the row that refers to it. */
export const isJoined = (relation: Relation, { plan }: Child) => !relation.isList && plan !== 'count'

/**
 * What is selected for a plan, and the joins for it.
 * @param needed fields besides the plan's, which rows are grouped by
 */
export function select(model: Model, plan: Plan, alias: string, values: Values, ...needed: string[]) {
  const columns: string[] = []
  const joins: string[] = []

  function add(at: Model, own: Plan, name: string, also: readonly string[]): Shape {
    const relations = [...own.children.values()].map((child) => relationOf(at, child.relation).parentKey)
    const names = new Set([...(own.columns ?? at.columns.keys()), ...relations, ...also])
    const fields = [...names].map((field): [string, number] => [
      field,
      columns.push(`${name}.${at.columns.get(field)}`) - 1,
    ])
    const joined = [...own.children].flatMap(([as, child]) => {
      const relation = relationOf(at, child.relation)
      return isJoined(relation, child) ? [{ name: as, ...join(at, name, relation, child) }] : []
    })
    return { fields, joined }
  }

  function join(at: Model, name: string, relation: Relation, { args, plan: inner }: Child) {
    const related = modelOf(relation.model)
    const other = `${alias}${joins.length + 1}`
    const refers = `${other}.${related.columns.get(relation.childKey)} = ${name}.${at.columns.get(relation.parentKey)}`
    joins.push(
      ` LEFT JOIN ${related.table} ${other} ON ${refers} AND ${condition(related, args.where ?? {}, other, values)}`,
    )
    const shape = add(related, inner as Plan, other, ['id'])
    return { shape, keyPlace: shape.fields.find(([field]) => field === 'id')?.[1] ?? 0 }
  }

  const shape = add(model, plan, alias, needed)
  return { columns: columns.join(', '), joins: joins.join(''), shape }
}

/** A fetched row as a record, the records joined to it inside, or null in their place. */
export function toRow({ fields, joined }: Shape, values: readonly unknown[]): Row {
  const row: Row = {}
  for (const [name, place] of fields) row[name] = values[place]
  for (const { name, shape, keyPlace } of joined) row[name] = values[keyPlace] === null ? null : toRow(shape, values)
  return row
}
