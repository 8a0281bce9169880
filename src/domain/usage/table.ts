import { type Statement, Values } from '../../platform/db/query/statement.ts'
import type { Scope } from '../access/viewer.ts'
import type { UsageGroup } from './record.ts'

/** Names of the columns that rows can be grouped by, in sorting order. */
export const groupNames = {
  day: 'day',
  creator: 'creatorId',
  collection: 'collectionId',
  track: 'trackId',
  key: 'keyId',
  variant: 'variantId',
} as const satisfies Record<UsageGroup, string>

/** Columns of the groups other than the day. */
export const usageColumns = {
  creator: 'creator_id',
  collection: 'collection_id',
  track: 'track_id',
  key: 'key_id',
  variant: 'variant_id',
} as const

/** The day of a time, in UTC. */
export const writeDay = (time: string) => `(${time} AT TIME ZONE 'UTC')::date`

/** Limits of a report within the scope of the client. */
export interface UsageLimits {
  creatorId?: string
  collectionId?: string
  trackId?: string
}

/** The rows that a client requests, within its scope. */
export interface UsageScope extends Scope {
  /** Without it, all rows of the scope. */
  limits?: UsageLimits
}

/** The columns that rows are limited by, each with its value. A column may be limited by both. */
export const limitedColumns = ({ collectionId, creatorId, limits = {} }: UsageScope): [column: string, id: string][] =>
  [
    [usageColumns.collection, collectionId] as const,
    [usageColumns.creator, creatorId] as const,
    [usageColumns.collection, limits.collectionId] as const,
    [usageColumns.creator, limits.creatorId] as const,
    [usageColumns.track, limits.trackId] as const,
  ].flatMap(([column, id]) => (id ? [[column, id]] : []))

/** A table whose rows are summed. */
export interface Summand {
  table: string
  /** SQL expression of the day of a row, in UTC. Required when grouped by day. */
  day?: string
  /** Further conditions. */
  where: (values: Values) => string[]
  /** SQL expressions to sum, by the names of the sums. */
  sums: Record<string, string>
}

/**
 * The statement that sums the rows of several tables within a scope. It yields one row for each combination of groups,
 * sorted by them, and a single row without groups.
 * @param isInOrder whether tables have indexes in the order of the groups. Their rows are then merged, so that the first
 *   group is complete before the last row is read. A single table needs no merge.
 */
export function sumStatement(
  scope: UsageScope,
  groups: readonly UsageGroup[],
  summands: readonly Summand[],
  isInOrder = false,
): Statement {
  const values = new Values()
  const conditions = [
    `organization_id = ${values.add(scope.organizationId)}`,
    ...limitedColumns(scope).map(([column, id]) => `${column} = ${values.add(id)}`),
  ]
  const names = groups.map((group) => (group === 'day' ? 'day' : usageColumns[group]))
  const order = isInOrder && summands.length > 1 && names.length > 0 ? ` ORDER BY ${names.join(', ')}` : ''
  const parts = summands.map(({ table, day, where, sums }) => {
    const selected = [
      ...groups.map((group) => (group === 'day' ? `${day} AS day` : usageColumns[group])),
      ...Object.entries(sums).map(([name, sum]) => `${sum} AS ${name}`),
    ]
    const rows = [...conditions, ...where(values)].join(' AND ')
    return `(SELECT ${selected.join(', ')} FROM ${table} WHERE ${rows}${order})`
  })
  const sums = Object.keys(summands[0]?.sums ?? {}).map((name) => `coalesce(sum(${name}), 0)::float8 AS ${name}`)
  const selectedColumns = [...names.map((name) => (name === 'day' ? 'day::text' : name)), ...sums]
  // Not the output column "day", whose text has no index.
  const sorting = names.map((name) => `part.${name}`).join(', ')
  const grouped = names.length > 0 ? ` GROUP BY ${sorting} ORDER BY ${sorting}` : ''
  return {
    text: `SELECT ${selectedColumns.join(', ')} FROM (${parts.join(' UNION ALL ')}) AS part${grouped}`,
    values: values.list,
  }
}
