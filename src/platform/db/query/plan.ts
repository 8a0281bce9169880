import { findModel, type Model } from './models.ts'

/** A Prisma `where`. */
export type Where = Record<string, unknown>
/** A Prisma `orderBy`: a field and its direction, or a field of a single relation. */
export type Order = Record<string, unknown>

/** Place of a row in an order: the text of each ordered value, as PostgreSQL writes it. The last one is unique. */
export type Place = readonly (string | null)[]

/** Rows of a list, as Prisma's arguments. */
export interface ListArgs {
  where?: Where
  orderBy?: Order | readonly Order[]
  /** Only rows after this place; before it for the last rows. */
  cursor?: Place
  skip?: number
  /** Maximum number of rows. Negative for the last rows. */
  take?: number
}

/** Columns and relations to read with a row. */
export interface Plan {
  /** Fields of the model; null for all of them. */
  columns: Set<string> | null
  /** By the property of the row. */
  children: Map<string, Child>
  /** Whether each row is read with its place in the order (`readPlace`). */
  isPlaced?: boolean
}

/** Property of a row with its place. No alias of GraphQL is equal to it. */
export const PLACE = '@place'

/** Returns the place of a row that was read with it. */
export function readPlace(row: object): Place {
  const place = (row as { [PLACE]?: Place })[PLACE]
  if (!place) throw new Error('a row was read without its place')
  return place
}

/** Rows of a relation, or their number. */
export interface Child {
  relation: string
  args: ListArgs
  plan: Plan | 'count'
  /** Adds these instead of counting rows. */
  sums?: Sums
}

/** Maintained sums that add up to the number of rows. */
export interface Sums {
  /** Model of the sums, and its field that is added. */
  model: string
  field: string
  /** Field with the key of the parent. */
  key: string
  where: Where
}

interface Selection {
  select?: Record<string, unknown> | null
  include?: Record<string, unknown> | null
  omit?: Record<string, unknown> | null
}

/** Converts a Prisma `select`, or `include` and `omit`, to a plan. */
export function planOfSelection(model: Model, { select, include, omit }: Selection): Plan {
  const selectedFields = Object.entries(select ?? include ?? {}).filter(([, value]) => value)
  const columns = select
    ? new Set(selectedFields.map(([name]) => name).filter((name) => model.columns.has(name)))
    : omit
      ? new Set([...model.columns.keys()].filter((name) => !omit[name]))
      : null
  const children = selectedFields.flatMap(([name, value]): [string, Child][] => {
    const relation = model.relations.get(name)
    if (!relation) return []
    const { select: inner, include: also, ...args } = (value === true ? {} : value) as Selection & ListArgs
    const plan = planOfSelection(findModel(relation.model), { select: inner, include: also })
    return [[name, { relation: name, args, plan }]]
  })
  return { columns, children: new Map(children) }
}
