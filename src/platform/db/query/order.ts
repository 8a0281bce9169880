import { findModel } from './models.ts'
import type { ListArgs, Order, Place } from './plan.ts'
import { and, findColumn, type Source } from './source.ts'
import type { Values } from './statement.ts'

/** One part of an order, as SQL. */
interface Term {
  expression: string
  isAscending: boolean
  /** Whether it may be NULL. PostgreSQL orders NULL after every value. */
  isNullable: boolean
  /** Whether no two rows have the same value. */
  isUnique: boolean
}

/** Compiles an `orderBy`, reversed for a page that is read backwards. */
export function orderTerms(source: Source, { orderBy = [], take = 0 }: ListArgs): Term[] {
  return [orderBy]
    .flat()
    .flatMap((order) => Object.entries(order))
    .map(([key, value]) => {
      const { direction, ...term } = source.model.relations.has(key)
        ? relatedTerm(source, key, value as Order)
        : { ...ownTerm(source, key), direction: value }
      return { ...term, isAscending: (direction === 'asc') === take >= 0 }
    })
}

function ownTerm({ model, alias }: Source, field: string) {
  return {
    expression: `${alias}.${findColumn(model, field)}`,
    isNullable: model.nullable.has(field),
    isUnique: model.unique.has(field),
  }
}

/** A field of a single relation, which may have no row. */
function relatedTerm({ model, alias, joined }: Source, name: string, order: Order) {
  const relation = model.relations.get(name)
  const [key = '', direction] = Object.entries(order)[0] ?? []
  if (!relation || relation.isList) throw new Error(`the reader cannot order by ${name}`)
  const related = findModel(relation.model)
  const joinedAlias = joined.get(name)
  const refers = `o.${related.columns.get(relation.childKey)} = ${alias}.${model.columns.get(relation.parentKey)}`
  const expression =
    joinedAlias === undefined
      ? `(SELECT o.${findColumn(related, key)} FROM ${related.table} o WHERE ${refers})`
      : `${joinedAlias}.${findColumn(related, key)}`
  return { expression, direction, isNullable: true, isUnique: false }
}

export const orderBy = (terms: readonly Term[]) =>
  terms.map(({ expression, isAscending }) => `${expression} ${isAscending ? 'asc' : 'desc'}`).join(', ')

/** Throws for an order in which rows could share a place: a page would skip or repeat them. */
export function checkTotal(terms: readonly Term[]): void {
  if (!terms.at(-1)?.isUnique) throw new Error('a page needs an order that ends with a unique field')
}

/** Compiles the condition for rows after a place, which need not be that of a row any more. */
export function keyset(terms: readonly Term[], place: Place, values: Values): string {
  checkTotal(terms)
  if (place.length !== terms.length) throw new Error('a place has one value for each part of the order')
  const parameters = place.map((value) => (value === null ? null : values.add(value)))
  const sign = comparison(terms, place)
  if (sign) return `(${terms.map(({ expression }) => expression).join(', ')}) ${sign} (${parameters.join(', ')})`
  const steps = terms.map((term, last) =>
    and([...terms.slice(0, last).map((equal, at) => same(equal, parameters[at])), beyond(term, parameters[last])]),
  )
  return `(${steps.map((step) => `(${step})`).join(' OR ')})`
}

/**
 * Returns the sign that compares a place as a row, which an index of the order supports. Null if NULL matters: a
 * comparison with it is unknown, which excludes a row. That is right only for NULL before a descending place.
 */
function comparison(terms: readonly Term[], place: Place): '>' | '<' | null {
  if (place.includes(null)) return null
  if (terms.every(({ isAscending }) => !isAscending)) return '<'
  return terms.every(({ isAscending, isNullable }) => isAscending && !isNullable) ? '>' : null
}

const same = ({ expression }: Term, value: string | null | undefined) =>
  value == null ? `${expression} IS NULL` : `${expression} = ${value}`

function beyond({ expression, isAscending, isNullable }: Term, value: string | null | undefined): string {
  if (value == null) return isAscending ? 'false' : `${expression} IS NOT NULL`
  if (!isAscending) return `${expression} < ${value}`
  return isNullable ? `(${expression} > ${value} OR ${expression} IS NULL)` : `${expression} > ${value}`
}
