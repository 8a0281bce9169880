import { isObject } from '../../object.ts'
import { findModel } from './models.ts'
import { keyset, orderBy, orderTerms } from './order.ts'
import type { ListArgs, Where } from './plan.ts'
import { and, type Source, toSource } from './source.ts'
import type { Values } from './statement.ts'

/** Compiles a `where` to SQL. As in Prisma, a field that is undefined is ignored. */
export function condition(source: Source, where: Where, values: Values): string {
  const { model, alias } = source
  const parts: string[] = []
  for (const [key, value] of Object.entries(where)) {
    if (value === undefined) continue
    const column = model.columns.get(key)
    if (column) {
      if (isObject(value) && !(value instanceof Date)) parts.push(...comparisons(`${alias}.${column}`, value, values))
      else parts.push(equals(`${alias}.${column}`, value, values))
    } else if (key === 'AND') parts.push(and(all([value].flat() as Where[], source, values)))
    else if (key === 'OR') parts.push(any([value].flat() as Where[], source, values))
    // In a joined row a comparison may be unknown, whose negation is not true. EXISTS is true or false.
    else if (key === 'NOT') parts.push(`NOT (${and(all([value].flat() as Where[], toSource(model, alias), values))})`)
    else if (model.relations.has(key)) parts.push(ofRelation(source, key, value, values))
    else throw new Error(`${model.name} has no field ${key}`)
  }
  return and(parts)
}

const all = (list: readonly Where[], source: Source, values: Values) =>
  list.map((where) => condition(source, where, values))
const any = (list: readonly Where[], source: Source, values: Values) =>
  list.length === 0
    ? 'false'
    : `(${all(list, source, values)
        .map((part) => `(${part})`)
        .join(' OR ')})`

const equals = (column: string, value: unknown, values: Values) =>
  value === null ? `${column} IS NULL` : `${column} = ${values.add(value)}`

const writers: Record<string, (column: string, value: unknown, values: Values) => string> = {
  equals,
  not: (column, value, values) => (value === null ? `${column} IS NOT NULL` : `${column} <> ${values.add(value)}`),
  notIn: (column, value, values) => `${column} <> ALL(${values.add(value)})`,
  /** Of a text search vector. The value is a function of the database that returns a search, and its arguments. */
  isFoundBy: (column, value, values) => {
    const [query, ...args] = value as [string, ...unknown[]]
    return `${column} @@ ${query}(${args.map((value) => values.add(value)).join(', ')})`
  },
}
const signs: Record<string, string> = { lt: '<', lte: '<=', gt: '>', gte: '>=' }
const patterns: Record<string, (text: string) => string> = {
  contains: (text) => `%${text}%`,
  startsWith: (text) => `${text}%`,
}
const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&')

function comparisons(column: string, operators: Record<string, unknown>, values: Values): string[] {
  return Object.entries(operators).flatMap(([operator, value]) => {
    if (value === undefined || operator === 'mode') return []
    if (operator === 'in') return [matchOneOfList(column, value as unknown[], operators.mode === 'insensitive', values)]
    const write = writers[operator]
    if (write) return [write(column, value, values)]
    const sign = signs[operator]
    if (sign) return [`${column} ${sign} ${values.add(value)}`]
    const pattern = patterns[operator]
    if (!pattern) throw new Error(`the reader does not support the operator ${operator}`)
    const like = operators.mode === 'insensitive' ? 'ILIKE' : 'LIKE'
    return [`${column} ${like} ${values.addPattern(pattern(literal(String(value))))}`]
  })
}

/** Ignores the case of ASCII letters, as the constraint `variant_index_taken` does. */
function matchOneOfList(column: string, list: readonly unknown[], isCaseIgnored: boolean, values: Values): string {
  if (!isCaseIgnored) return `${column} = ANY(${values.add(list)})`
  return `lower(${column} COLLATE "C") = ANY(${values.add(list.map((text) => String(text).toLowerCase()))})`
}

/** Compiles a condition on a relation: `some` or `none` of a list, or the fields of a single record. */
function ofRelation({ model, alias, joined }: Source, name: string, value: unknown, values: Values): string {
  const relation = model.relations.get(name)
  if (!relation || !isObject(value)) throw new Error(`the reader does not support this condition on ${name}`)
  const related = findModel(relation.model)
  const joinedAlias = joined.get(name)
  if (joinedAlias !== undefined) {
    const matches = condition(toSource(related, joinedAlias), (value.is ?? value) as Where, values)
    return and([`${joinedAlias}.${related.columns.get(relation.childKey)} IS NOT NULL`, matches])
  }
  const inner = toSource(related, `${alias}_${name}`)
  const refers = `${inner.alias}.${related.columns.get(relation.childKey)} = ${alias}.${model.columns.get(relation.parentKey)}`
  const exists = (where: Where) =>
    `EXISTS (SELECT 1 FROM ${related.table} ${inner.alias} WHERE ${and([refers, condition(inner, where, values)])})`
  if (!relation.isList) return exists((value.is ?? value) as Where)
  const [[quantifier, where] = ['', {}], ...others] = Object.entries(value)
  if (others.length > 0 || !['some', 'none'].includes(quantifier)) {
    throw new Error(`the reader supports only some and none of ${name}`)
  }
  if (related.isView && quantifier === 'some') {
    // Evaluated once per statement. PostgreSQL assumes that a view's condition nearly always matches. When it hardly
    // ever does, a page in index order would scan the whole table and evaluate the view for each row.
    const inside = condition(inner, where as Where, values)
    const keys = `SELECT DISTINCT ${inner.alias}.${related.columns.get(relation.childKey)} FROM ${related.table} ${inner.alias}`
    return `${alias}.${model.columns.get(relation.parentKey)} = ANY(ARRAY(${keys} WHERE ${inside}))`
  }
  return `${quantifier === 'none' ? 'NOT ' : ''}${exists(where as Where)}`
}

/**
 * Compiles everything after WHERE: the rows of a list and their order.
 * @param belongs additional condition, such as the parent of the rows
 */
export function listClauses(source: Source, args: ListArgs, values: Values, belongs = 'true'): string {
  const terms = orderTerms(source, args)
  const parts = [
    belongs,
    condition(source, args.where ?? {}, values),
    args.cursor ? keyset(terms, args.cursor, values) : 'true',
  ]
  const order = terms.length > 0 ? ` ORDER BY ${orderBy(terms)}` : ''
  // A literal, because PostgreSQL plans a statement with a LIMIT parameter on every run, which takes as long as a small
  // query.
  const take = args.take === undefined ? '' : ` LIMIT ${Math.trunc(Math.abs(args.take))}`
  // A parameter: a client that pages by offset must not use up the names of prepared statements.
  const skip = args.skip ? ` OFFSET ${values.add(Math.trunc(args.skip))}::bigint` : ''
  return `${and(parts)}${order}${take}${skip}`
}
